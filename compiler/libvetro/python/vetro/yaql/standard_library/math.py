"""The functions of the group math."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'math')
