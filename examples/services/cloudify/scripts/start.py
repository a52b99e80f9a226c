from cloudify import ctx
from cloudify.state import ctx_parameters as inputs

ctx.logger.info('starting %s with %s', ctx.node.name, sorted(inputs))
ctx.instance.runtime_properties['state_of'] = {'pid': 17}
ctx.instance.update()
