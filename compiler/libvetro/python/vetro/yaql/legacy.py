"""YAQL 0.2: its grammar and its functions."""

from vetro import yaql
from vetro.yaql.language import factory
from vetro.yaql.standard_library import legacy as std_legacy


class YaqlFactory(factory.YaqlFactory):
    def __init__(self, allow_delegates=False):
        super().__init__(keyword_operator=None, allow_delegates=allow_delegates)
        self.insert_operator(
            'or', True, '=>', factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, True)

    def create(self, options=None):
        options = dict(options or {})
        options['yaql.convertTuplesToLists'] = False
        options['yaql.iterableDicts'] = True
        return super().create(options)


def create_context(*args, **kwargs):
    tuples = kwargs.pop('tuples', True)
    context = yaql.create_context(*args, **kwargs).create_child_context()
    std_legacy.register(context, tuples)
    return context
