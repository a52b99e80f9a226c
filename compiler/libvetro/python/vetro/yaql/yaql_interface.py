"""Functions and expressions of YAQL for Python functions that YAQL calls."""

from vetro.yaql.language import utils


class YaqlInterface(object):
    def __init__(self, context, engine, receiver=utils.NO_VALUE):
        self.__context, self.__engine, self.__sender = context, engine, receiver

    @property
    def context(self):
        return self.__context

    @property
    def engine(self):
        return self.__engine

    @property
    def sender(self):
        return self.__sender

    def on(self, receiver):
        return YaqlInterface(self.context, self.engine, receiver)

    def __converted(self, result):
        return utils.convert_output_data(
            result, self.context('#iter', self.engine), self.engine)

    def __getattr__(self, item):
        def stub(*args, **kwargs):
            return self.__converted(self.context(item, self.engine, self.sender)(
                *utils.convert_input_data(args), **utils.convert_input_data(kwargs)))
        return stub

    def __call__(self, __expression, *args, **kwargs):
        context = self.context.create_child_context()
        for i, value in enumerate(utils.convert_input_data(args), 1):
            context['$%d' % i] = value
        for name, value in utils.convert_input_data(kwargs).items():
            context['$' + name] = value
        return self.__converted(self.engine(__expression).evaluate(context=context))

    def __getitem__(self, item):
        return self.context[item]

    def __setitem__(self, key, value):
        self.context[key] = value
