"""The parser of grammars with operators of their own: precedence climbing over their table."""

from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import utils

_WEAKEST = 1 << 30
_CONSTANTS = ('QUOTED_STRING', 'NUMBER', 'TRUE', 'FALSE', 'NULL')


class _Run(object):
    """One text."""

    def __init__(self, parser, lexer, text):
        self.operators = parser.operators.operators
        self.delegates = parser.allow_delegates
        self.text = text
        lexer.input(text)
        self.tokens = list(lexer)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self):
        token = self.peek()
        if token is None:
            self.fail()
        self.at += 1
        return token

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
        self.at += 1

    # A smaller level binds stronger; what is weaker than `most` is left to the caller.

    def value(self, most=_WEAKEST):
        left = self.prefix()
        while True:
            token = self.peek()
            record = self.record(token)
            if token is None:
                return left
            if token.type == 'INDEXER' and abs(self.operators['[]'][1]) <= most:
                self.at += 1
                left = expressions.IndexExpression(left, *self.args(']'))
            elif token.type == '(' and self.delegates:
                self.at += 1
                left = expressions.Function('#call', left, *self.args(')'))
            elif record and record[1] and abs(record[1]) <= most:
                self.at += 1
                level = abs(record[1])
                right = self.value(level - 1 if record[1] > 0 else level)
                left = expressions.BinaryOperator(token.value, left, right, record[3])
            elif record and record[0] < 0 and -record[0] <= most:
                self.at += 1
                left = expressions.UnaryOperator(token.value, left, record[3])
            else:
                return left

    def record(self, token):
        if token is None or not isinstance(token.value, str) or token.type in (
                'QUOTED_STRING', 'KEYWORD_STRING', 'FUNC', 'DOLLAR', 'INDEXER', 'MAP'):
            return None
        return self.operators.get(token.value)

    def prefix(self):
        token = self.next()
        record = self.record(token)
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
        if record and record[0] > 0:
            return expressions.UnaryOperator(token.value, self.value(record[0]), record[3])
        self.at -= 1
        return self.fail()

    def args(self, end):
        """Values, then mappings; values between commas may be left out, the last one not."""
        made, named, given = [], False, False
        if self.is_next(end):
            self.at += 1
            return made
        while True:
            if self.is_next(','):
                if named:
                    self.fail()
                self.at += 1
                made.append(utils.NO_VALUE)
                continue
            value = self.value()
            if self.is_next('MAPPING'):
                self.at += 1
                value = expressions.MappingRuleExpression(value, self.value())
                named = True
            elif named:
                self.fail()
            made.append(value)
            given = True
            if self.is_next(end):
                self.at += 1
                return made
            self.expect(',')
        return given


class Parser(object):
    def __init__(self, lexer, yaql_operators, factory):
        self.operators = yaql_operators
        self.allow_delegates = factory.allow_delegates
        self._lexer = lexer

    def parse(self, text, lexer=None, **ignored):
        run = _Run(self, (lexer or self._lexer).clone(), text)
        if not run.tokens:
            return None
        tree = run.value()
        if run.peek() is not None:
            run.fail()
        return tree
