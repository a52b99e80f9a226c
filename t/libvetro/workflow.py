"""Mistral's engine and executor in one process, with SQLite and the transport of oslo.messaging that is made for tests: a
workbook from its text to its result.  The argument is a file for the database."""

import eventlet
eventlet.monkey_patch()

import json
import os
import sys

from oslo_config import cfg
import oslo_messaging
from oslo_messaging import transport

from mistral import config
import mistral.db.sqlalchemy.base

CONF = cfg.CONF
oslo_messaging.set_transport_defaults('mistral')
CONF.register_opts(transport._transport_opts)
CONF([], project='mistral', default_config_files=[])
CONF.set_default('connection', 'sqlite:///' + sys.argv[1], group='database')
CONF.set_default('transport_url', 'fake:/')
CONF.set_default('auth_enable', False, group='pecan')

from mistral import context
from mistral.db.v2 import api as db_api
from mistral.engine import engine_server
from mistral.executors import executor_server
from mistral.rpc import clients as rpc
from mistral.services import workbooks
from mistral.workflow import states
import yaql

BOOK = """
version: '2.0'
name: shop
workflows:
  order:
    input: [items, {tax: 0.2}]
    output:
      total: <% $.total %>
      lines: <% $.lines %>
      who: <% env().who %>
    tasks:
      price:
        with-items: i in <% $.items %>
        action: std.echo output=<% $.i.price * $.i.count %>
        publish:
          prices: <% task().result %>
          lines: <% $.items.select(format('{0} x {1}', $.count, $.name)) %>
        on-success:
          - sum: <% $.prices.len() = $.items.len() %>
      sum:
        action: std.echo output=<% $.prices.sum() * (1 + $.tax) %>
        publish: {total: <% task(sum).result %>}
        on-success: check
      check:
        workflow: verdict total=<% $.total %>
        publish: {verdict: <% task().result.verdict %>}
  verdict:
    input: [total]
    output: {verdict: <% $.v %>}
    tasks:
      say:
        action: std.echo output=<% switch($.total > 100 => large, true => small) %>
        publish: {v: <% task().result %>}
"""
ITEMS = [{'name': 'tea', 'price': 4, 'count': 10}, {'name': 'pot', 'price': 30, 'count': 2}]


def wait(execution):
    for _ in range(300):
        eventlet.sleep(0.2)
        with db_api.transaction():
            found = db_api.get_workflow_execution(execution['id'])
            if states.is_completed(found.state):
                break


db_api.setup_db()
context.set_ctx(context.MistralContext.from_dict({'user': '1', 'project_id': 'p', 'auth_token': 'x', 'is_admin': True}))
servers = [eventlet.spawn(module.get_oslo_service().start) for module in (engine_server, executor_server)]
eventlet.sleep(1)
workbooks.create_workbook_v2(BOOK)
wait(rpc.get_engine_client().start_workflow('shop.order', '', None, {'items': ITEMS}, env={'who': 'me'}))
with db_api.transaction():
    for e in sorted(db_api.get_workflow_executions(), key=lambda e: e.name):
        print('%s %s %s' % (e.name, e.state, json.dumps(e.output, sort_keys=True)))
print('yaql from', os.path.dirname(yaql.__file__))
sys.stdout.flush()
os._exit(0)
