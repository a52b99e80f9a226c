"""Tokens, for grammars with operators of their own and for who wants to see tokens.

The standard grammar is read by the engine in C.
"""

import codecs
import re

from vetro.yaql.language import exceptions

_ESCAPE = re.compile(
    r'\\U........|\\u....|\\x..|\\[0-7]{1,3}|\\N\{[^}]+\}|\\[\\\'"abfnrtv]', re.UNICODE)
_WORDS = {'true': ('TRUE', True), 'false': ('FALSE', False), 'null': ('NULL', None)}


def decode_escapes(text):
    return _ESCAPE.sub(lambda found: codecs.decode(found.group(0), 'unicode-escape'), text)


class Token(object):
    __slots__ = ('type', 'value', 'lexpos', 'lineno')

    def __init__(self, kind, value, place, line=1):
        self.type, self.value, self.lexpos, self.lineno = kind, value, place, line

    def __repr__(self):
        return 'LexToken(%s,%r,%d,%d)' % (self.type, self.value, self.lineno, self.lexpos)


class Lexer(object):
    literals = '()],}'

    def __init__(self, yaql_operators):
        self._table = yaql_operators.operators
        self._name_value_op = yaql_operators.name_value_op
        symbols = [s for s in self._table if s not in ('[]', '{}')]
        if self._name_value_op:
            symbols.append(self._name_value_op)
        symbols.sort(key=len, reverse=True)
        self._symbols = symbols
        self._scan = re.compile(r'''
              (?P<blank>[ \t\r\n]+)
            | (?P<dollar>\$\w*)
            | (?P<number>\b\d+(?:\.?\d+)?\b)
            | (?P<func>\b[^\W\d]\w*\()
            | (?P<word>(?!__)\b[^\W\d]\w*\b)
            | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
            | (?P<verbatim>`(?:[^`\\]|\\.)*`)
            | (?P<op>%s)
            | (?P<other>[()\[\],{}])
            ''' % ('|'.join(map(re.escape, symbols)) or '(?!x)x'), re.UNICODE | re.VERBOSE)
        self._text, self._at = '', 0
        self.lexdata = ''

    def clone(self):
        made = Lexer.__new__(Lexer)
        made.__dict__.update(self.__dict__)
        return made

    def input(self, text):
        self._text = self.lexdata = text
        self._at = 0

    def __iter__(self):
        return iter(self.token, None)

    def _type_of(self, symbol):
        if symbol == self._name_value_op:
            return 'MAPPING'
        return self._table[symbol][2]

    def token(self):
        while self._at < len(self._text):
            at = self._at
            found = self._scan.match(self._text, at)
            if found is None:
                raise exceptions.YaqlLexicalException(self._text[at], at)
            self._at = found.end()
            kind, text = found.lastgroup, found.group()
            if kind == 'blank':
                continue
            made = self._make(kind, text)
            return Token(made[0], made[1], at, 1 + self._text.count('\n', 0, at))
        return None

    def _make(self, kind, text):
        if kind == 'dollar':
            return 'DOLLAR', text
        if kind == 'number':
            return 'NUMBER', float(text) if '.' in text else int(text)
        if kind == 'func':
            return 'FUNC', text[:-1]
        if kind == 'quoted':
            return 'QUOTED_STRING', decode_escapes(text[1:-1])
        if kind == 'verbatim':
            return 'QUOTED_STRING', text[1:-1].replace('\\`', '`')
        if kind == 'word' and text not in self._table:
            return _WORDS.get(text, ('KEYWORD_STRING', text))
        if kind == 'other' and text in '[{':
            return ('INDEXER', '[') if text == '[' else ('MAP', '{')
        return (text if kind == 'other' else self._type_of(text)), text
