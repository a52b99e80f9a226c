"""vetro: YAQL in machine code.  vetro.yaql has the interface of the package yaql."""

from vetro import _vetro

__version__ = _vetro.version
