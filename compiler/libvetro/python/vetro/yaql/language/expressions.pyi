from typing import Any, Optional, Tuple

from vetro.yaql.language import contexts, factory

class Expression:
    uses_receiver: bool
    def __call__(self, receiver: Any, context: contexts.ContextBase,
                 engine: factory.YaqlEngine) -> Any: ...

class Function(Expression):
    name: str
    args: Tuple[Any, ...]
    def __init__(self, name: str, *args: Any) -> None: ...

class BinaryOperator(Function):
    operator: str
    def __init__(self, op: str, obj1: Any, obj2: Any, alias: Optional[str]) -> None: ...

class UnaryOperator(Function):
    operator: str
    def __init__(self, op: str, obj: Any, alias: Optional[str]) -> None: ...

class IndexExpression(Function):
    def __init__(self, value: Any, *args: Any) -> None: ...

class ListExpression(Function):
    def __init__(self, *args: Any) -> None: ...

class MapExpression(Function):
    def __init__(self, *args: Any) -> None: ...

class GetContextValue(Function):
    path: Any
    def __init__(self, path: Any) -> None: ...

class Constant(Expression):
    value: Any
    def __init__(self, value: Any) -> None: ...

class KeywordConstant(Constant): ...

class Wrap(Expression):
    expr: Any
    def __init__(self, expression: Any) -> None: ...

class MappingRuleExpression(Expression):
    source: Any
    destination: Any
    def __init__(self, source: Any, destination: Any) -> None: ...

class Statement(Function):
    engine: factory.YaqlEngine
    @property
    def args(self) -> Tuple[Any, ...]: ...  # type: ignore[override]
    @property
    def expression(self) -> Any: ...
    def __init__(self, expression: Any, engine: factory.YaqlEngine, text: Optional[str] = ...,
                 tree: Any = ...) -> None: ...
    def evaluate(self, data: Any = ..., context: Optional[contexts.ContextBase] = ...) -> Any: ...

def build(node: Any, factory: Any) -> Any: ...
