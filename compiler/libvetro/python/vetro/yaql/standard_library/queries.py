"""The functions of the group queries."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'queries')
