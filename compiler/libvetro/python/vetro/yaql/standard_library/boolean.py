"""The functions of the group boolean."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'boolean')
