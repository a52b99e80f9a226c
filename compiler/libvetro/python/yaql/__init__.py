"""Stands in for the package yaql: `import yaql` gives vetro.yaql, with all of its modules."""

import importlib
import os
import sys

_MODULES = ('cli', 'cli.cli_functions', 'cli.run', 'language', 'legacy', 'standard_library',
            'yaql_interface', 'yaqlization')
_LANGUAGE = ('contexts', 'conventions', 'exceptions', 'expressions', 'factory', 'lexer', 'parser',
             'runner', 'specs', 'utils', 'yaqltypes')
_LIBRARY = ('boolean', 'branching', 'collections', 'common', 'date_time', 'legacy', 'math',
            'queries', 'regex', 'strings', 'system', 'yaqlized')


def _stand_in():
    module = importlib.import_module('vetro.yaql')
    names = list(_MODULES)
    names += ['language.' + name for name in _LANGUAGE]
    names += ['standard_library.' + name for name in _LIBRARY]
    for name in names:
        sys.modules['yaql.' + name] = importlib.import_module('vetro.yaql.' + name)
    here = os.path.dirname(os.path.abspath(__file__))
    if here not in module.__path__:
        module.__path__.append(here)
    sys.modules['yaql'] = module


_stand_in()
