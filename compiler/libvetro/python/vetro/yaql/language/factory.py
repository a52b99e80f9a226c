"""Factories of engines, with the table of operators."""

import collections

from vetro import _vetro
from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import lexer
from vetro.yaql.language import parser
from vetro.yaql.language import utils

_KINDS = ('PREFIX_UNARY', 'SUFFIX_UNARY', 'BINARY_LEFT_ASSOCIATIVE',
          'BINARY_RIGHT_ASSOCIATIVE', 'NAME_VALUE_PAIR')
OperatorType = collections.namedtuple('OperatorType', _KINDS)(*_KINDS)
_UNARY, _BINARY = _KINDS[:2], _KINDS[2:4]

_LEFT, _PREFIX = OperatorType.BINARY_LEFT_ASSOCIATIVE, OperatorType.PREFIX_UNARY
_ALIASES = {'=': 'equal', '!=': 'not_equal'}
# Levels, the strongest first.
_LEVELS = (
    (_LEFT, '. ?.'), (_LEFT, '[] {}'), (_PREFIX, '+ -'), (_LEFT, '=~ !~'), (_LEFT, '* / mod'),
    (_LEFT, '+ -'), (_LEFT, '> < >= <= != = in'), (_PREFIX, 'not'), (_LEFT, 'and'), (_LEFT, 'or'),
    (OperatorType.BINARY_RIGHT_ASSOCIATIVE, '->'),
)


class YaqlOperators(object):
    def __init__(self, operators, name_value_op=None):
        self.operators = operators
        self.name_value_op = name_value_op


class _NativeParser(object):
    """`engine.parser` of the standard grammar."""

    def __init__(self, engine):
        self._engine = engine

    def parse(self, text, lexer=None, **ignored):
        return self._engine(text).expression


class YaqlEngine(object):
    def __init__(self, lexer, parser, options, factory):
        self._lexer = lexer
        self._parser = parser
        self._options = utils.FrozenDict(options or {})
        self._factory = factory
        self._grammar = factory._grammar()  # of the engine in C, or None
        get = self._options.get
        self._convert_input = get('yaql.convertInputData', True)
        self._native_options = {
            'limit_iterators': _limit(get('yaql.limitIterators', -1)),
            'memory_quota': _limit(get('yaql.memoryQuota', -1)),
            'tuples_to_lists': int(bool(get('yaql.convertTuplesToLists', True))),
            'sets_to_lists': int(bool(get('yaql.convertSetsToLists', False))),
            'iterable_dicts': int(bool(get('yaql.iterableDicts', False))),
            'convert_output': int(bool(get('yaql.convertOutputData', True))),
        }
        self._frozen_sets = not self._native_options['convert_output']
        self._key = tuple(self._native_options.values())
        self._library = {}  # engines in C whose functions are called one by one, by thread

    @property
    def lexer(self):
        return self._lexer

    @property
    def parser(self):
        return self._parser if self._parser is not None else _NativeParser(self)

    @property
    def options(self):
        return self._options

    @property
    def factory(self):
        return self._factory

    def __call__(self, expression, options=None):
        if options:
            return self.copy(options)(expression)
        if self._grammar is None:
            return expressions.Statement(
                self._parser.parse(expression, lexer=self._lexer), self)
        if expression is None:
            expression = ''
        if not isinstance(expression, str):
            raise TypeError('an expression is a text, not %s' % type(expression).__name__)
        return expressions.Statement(None, self, expression, _parse(expression, self._grammar))

    def copy(self, options):
        merged = dict(self._options)
        merged.update(options)
        return YaqlEngine(self._lexer, self._parser, merged, self._factory)


def _limit(value):
    """Zero items are a limit, less is none."""
    return int(value) if value is not None and value >= 0 else -1


def _grammar_engine(grammar):
    from vetro.yaql import native
    return native.grammar_engine({}, grammar, None)


_parsers = {}


def _parse(text, grammar):
    """The tree of a text: it is the same for all engines of the grammar."""
    found = _parsers.get(grammar)
    if found is None:
        found = _parsers[grammar] = (_grammar_engine(grammar), {})
    tree = found[1].get(text)
    if tree is None:
        if len(found[1]) > 4096:
            found[1].clear()
        tree = found[1][text] = found[0].parse(text)
    return tree


def _checked(grammar):
    """None: the engine in C does not take the operator of keywords."""
    if (grammar[2] != '=>' or grammar[3]) and grammar not in _parsers:
        try:
            _grammar_engine(grammar)
        except Exception:
            return None
    return grammar


