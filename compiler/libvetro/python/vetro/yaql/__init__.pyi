from typing import Any, Callable, Optional

from vetro.yaql.language import (contexts, conventions, exceptions, expressions, factory, runner,
                                 specs, utils, yaqltypes)

__version__: str
YaqlFactory = factory.YaqlFactory

def detect_version() -> str: ...

def create_context(data: Any = ..., context: Optional[contexts.ContextBase] = ...,
                   system: bool = ..., common: bool = ..., boolean: bool = ...,
                   strings: bool = ..., math: bool = ..., collections: bool = ...,
                   queries: bool = ..., regex: bool = ..., branching: bool = ...,
                   no_sets: bool = ..., finalizer: Optional[Callable[..., Any]] = ...,
                   delegates: bool = ...,
                   convention: Optional[conventions.Convention] = ..., datetime: bool = ...,
                   yaqlized: bool = ...,
                   group_by_agg_fallback: bool = ...) -> contexts.ContextBase: ...

def eval(expression: str, data: Any = ...) -> Any: ...
