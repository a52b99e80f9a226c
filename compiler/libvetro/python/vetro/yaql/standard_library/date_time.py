"""The functions of the group datetime."""

from vetro.yaql import library


def register(context, *options):
    library.register_group(context, 'date_time')
