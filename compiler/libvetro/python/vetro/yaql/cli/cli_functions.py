"""The prompt, and how results are printed."""

import json
import os
import sys

from vetro.yaql.language import exceptions
from vetro.yaql.language import utils

PROMPT = 'yaql> '


def _tokens(engine, text):
    lexer = engine.lexer.clone()
    lexer.input(text)
    return list(lexer)


def _statement(text, engine, show_tokens):
    try:
        if show_tokens:
            print('Tokens: ' + str(_tokens(engine, text)))
        statement = engine(text)
        if show_tokens:
            print('Expression: ' + str(statement))
        return statement
    except exceptions.YaqlParsingException as e:
        if e.position:
            print(' ' * (e.position + len(PROMPT)) + '^')
        print(e.message)
        return None


def _banner(context):
    from vetro import yaql
    print('Yet Another Query Language - command-line query tool')
    print('Version ' + yaql.__version__)
    if context.get_data('legacy', False):
        print('Running in a legacy (0.2.x compatible) mode')
    print()
    if not context['']:
        print('No data loaded into context ')
        print("Type '@load data-file.json' to load data")
        print()


def main(context, show_tokens, parser):
    try:
        import readline
        readline.parse_and_bind('')
    except ImportError:
        pass
    _banner(context)
    while True:
        try:
            line = input(PROMPT)
        except EOFError:
            return
        if line == 'exit':
            return
        if line.startswith('@'):
            command, _, argument = line.partition(' ')
            if command in SERVICE_FUNCTIONS:
                SERVICE_FUNCTIONS[command](argument, context)
            else:
                print('Unknown command ' + command)
            continue
        statement = _statement(line, parser, show_tokens) if line else None
        if statement is None:
            continue
        try:
            print_output(statement.evaluate(context=context), context)
        except Exception as e:
            print('Execution exception: %s' % e, file=sys.stderr)


def load_data(data_file, context):
    try:
        with open(os.path.expanduser(data_file), encoding='utf-8') as f:
            text = f.read()
    except OSError as e:
        print("Unable to read data file '%s': %s" % (data_file, e.strerror))
        return
    try:
        data = json.loads(text)
    except ValueError as e:
        print('Unable to parse data: %s' % e)
        return
    context['$'] = utils.convert_input_data(data)
    print('Data from file %s loaded into context' % data_file)


SERVICE_FUNCTIONS = {'@load': load_data}


def evaluate(expr, parser, data, context):
    try:
        print_output(parser(expr).evaluate(data, context), context)
    except Exception as e:
        print('Execution exception: %s' % e, file=sys.stderr)
        sys.exit(1)


def print_output(value, context):
    if context['#nativeOutput']:
        print(value)
    else:
        print(json.dumps(value, indent=4, ensure_ascii=False))
