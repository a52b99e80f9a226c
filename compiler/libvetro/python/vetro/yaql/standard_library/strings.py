"""The functions of the group strings."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'strings')
