"""The functions of the group regex."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'regex')
