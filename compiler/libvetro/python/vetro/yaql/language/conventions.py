"""How names of Python functions become names of YAQL functions."""

import abc
import re


class Convention(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def convert_function_name(self, name):
        pass

    @abc.abstractmethod
    def convert_parameter_name(self, name):
        pass


class PythonConvention(Convention):
    def convert_function_name(self, name):
        return name

    def convert_parameter_name(self, name):
        return name


class CamelCaseConvention(Convention):
    _word = re.compile(r'(?!^)_(\w)', flags=re.UNICODE)

    def convert_function_name(self, name):
        return self._convert(name)

    def convert_parameter_name(self, name):
        return self._convert(name)

    def _convert(self, name):
        return self._word.sub(lambda found: found.group(1).upper(), name)
