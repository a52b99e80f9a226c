#!/usr/bin/python3
"""agent.py BODIES [--vetro PATH | --record]: Bodies of execution plans through murano-agent's own runner.

BODIES has the bodies with lines of four dashes between them.  Each gets the same parameters, and scripts whose results
stand in for running them.  --record prints the plan, and one JSON line a body (t/data/plan-bodies); --vetro compares
with `vetro agent --batch` and prints what differs, which constructs vetro names as not simulated, and messages.
Needs Debian's murano-agent and its Python.
"""
import json
import subprocess
import sys

sys.path.insert(0, '/usr/lib/python3/dist-packages')
from muranoagent import bunch, exceptions, execution_plan_runner, script_runner

# in the order of their names: JSON in Perl comes so
PARAMETERS = {'f': 2.5, 'l': [3, 1, 2], 'n': 7, 'o': {'k': 1, 'm': [1, 'q']}, 's': 'one two  three', 't': True, 'w': 'a,b,,c',
              'x': 'X', 'z': None}
SCRIPTS = {'run': [{'exitCode': 0, 'stdout': ' hi \n', 'stderr': ''}, {'exitCode': 3, 'stdout': 'p', 'stderr': 'q\n'}],
           'a': [{'exitCode': 0, 'stdout': 'A', 'stderr': 'e'}] * 3}
USUAL = {'exitCode': 0, 'stdout': '', 'stderr': ''}


class ApplicationExecutor:
    """In the place of the one that starts a shell."""
    def __init__(self, name, info, files):
        self._name, self.calls = name, 0

    def __call__(self, *args, **kwargs):
        return self.execute_function(None, *args, **kwargs)

    def __getattr__(self, item):
        return script_runner.FunctionRunner(item, self)

    def execute_function(self, name, *args, **kwargs):
        return self.run(name, *args, **kwargs)

    def run(self, function, commandline='', input=None):
        lines.setdefault(self._name, []).append('{0}'.format(commandline))
        given = SCRIPTS.get(self._name, [])
        usual = self.calls >= len(given)
        raw = USUAL if usual else given[self.calls]
        self.__dict__['calls'] += 1
        result = {k: v if k == 'exitCode' or usual else v.strip() or None for k, v in raw.items()}
        if result['exitCode']:
            raise exceptions.CustomException(0, 'Script {0} returned error code'.format(self._name), result)
        return bunch.Bunch(result)


class Files:
    def __init__(self, plan):
        pass

    def clear(self):
        pass


script_runner.ScriptRunner = ApplicationExecutor
execution_plan_runner.fm.FilesManager = Files


def plan(body):
    script = {'Type': 'Application', 'Version': '1.0.0', 'EntryPoint': 'f', 'Files': [], 'Options': {}}
    return {'FormatVersion': '2.0.0', 'Version': '1.0.0', 'Name': 'case', 'Body': body, 'Parameters': PARAMETERS,
            'Files': {'f': {'Name': 'f', 'BodyType': 'Text', 'Body': ''}}, 'Scripts': {n: script for n in ('run', 'a', 'b')}}


def ask(body):
    global lines
    lines = {}
    try:
        with execution_plan_runner.ExecutionPlanRunner(bunch.Bunch(json.loads(json.dumps(plan(body))))) as r:
            result = r.run()
        try:
            out = {'ErrorCode': 0, 'Body': json.loads(json.dumps(result))}
        except (TypeError, ValueError):
            out = {'ErrorCode': None, 'Body': None}
    except Exception as e:
        own = isinstance(e, exceptions.AgentException)
        out = {'ErrorCode': e.error_code if own else 1,
               'Body': {'Message': str(e), 'AdditionalInfo': e.additional_data if own else None}}
    out['commandlines'] = lines
    return out


def main():
    bodies = open(sys.argv[1], encoding='utf-8').read().split('\n----\n')
    if '--record' in sys.argv:
        print(json.dumps({'plan': plan(''), 'scripts': SCRIPTS}))
        for b in bodies:
            print(json.dumps({'body': b, 'answer': ask(b)}))
        return
    vetro = sys.argv[sys.argv.index('--vetro') + 1]
    requests = ''.join(json.dumps({'plan': plan(b), 'scripts': SCRIPTS}) + '\n' for b in bodies)
    answers = subprocess.run([vetro, 'agent', '--batch'], input=requests, capture_output=True, text=True).stdout.splitlines()
    wrong = 0
    for b, line in zip(bodies, answers):
        want, got = ask(b), json.loads(line)
        if 'simulated agent cannot' in str(got['Body']):
            print('not simulated: %r: %s' % (b, got['Body']['Message']))
        elif any(want[k] != got[k] for k in ('ErrorCode', 'commandlines')) or want['ErrorCode'] != 1 and want['Body'] != got['Body']:
            wrong += 1
            print('differs: %r\n  want %s\n  got  %s' % (b, json.dumps(want), json.dumps(got)))
        elif want['Body'] != got['Body']:
            print('message: %r\n  want %s\n  got  %s' % (b, want['Body']['Message'], got['Body']['Message']))
    print('%d bodies, %d answers, %d differ' % (len(bodies), len(answers), wrong))


if __name__ == '__main__':
    main()
