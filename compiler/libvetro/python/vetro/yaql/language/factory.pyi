from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from vetro.yaql.language import expressions

class _OperatorType(NamedTuple):
    PREFIX_UNARY: str
    SUFFIX_UNARY: str
    BINARY_LEFT_ASSOCIATIVE: str
    BINARY_RIGHT_ASSOCIATIVE: str
    NAME_VALUE_PAIR: str

OperatorType: _OperatorType

class YaqlOperators:
    operators: Dict[str, Tuple[int, int, str, Optional[str]]]
    name_value_op: Optional[str]
    def __init__(self, operators: Any, name_value_op: Optional[str] = ...) -> None: ...

class YaqlEngine:
    def __init__(self, lexer: Any, parser: Any, options: Optional[Mapping[str, Any]],
                 factory: "YaqlFactory") -> None: ...
    @property
    def lexer(self) -> Any: ...
    @property
    def parser(self) -> Any: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def factory(self) -> "YaqlFactory": ...
    def __call__(self, expression: str,
                 options: Optional[Mapping[str, Any]] = ...) -> expressions.Statement: ...
    def copy(self, options: Mapping[str, Any]) -> "YaqlEngine": ...

class YaqlFactory:
    @property
    def keyword_operator(self) -> Optional[str]: ...
    @property
    def allow_delegates(self) -> bool: ...
    operators: List[Tuple[Any, ...]]
    def __init__(self, keyword_operator: Optional[str] = ...,
                 allow_delegates: bool = ...) -> None: ...
    def insert_operator(self, existing_operator: Optional[str], existing_operator_binary: bool,
                        new_operator: str, new_operator_type: str, create_group: bool,
                        new_operator_alias: Optional[str] = ...) -> None: ...
    def create(self, options: Optional[Mapping[str, Any]] = ...) -> YaqlEngine: ...
