"""The functions of the group common."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'common')
