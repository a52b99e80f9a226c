"""The functions of the group branching."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'branching')
