"""The functions of the group collections."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'collections')
