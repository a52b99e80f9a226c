"""The syntax tree of an expression, and the statement that evaluates it.

The tree is made when somebody looks at it, or when the engine in C does not evaluate the expression.
"""

from vetro import _vetro
from vetro.yaql.language import exceptions
from vetro.yaql.language import utils


class Expression(object):
    def __call__(self, receiver, context, engine):
        pass


class Function(Expression):
    def __init__(self, name, *args):
        self.name = name
        self.args = args
        self.uses_receiver = True

    def __call__(self, receiver, context, engine):
        return context(self.name, engine, receiver, context)(*self.args)

    def __str__(self):
        return '%s(%s)' % (self.name, ', '.join(map(str, self.args)))


class _Operator(Function):
    def __init__(self, name, *args):
        super().__init__(name, *args)
        self.uses_receiver = False


class BinaryOperator(_Operator):
    def __init__(self, op, obj1, obj2, alias):
        self.operator = op
        super().__init__('#operator_' + op if alias is None else '*' + alias, obj1, obj2)


class UnaryOperator(_Operator):
    def __init__(self, op, obj, alias):
        self.operator = op
        super().__init__('#unary_operator_' + op if alias is None else '*' + alias, obj)


class IndexExpression(_Operator):
    def __init__(self, value, *args):
        super().__init__('#indexer', value, *args)


class ListExpression(_Operator):
    def __init__(self, *args):
        super().__init__('#list', *args)


class MapExpression(_Operator):
    def __init__(self, *args):
        super().__init__('#map', *args)


class GetContextValue(_Operator):
    def __init__(self, path):
        super().__init__('#get_context_data', path)
        self.path = path

    def __str__(self):
        return self.path.value


class Constant(Expression):
    def __init__(self, value):
        self.value = value
        self.uses_receiver = False

    def __call__(self, receiver, context, engine):
        return self.value

    def __str__(self):
        return "'%s'" % self.value if isinstance(self.value, str) else str(self.value)


class KeywordConstant(Constant):
    pass


class Wrap(Expression):
    def __init__(self, expression):
        self.expr = expression
        self.uses_receiver = False

    def __call__(self, receiver, context, engine):
        return self.expr(receiver, context, engine)

    def __str__(self):
        return str(self.expr)


class MappingRuleExpression(Expression):
    def __init__(self, source, destination):
        self.source = source
        self.destination = destination
        self.uses_receiver = False

    def __call__(self, receiver, context, engine):
        return utils.MappingRule(self.source(receiver, context, engine),
                                 self.destination(receiver, context, engine))

    def __str__(self):
        return '%s => %s' % (self.source, self.destination)


class Statement(Function):
    def __init__(self, expression, engine, text=None, tree=None):
        """expression: the tree, or None where `tree` of the engine in C has it."""
        self.engine = engine
        self.uses_receiver = False
        self.name = '#finalize'
        self._expression = expression
        self._text = text
        self._tree = tree
        self._fits = None  # the last native environment that can evaluate it

    @property
    def expression(self):
        if self._expression is None:
            self._expression = build(self._tree.export(), self.engine.factory)
        return self._expression

    @property
    def args(self):
        return (self.expression,)

    def __str__(self):
        return str(self.expression)

    def __call__(self, receiver, context, engine):
        if not context.collect_functions('#finalize'):
            context = context.create_child_context()
            context.register_function(lambda x: x, name='#finalize')
        try:
            return super().__call__(receiver, context, engine)
        except exceptions.WrappedException as e:
            raise e.wrapped.with_traceback(e.__traceback__)

    def evaluate(self, data=utils.NO_VALUE, context=None):
        if context is None or context is utils.NO_VALUE:
            from vetro import yaql
            context = yaql.create_context()
        if data is not utils.NO_VALUE:
            if self.engine._convert_input:
                context._set_raw(data) if hasattr(context, '_set_raw') else context.__setitem__(
                    '$', utils.convert_input_data(data))
            else:
                context['$'] = data
        if self._tree is not None:
            native = context._native(self) if hasattr(context, '_native') else None
            if native is not None:
                try:
                    return native.evaluate(self, context)
                except _vetro.Foreign:
                    pass
        return self(utils.NO_VALUE, context, self.engine)


# ---- trees of the engine in C ----

(NULL, TRUE, FALSE, INT, FLOAT, STRING, WORD, VARIABLE, CALL, INVOKE, BINARY, UNARY, INDEX, LIST,
 MAP, MAPPING, PARENTHESES, NOTHING) = range(18)


def build(node, factory):
    """The tree of nested tuples: (kind, text, parts, from, to, place of the operator)."""
    if node is None or node[0] == NOTHING:
        return utils.NO_VALUE
    made = _BUILDERS[node[0]](node[1], [build(part, factory) for part in node[2]], factory)
    if isinstance(made, Expression):
        made.position = node[3], node[4]
    return made


def _alias(factory, symbol, kinds):
    for record in factory.operators:
        if record and record[0] == symbol and record[1] in kinds:
            return record[2] if len(record) > 2 else None
    return None


def _binary(text, parts, factory):
    return BinaryOperator(text, parts[0], parts[1], _alias(
        factory, text, ('BINARY_LEFT_ASSOCIATIVE', 'BINARY_RIGHT_ASSOCIATIVE')))


def _unary(text, parts, factory):
    return UnaryOperator(text, parts[0], _alias(factory, text, ('PREFIX_UNARY', 'SUFFIX_UNARY')))


_BUILDERS = {
    NULL: lambda text, parts, f: Constant(None),
    TRUE: lambda text, parts, f: Constant(True),
    FALSE: lambda text, parts, f: Constant(False),
    INT: lambda text, parts, f: Constant(int(text)),
    FLOAT: lambda text, parts, f: Constant(float(text)),
    STRING: lambda text, parts, f: Constant(text),
    WORD: lambda text, parts, f: KeywordConstant(text),
    VARIABLE: lambda text, parts, f: GetContextValue(Constant('$' + text)),
    CALL: lambda text, parts, f: Function(text, *parts),
    INVOKE: lambda text, parts, f: Function('#call', *parts),
    BINARY: _binary,
    UNARY: _unary,
    INDEX: lambda text, parts, f: IndexExpression(*parts),
    LIST: lambda text, parts, f: ListExpression(*parts),
    MAP: lambda text, parts, f: MapExpression(*parts),
    MAPPING: lambda text, parts, f: MappingRuleExpression(*parts),
    PARENTHESES: lambda text, parts, f: Wrap(parts[0]),
}
