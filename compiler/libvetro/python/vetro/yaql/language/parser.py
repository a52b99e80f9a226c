"""The parser of grammars with operators of their own: precedence climbing over their table."""

from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import utils

_WEAKEST = 1 << 30
_NO_VALUE = (')', ']', '}', ',', 'MAPPING')
_CONSTANTS = ('QUOTED_STRING', 'NUMBER', 'TRUE', 'FALSE', 'NULL')


def _strength(level):
    """Of the operators on a level, those to the right or behind their value (negative) are the
    stronger."""
    return 2 * level if level > 0 else -2 * level - 1


class _Run(object):
    """One text."""

    def __init__(self, parser, lexer, text):
        self.operators = parser.operators.operators
        self.delegates = parser.allow_delegates
        self.text = text
        self.lexer = lexer
        lexer.input(text)
        self.token = lexer.token()

    def peek(self):
        return self.token

    def skip(self):
        self.token = self.lexer.token()

    def fail(self):
        token = self.peek()
        if token is None:
            raise exceptions.YaqlGrammarException(None, None, None)
        raise exceptions.YaqlGrammarException(self.text, token.value, token.lexpos)

    def is_next(self, kind):
        token = self.peek()
        return token is not None and token.type == kind

    def expect(self, kind):
        if not self.is_next(kind):
            self.fail()
        self.skip()

    # A smaller level binds stronger; what is weaker than `most` is left to the caller.

    def value(self, most=_WEAKEST):
        left = self.prefix()
        while True:
            token = self.peek()
            record = self.record(token)
            if token is None:
                return left
            if token.type == 'INDEXER' and _strength(self.operators['[]'][1]) <= most:
                self.skip()
                left = expressions.IndexExpression(left, *self.args(']'))
            elif token.type == '(' and self.delegates and most == _WEAKEST:
                self.skip()
                left = expressions.Function('#call', left, *self.args(')'))
            elif record and record[1] and _strength(record[1]) <= most:
                self.skip()
                right = self.value(_strength(record[1]) - (record[1] > 0))
                left = expressions.BinaryOperator(token.value, left, right, record[3])
            elif record and record[0] < 0 and _strength(record[0]) <= most:
                self.skip()
                left = expressions.UnaryOperator(token.value, left, record[3])
            else:
                return left

    def record(self, token):
        if token is None or not isinstance(token.value, str) or token.type in (
                'QUOTED_STRING', 'KEYWORD_STRING', 'FUNC', 'DOLLAR', 'INDEXER', 'MAP'):
            return None
        return self.operators.get(token.value)

    def prefix(self):
        token = self.peek()
        record = self.record(token)
        if token is None or token.type in _NO_VALUE or (
                record and not record[0] > 0):
            self.fail()
        self.skip()
        if token.type in _CONSTANTS:
            return expressions.Constant(token.value)
        if token.type == 'KEYWORD_STRING':
            return expressions.KeywordConstant(token.value)
        if token.type == 'DOLLAR':
            return expressions.GetContextValue(expressions.Constant(token.value))
        if token.type == 'FUNC':
            return expressions.Function(token.value, *self.args(')'))
        if token.type == 'INDEXER':
            return expressions.ListExpression(*self.args(']'))
        if token.type == 'MAP':
            return expressions.MapExpression(*self.args('}'))
        if token.type == '(':
            inner = self.value()
            self.expect(')')
            return expressions.Wrap(inner)
        operand = self.value(_strength(record[0]) - 1)
        return expressions.UnaryOperator(token.value, operand, record[3])

    def args(self, end):
        """Values, then mappings.  Values between commas may be left out: not the last one, not all
        of them, and before mappings one at most."""
        made, named, holes = [], False, 0
        if self.is_next(end):
            self.skip()
            return made
        while True:
            if self.is_next(','):
                if named:
                    self.fail()
                self.skip()
                made.append(utils.NO_VALUE)
                holes += 1
                continue
            value = self.value()
            if self.is_next('MAPPING') and (named or holes == 0 or holes == 1 < len(made)):
                self.skip()
                value = expressions.MappingRuleExpression(value, self.value())
                named = True
            elif named or self.is_next('MAPPING'):
                self.fail()
            made.append(value)
            holes = 0
            if self.is_next(end):
                self.skip()
                return made
            self.expect(',')
            if self.is_next(end):
                self.fail()


class Parser(object):
    def __init__(self, lexer, yaql_operators, factory):
        self.operators = yaql_operators
        self.allow_delegates = factory.allow_delegates
        self._lexer = lexer

    def parse(self, text, lexer=None, **ignored):
        run = _Run(self, (lexer or self._lexer).clone(), text)
        if run.peek() is None:
            return None
        tree = run.value()
        if run.peek() is not None:
            run.fail()
        return tree
