"""python3 -m vetro.yaql: the command line."""

from vetro.yaql.cli import run

run.main()