class YaqlFactory(object):
    def __init__(self, keyword_operator='=>', allow_delegates=False):
        self._keyword_operator = keyword_operator
        self._allow_delegates = allow_delegates
        self._inserted = []  # the arguments of insert_operator()
        self.operators = self._standard_operators()
        if keyword_operator:
            self.operators.insert(0, (keyword_operator, OperatorType.NAME_VALUE_PAIR))

    @property
    def keyword_operator(self):
        return self._keyword_operator

    @property
    def allow_delegates(self):
        return self._allow_delegates

    def _standard_operators(self):
        table = []
        for kind, symbols in _LEVELS:
            if table:
                table.append(())
            for symbol in symbols.split():
                alias = _ALIASES.get(symbol)
                table.append((symbol, kind, alias) if alias else (symbol, kind))
        return table

    def insert_operator(self, existing_operator, existing_operator_binary, new_operator,
                        new_operator_type, create_group, new_operator_alias=None):
        self._insert(self.operators, existing_operator, existing_operator_binary, new_operator,
                     new_operator_type, create_group, new_operator_alias)
        self._inserted.append((existing_operator, bool(existing_operator_binary), new_operator,
                               new_operator_type, bool(create_group), new_operator_alias))

    @staticmethod
    def _insert(table, existing_operator, existing_operator_binary, new_operator,
                new_operator_type, create_group, new_operator_alias):
        at = 0
        if existing_operator is not None:
            kinds = _BINARY if existing_operator_binary else _UNARY
            for at, record in enumerate(table):
                if len(record) > 1 and record[0] == existing_operator and record[1] in kinds:
                    break
            else:
                raise ValueError('Operator %s is not found' % existing_operator)
            while at < len(table) and len(table[at]) > 1:
                at += 1
        if create_group:
            if at == len(table):
                table.append(())
                at += 1
            else:
                while at < len(table) and len(table[at]) < 2:
                    at += 1
                table.insert(at, ())
        table.insert(at, (new_operator, new_operator_type, new_operator_alias))

    def _build_operator_table(self):
        """{symbol: (prefix or -suffix level, left or -right level, token, alias)}"""
        table, pair, level = {}, None, 1
        for record in self.operators:
            if not record:
                level += 1
                continue
            symbol, kind = record[0], record[1]
            if kind == OperatorType.NAME_VALUE_PAIR:
                if pair is not None:
                    raise exceptions.InvalidOperatorTableException(symbol)
                pair = symbol
                continue
            unary, binary, name, alias = table.get(symbol, (0, 0, '', None))
            if unary if kind in _UNARY else binary:
                raise exceptions.InvalidOperatorTableException(symbol)
            if kind in _UNARY:
                unary = level if kind == OperatorType.PREFIX_UNARY else -level
            else:
                binary = level if kind == OperatorType.BINARY_LEFT_ASSOCIATIVE else -level
            name = {'[]': 'INDEXER', '{}': 'MAP'}.get(symbol) or name or 'OP_%d' % len(table)
            table[symbol] = (unary, binary, name, record[2] if len(record) > 2 else alias)
        return YaqlOperators(table, pair)

    def _grammar(self):
        """What the engine in C calls this grammar; None: it has no such."""
        standard = YaqlFactory._standard_operators(self)
        own = [tuple(record[:2]) + ((record[2],) if len(record) > 2 and record[2] else ())
               for record in self.operators]
        delegates = int(bool(self._allow_delegates))
        pair = own[0][0] if own[:1] and own[0][1:] == (OperatorType.NAME_VALUE_PAIR,) else None
        if own[pair is not None:] == standard:
            return _checked((0, delegates, pair, ()))
        at = standard.index(('->', OperatorType.BINARY_RIGHT_ASSOCIATIVE)) - 1
        if own == standard[:at] + [(), ('=>', _LEFT)] + standard[at:]:
            return 1, delegates, None, ()
        return self._grown_grammar(delegates, pair)

    def _grown_grammar(self, delegates, pair):
        """The standard operators and those that were inserted, where these are all."""
        table = YaqlFactory._standard_operators(self)
        if pair:
            table.insert(0, (pair, OperatorType.NAME_VALUE_PAIR))
        try:
            for one in self._inserted:
                self._insert(table, *one)
        except ValueError:
            return None
        if table != self.operators:
            return None
        return _checked((0, delegates, pair, tuple(self._inserted)))

    def create(self, options=None):
        operators = self._build_operator_table()
        tokens = lexer.Lexer(operators)
        own = None if self._grammar() is not None else parser.Parser(tokens, operators, self)
        return YaqlEngine(tokens, own, options, self)
