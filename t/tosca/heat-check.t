#!/usr/bin/perl
# vetro check of Heat's templates says what Heat says: when a template is read, when it is validated, and when a stack is made.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $n = 0;

# The status and what is said of a template; $text begins with its version or does without.
sub check {
	my ($text, @more) = @_;
	my $file = "$W/t" . ++$n . '.yaml';
	spew($file, $text =~ /^heat_template_version/m ? $text : "heat_template_version: 2018-08-31\n$text");
	my ($rc, $out, $err) = vetro('check', @more, $file);
	return ($rc, $err . $out);
}
sub accepts { my ($text, $title, @more) = @_; my ($rc, $said) = check($text, @more); ok($rc == 0 && $said !~ /warning/, $title) or print "# $said\n"; }
sub warns { my ($text, $want, $title, @more) = @_; my ($rc, $said) = check($text, @more); is($rc, 0, "$title: status"); like($said, $want, $title); }
sub refuses {
	my ($text, $want, $title, @more) = @_;
	my ($rc, $said) = check($text, @more);
	is($rc, 1, "$title: status");
	like($said, $want, $title);
	my @errors = $said =~ /error\[/g;
	is(scalar @errors, 1, "$title: one message") or print "# $said\n";
}
sub value { my ($e) = @_; return "resources: { v: { type: OS::Heat::Value, properties: { value: $e } } }\n"; }
my $none = "resources: { a: { type: OS::Heat::None } }\n";

# ---- versions ----
accepts("heat_template_version: $_\n$none", "version $_") for '2013-05-23', "'2013-05-23'", 'newton', 'wallaby', '2021-04-16';
refuses("heat_template_version: 2019-01-01\n$none", qr/E2001\].*there is no heat_template_version '2019-01-01'.*there are 2013-05-23/s,
	'a version that there is not');
refuses("heat_template_version:\n$none", qr/E2001\]/, 'an empty version');
refuses("heat_template_version: 2016-04-08\nconditions: { c: true }\n$none", qr/E2002\].*'conditions' in this version.*hint: it came with .*newton/s,
	'a section of later');
refuses("heat_template_version: 2015-10-15\nresources: { a: { type: OS::Heat::None, external_id: x } }\n", qr/E2002\].*'external_id' in this version/,
	'a key of later');
refuses("heat_template_version: 2016-10-14\nparameters: { x: { type: number, default: 4, constraints: [ { modulo: { step: 2, offset: 0 } } ] } }\n$none",
	qr/E2042\].*modulo came with/, 'a constraint of later');

# ---- sections ----
accepts("$_:\n$none", "$_ may be empty") for qw(parameters outputs conditions description);
accepts("description: nothing\n", 'no resources');
refuses("resources: [ { type: OS::Heat::None } ]\n", qr/E2004\].*resources must be a map/, 'resources as a list');
refuses("reources: {}\n", qr/E2002\].*'reources'.*did you mean 'resources'/s, 'an unknown section');
refuses("resources: { a: }\n", qr/E2003\].*'a' needs a type/, 'a resource that is empty');
refuses("resources: { 1: { type: OS::Heat::None } }\n", qr/E2004\].*name of a resource is a string/, 'a number as a name');
refuses("resources: { a: { type: OS::Heat::None, propertys: {} } }\n", qr/E2002\].*did you mean 'properties'/s, 'an unknown key');
refuses("resources: { a: { type: OS::Heat::RandomString, properties: } }\n", qr/E2004\].*properties must be a map/, 'properties that are empty');
refuses("resources: { a: { type: OS::Heat::None, metadata: x } }\n", qr/E2004\].*metadata must be a map/, 'metadata that are a text');
refuses("resources: { a: { type: OS::Heat::None, deletion_policy: Keep } }\n", qr/E2005\].*no deletion_policy 'Keep'.*Delete, Retain and Snapshot/s,
	'a policy');
refuses("heat_template_version: 2015-10-15\nresources: { a: { type: OS::Heat::None, deletion_policy: retain } }\n", qr/E2005\].*capital/s,
	'a policy in small letters');
refuses("parameters: { a: { type: string, default: x } }\nresources: { a: { type: OS::Heat::None } }\n", qr/E2009\].*parameter and a resource/, 'one name
	for two');

# ---- types of resources ----
refuses("resources: { a: { type: OS::Nova::Servr } }\n", qr/E2020\].*OS::Nova::Servr.*did you mean 'OS::Nova::Server'/s, 'a type that there is not');
warns("resources: { a: { type: OS::Contrail::Thing, properties: { any: 1 } } }\noutputs: { o: { value: { get_attr: [ a, x ] } } }\n",
	qr/W2031\].*OS::Contrail::Thing/, 'a type of a plugin');
warns("resources: { a: { type: OS::Neutron::RouterGateway, properties: { router_id: r } } }\n", qr/W2032\].*OS::Neutron::RouterGateway is HIDDEN/,
	'a hidden type');
warns("resources: { a: { type: OS::Quantum::Net } }\n", qr/^(?!.*error)/s, 'a name of once');

# ---- properties ----
refuses("resources: { a: { type: OS::Heat::RandomString, properties: { lenght: 3 } } }\n", qr/E2050\].*no property 'lenght'.*did you mean 'length'/s,
	'an unknown property');
refuses("resources: { a: { type: OS::Nova::KeyPair } }\n", qr/E2051\].*OS::Nova::KeyPair needs the property 'name'/, 'a missing property');
accepts("resources: { a: { type: OS::Heat::RandomString, properties: { length: $_ } } }\n", "a length of $_") for 8, '"8"', 'null';
refuses("resources: { a: { type: OS::Heat::RandomString, properties: { length: $_->[0] } } }\n", $_->[1], "a length of $_->[0]")
	for ['many', qr/E2040\].*length must be an integer, not 'many'/], [0, qr/E2041\].*length: 0 is below 1/], [513, qr/E2041\].*above 512/], ['[ 1 ]',
	qr/E2040\].*not a list/];
refuses("resources: { a: { type: OS::Nova::KeyPair, properties: { name: $_->[0] } } }\n", $_->[1], "a name of $_->[0]")
	for ['{ a: b }', qr/E2040\].*must be a string, not a map/], ['[ a ]', qr/E2040\].*not a list/], ['1.5', qr/E2040\].*must be a string/],
	['null', qr/E2041\].*the length 0 is below 1/];
accepts("resources: { a: { type: OS::Nova::KeyPair, properties: { name: $_ } } }\n", "a name of $_")
	for 5, 'true', '2024-01-31', '{ get_param: "OS::stack_name" }';
refuses("resources: { a: { type: OS::Nova::KeyPair, properties: { name: a, save_private_key: $_ } } }\n",
	qr/E2040\].*must be true or false/, "a boolean of $_")
	for '"yes"', '1', '[]';
accepts("resources: { a: { type: OS::Nova::KeyPair, properties: { name: a, save_private_key: $_ } } }\n", "a boolean of $_") for 'yes', '"True"', 'false';
my $subnet = 'type: OS::Neutron::Subnet, properties: { network: { get_resource: n }, cidr: 10.0.0.0/24';
my $net = 'n: { type: OS::Neutron::Net }';
refuses("resources: { $net, a: { $subnet, dns_nameservers: '8.8.8.8' } } }\n", qr/E2040\].*dns_nameservers must be a list/, 'a text for a list');
refuses("resources: { $net, a: { $subnet, ip_version: 5 } } }\n", qr/E2041\].*ip_version: '5' is not one of: 4, 6/, 'a value that is not allowed');
refuses("resources: { $net, a: { type: OS::Neutron::Subnet, properties: { network: { get_resource: n }, cidr: 10.0.0.0/40 } } }\n",
	qr/E2041\].*'10.0.0.0\/40' is no network like/, 'a network that is none');
accepts("resources: { $net, a: { type: OS::Neutron::Subnet, properties: { network: { get_resource: n }, cidr: 10.0.0.0/24 } } }\n",
	'a network by its reference');
warns("resources: { $net, a: { type: OS::Neutron::Subnet, properties: { network_id: { get_resource: n }, cidr: 10.0.0.0/24 } } }\n",
	qr/W2032\].*network_id is HIDDEN/, 'a hidden property stands for the one of today');
warns("resources: { a: { type: OS::Nova::Server, properties: { flavor: m1.small, image: cirros, networks: [ { network: x } ] } } }\n",
	qr/W2035\].*a flavor 'm1.small', an image 'cirros', a network 'x'/, 'what only the cloud knows');
refuses("resources: { a: { type: OS::Nova::Server, properties: { flavor: { get_param: OS::stack_name }, networks: [ { netwrk: x } ] } } }\n",
	qr/E2050\].*networks\[0\] has no key 'netwrk'.*did you mean 'network'/s, 'a key deep inside');
accepts("heat_template_version: newton\nresources: { a: { type: OS::Nova::Server, external_id: 123, properties: { name: x } } }\n",
	'what stands outside needs nothing');
warns("parameters: { p: { type: string } }\nresources: { a: { type: OS::Heat::RandomString, properties: { length: many } } }\n",
	qr/warning\[E2040\].*when a stack is made/, 'where a parameter is missing nothing can be made yet');
accepts("resources: { a: { type: OS::Heat::ResourceGroup, properties: { count: 2, resource_def: { type: OS::Heat::RandomString, "
	. "properties: { length: '%index%' } } } } }\n", 'an index in a group');
refuses("resources: { a: { type: OS::Heat::ResourceGroup, properties: { resource_def: { type: OS::Heat::RandmString } } } }\n", qr/E2020\]/,
	'a type of members');
refuses("resources: { a: { type: OS::Heat::ResourceGroup, properties: { resource_def: { type: OS::Heat::RandomString, properties: { lenght: 1 } } } } }\n",
	qr/E2050\].*'lenght'/, 'a property of members');
refuses("resources: { a: { type: OS::Heat::ResourceGroup, update_policy: { rolling_updat: {} }, "
	. "properties: { resource_def: { type: OS::Heat::None } } } }\n",
	qr/E2050\].*no update_policy 'rolling_updat'/, 'an update policy');

# ---- references ----
refuses(value('{ get_resource: nope }'), qr/E2020\].*no resource 'nope'/, 'get_resource of nothing');
refuses(value('{ get_attr: [ nope, value ] }'), qr/E2020\]/, 'get_attr of nothing');
refuses("resources: { a: { type: OS::Heat::RandomString } }\noutputs: { o: { value: { get_attr: [ a, nope ] } } }\n", qr/E2050\].*no attribute 'nope'/,
	'an attribute that there is not');
accepts("resources: { a: { type: OS::Heat::RandomString } }\noutputs: { o: { value: { get_attr: [ a, value, deep, 3 ] } } }\n",
	'a path behind an attribute is not looked at');
accepts("resources: { a: { type: OS::Heat::ResourceGroup, properties: { resource_def: { type: OS::Heat::RandomString } } } }\n"
	. "outputs: { o: { value: { get_attr: [ a, anything ] } } }\n",
	'attributes of groups are open');
accepts("resources: { a: { type: OS::Heat::RandomString } }\noutputs: { o: { value: { get_attr: [ a ] } } }\n", 'all attributes');
refuses("heat_template_version: 2014-10-16\nresources: { a: { type: OS::Heat::RandomString } }\noutputs: { o: { value: { get_attr: [ a ] } } }\n",
	qr/E2070\]/, 'all attributes, before they could be asked for');
refuses("resources: { a: { type: OS::Heat::None, depends_on: { get_param: x } } }\n", qr/E2004\].*depends_on/, 'depends_on as a function');
refuses("resources: { a: { type: OS::Heat::None, depends_on: b } }\n", qr/E2020\].*no resource 'b'/, 'depends_on nothing');
refuses("resources: { a: { type: OS::Heat::None, depends_on: a } }\n", qr/E2072\].*'a' waits for itself/, 'itself');
refuses("resources: { a: { type: OS::Heat::Value, properties: { value: { get_attr: [ b, value ] } } }, "
	. "b: { type: OS::Heat::Value, properties: { value: { get_resource: c } } }, c: { type: OS::Heat::None, depends_on: [ a ] } }\n",
	qr/E2072\].*'a', 'b', 'c'/, 'a ring of three');
accepts('resources: {' . join(', ', map { "r$_: { type: OS::Heat::None, depends_on: r" . ($_ + 1) . ' }' } 0 .. 3000)
	. ", r3001: { type: OS::Heat::None } }\n", 'a chain of 3,000');
refuses(value('{ get_param: nope }'), qr/E2050\].*no parameter 'nope'/, 'a parameter that is not declared');
refuses(value("{ get_param: $_ }"), qr/E2070\].*takes the name of a parameter/, "get_param: $_") for '', 3;

# ---- conditions ----
my $when = "parameters: { e: { type: string, default: prod } }\nconditions: { prod: { equals: [ { get_param: e }, prod ] }, never: { not: prod } }\n";
accepts("${when}resources: { a: { type: OS::Heat::None, condition: prod } }\noutputs: { o: { value: 1, condition: { and: [ prod, { not: never } ] } } }\n",
	'conditions');
refuses("${when}resources: { a: { type: OS::Heat::None, condition: nope } }\n", qr/E2020\].*no condition 'nope'/, 'no such condition');
refuses("${when}outputs: { o: { value: { if: [ prd, 1, 2 ] } } }\n", qr/E2020\].*did you mean 'prod'/s, 'a near one');
refuses("conditions: { c: { not: d }, d: { not: c } }\n", qr/E2072\].*depends on itself/, 'a ring of conditions');
refuses("conditions: { c: 'yes' }\n", qr/E2004\].*a condition is true, false/, 'a condition that is a text');
refuses("conditions: { c: { equals: [ a ] } }\n", qr/E2070\].*equals takes/, 'equals of one');
refuses("conditions: { c: { not: } }\n", qr/E2070\].*not takes a condition/, 'not of nothing');
refuses("conditions: { c: { equals: [ { get_attr: [ a, value ] }, a ] } }\nresources: { a: { type: OS::Heat::RandomString } }\n",
	qr/E2071\].*cannot call get_attr/, 'what conditions cannot call');
refuses("${when}resources: { a: { type: OS::Heat::RandomString, condition: never } }\noutputs: { o: { value: { get_attr: [ a, value ] } } }\n",
	qr/E2020\].*its condition is false/, 'a resource that is not there');
accepts("${when}resources: { a: { type: OS::Heat::RandomString, condition: never }, b: { type: OS::Heat::None, depends_on: a } }\n", 'nobody waits
	for what is not there');
accepts("${when}resources: { a: { type: OS::Heat::RandomString, condition: prod } }\n"
	. "outputs: { o: { value: { if: [ prod, { get_attr: [ a, value ] }, x ] } } }\n", 'a reference under its condition');
warns("${when}resources: { a: { type: OS::Heat::RandomString, condition: never, properties: { lenght: 3 } } }\n", qr/warning\[E2050\].*not taken/,
	'what is not there is looked at all the same');
warns("${when}outputs: { o: { value: { if: [ never, { get_resource: nope }, x ] } } }\n", qr/warning\[E2020\].*not taken/,
	'so is a branch that is not taken');
warns("parameters: { e: { type: string } }\nconditions: { c: { equals: [ { get_param: e }, x ] } }\n"
	. "resources: { a: { type: OS::Heat::RandomString, condition: c } }\noutputs: { o: { value: { get_attr: [ a, value ] } } }\n",
	qr/W2034\].*only under its condition/, 'a condition that nobody knows');
refuses("${when}outputs: { o: { value: { if: [ prod, a ] } } }\n", qr/E2070\].*if takes.*wallaby/, 'if of two');
accepts("heat_template_version: wallaby\n${when}outputs: { o: { value: [ { if: [ never, a ] } ] } }\n", 'if of two in wallaby');

# ---- functions ----
refuses(value($_->[0]), $_->[1], $_->[0]) for
	['{ list_join: ",a" }', qr/E2070\].*list_join takes/], ['{ list_join: [ ",", [ 1 ] ] }', qr/E2070\].*not an integer/],
	['{ list_join: [ ",", { x: 1 } ] }', qr/E2070\]/],
	['{ str_replace: { template: "a X" } }', qr/E2070\].*str_replace takes/], ['{ str_replace: { template: 5, params: { X: 1 } } }', qr/E2070\]/],
	['{ str_replace: { template: a, params: [] } }', qr/E2070\].*params is a map/], ['{ str_replace_strict: { template: a, params: { X: b } } }',
	qr/E2070\].*does not use 'X'/],
	['{ str_replace_vstrict: { template: X, params: { X: "" } } }', qr/E2070\].*'X' is empty/], ['{ repeat: { template: x } }',
	qr/E2070\].*repeat takes/],
	['{ digest: [ nope, x ] }', qr/E2070\].*unknown algorithm/], ['{ digest: [ md5 ] }', qr/E2070\].*digest takes/],
	['{ str_split: [ ",", "a,b", 7 ] }', qr/E2070\].*no piece 7/],
	['{ map_replace: [ { a: 1, b: 2 }, { keys: { a: b } } ] }', qr/E2070\].*must be strings that differ/], ['{ map_merge: [ 5 ] }',
	qr/E2070\].*takes maps/],
	['{ make_url: { scheme: http, host: h, port: 99999 } }', qr/E2070\].*between 1 and 65535/], ['{ yaql: { expression: "$.data.(", data: [ 1 ] } }',
	qr/E2070\].*not YAQL/],
	['{ yaql: { data: [ 1 ] } }', qr/E2070\].*yaql takes/], ['{ resource_facade: size }', qr/E2070\].*metadata, deletion_policy/],
	['{ filter: [ a ] }', qr/E2070\].*filter takes/],
	['{ Ref: v }', qr/E2071\].*Ref went with/], ['{ "Fn::Join": [ ",", [ a ] ] }', qr/E2071\]/];
accepts(value($_), $_)
	for '{ list_join: [ ",", [ a, null, { x: 1 } ], [ b ] ] }', '{ map_merge: [ { a: 1 }, null ] }', '{ str_replace: { template: a, params: { X: b } } }',
	'{ get_param: OS::stack_id }', '{ yaql: { expression: "$.data.len()", data: [ 1 ] } }', '{ make_url: { scheme: http, host: "::1", port: 80 } }',
	'{ get_param: x, other: 1 }',
	'{ contains: [ a, [ a ] ] }', '{ repeat: { template: "%i%", for_each: { "%i%": { a: 1 } } } }';
refuses("heat_template_version: 2014-10-16\n" . value('{ list_join: [ ",", [ a ], [ b ] ] }'), qr/E2070\].*from 2015-10-15 on/, 'two lists, too early');
refuses("heat_template_version: 2016-04-08\n" . value('{ repeat: { template: "%i%", for_each: { "%i%": { x: 1 } } } }'), qr/E2070\].*lists only/,
	'a map, too early');
accepts("heat_template_version: 2013-05-23\n" . value('{ "Fn::Join": [ ",", [ a ] ] }'), 'Fn::Join in the first version');
warns("heat_template_version: 2013-05-23\n" . value('{ repeat: { template: x } }'), qr/W2033\].*'repeat' is no function in this version.*2015-04-30/s,
	'a function of later is a map');
warns(value('{ get_parm: x }'), qr/W2033\].*did you mean 'get_param'/s, 'a name that is nearly one');
warns(value('{ and: [ true, true ] }'), qr/W2033\].*in conditions only/, 'a function of conditions');
refuses("resources: { a: { type: OS::Nova::KeyPair, properties: { name: { get_resorce: x } } } }\n", qr/E2040\]/, 'a map where a text is wanted');

# Outputs are worked out when somebody asks for them.
warns("outputs: { o: { value: { digest: [ nope, x ] } } }\n", qr/warning\[E2070\].*when a stack is made/, 'a function that fails in an output');
warns("outputs: { o: { value: { get_resource: nope } } }\n", qr/warning\[E2020\]/, 'get_resource of nothing in an output');
refuses(value('{ make_url: { prot: http } }'), qr/E2002\].*no key 'prot'/, 'an unknown part of a URL');
refuses(value('{ yaql: { expression: "$", data: 1, more: 2 } }'), qr/E2002\].*no key 'more'/, 'an unknown key of yaql');
warns("parameters: { p: { type: string } }\n" . value('{ map_merge: x }'), qr/warning\[E2070\]/, 'shapes that Heat looks at when it makes a stack');
refuses(value('{ map_replace: [ { a: 1 }, { kyes: {} } ] }'), qr/E2070\].*keys, values/, 'map_replace with another key');

# ---- parameters ----
refuses("parameters: { x: $_->[0] }\n", $_->[1], "a parameter $_->[0]") for ['{ default: 1 }', qr/E2003\].*needs a type/], ['{ type: int }',
	qr/E2020\].*no type 'int'.*there are string/s],
	['{ type: number, default: abc }', qr/E2040\].*is no number/], ['{ type: boolean, default: maybe }', qr/E2040\]/], ['{ type: json, default: abc }',
	qr/E2040\]/],
	['{ type: string, default: abc, constraints: [ { length: { max: 2 } } ] }', qr/E2041\].*the length 3 is above 2/],
	['{ type: string, constraints: [ { range: { min: 1 } } ] }', qr/E2042\].*range makes no sense/],
	['{ type: string, constraints: { length: { max: 3 } } }', qr/E2042\].*must be a list/],
	['{ type: string, constraints: [ { lenght: { max: 3 } } ] }', qr/E2042\].*did you mean 'length'/s],
	['{ type: number, default: 5, constraints: [ { modulo: { step: 2, offset: 0 } } ] }', qr/E2041\]/],
	['{ type: string, defualt: x }', qr/E2002\].*did you mean 'default'/s],
	['{ type: string, default: b, constraints: [ { allowed_values: [ a ] } ] }', qr/E2041\].*not one of: a/],
	['{ type: string, default: b, constraints: [ { allowed_pattern: "[0-9]+" } ] }', qr/E2041\].*pattern/];
accepts("parameters: { x: $_ }\n", "a parameter $_")
	for '{ type: boolean, default: "yes" }', '{ type: comma_delimited_list, default: "a,b" }', '{ type: number, default: null }',
	'{ type: string, default: a, constraints: [ { allowed_values: [ a ], description: one } ] }',
	'{ type: json, default: { a: 1 }, hidden: true, tags: [ t ] }';
refuses("parameter_groups: { label: g }\n", qr/E2004\].*must be a list/, 'groups as a map');
refuses("parameter_groups: [ { label: g, parameters: [ nope ] } ]\n", qr/E2050\].*no parameter 'nope'/, 'a group of nothing');
refuses("parameters: { x: { type: string } }\nparameter_groups: [ { parameters: [ x ] }, { parameters: [ x ] } ]\n", qr/E2009\].*in a group already/,
	'twice in groups');

# ---- nested templates, environments ----
spew("$W/part.yaml", "heat_template_version: 2018-08-31\nparameters: { size: { type: number } }\n"
	. "resources: { s: { type: OS::Heat::RandomString, properties: { length: { get_param: size } } } }\n"
	. "outputs: { name: { value: { get_attr: [ s, value ] } } }\n");
spew("$W/broken.yaml", "heat_template_version: 2018-08-31\nresources: { s: { type: OS::Heat::RandomString, properties: { lenght: 1 } } }\n");
spew("$W/loop.yaml", "heat_template_version: 2018-08-31\nresources: { s: { type: loop.yaml } }\n");
accepts("resources: { a: { type: part.yaml, properties: { size: 3 } } }\noutputs: { o: { value: { get_attr: [ a, name ] } } }\n", 'a nested template');
refuses("resources: { a: { type: absent.yaml } }\n", qr/E2010\].*no template 'absent.yaml'.*looked for/s, 'one that is not there');
refuses("resources: { a: { type: part.yaml, properties: { size: 3, sizes: 3 } } }\n", qr/E2050\].*part.yaml has no property 'sizes'/,
	'its properties are its parameters');
refuses("resources: { a: { type: part.yaml } }\n", qr/E2051\].*part.yaml needs the property 'size'/, 'those without a default are required');
refuses("resources: { a: { type: part.yaml, properties: { size: abc } } }\n", qr/E2040\].*size must be a number/, 'they have types');
refuses("resources: { a: { type: part.yaml, properties: { size: 3 } } }\noutputs: { o: { value: { get_attr: [ a, nme ] } } }\n",
	qr/E2050\].*no output 'nme'.*did you mean 'name'/s, 'its attributes are its outputs');
warns("resources: { a: { type: broken.yaml }, b: { type: broken.yaml } }\n",
	qr/broken.yaml:2:\d+: warning\[E2050\].*in a nested template(?!.*broken.yaml:)/s, 'a mistake in it is told once, at its place');
accepts("resources: { a: { type: loop.yaml } }\n", 'one that nests itself ends');
spew("$W/env.yaml", "resource_registry: { 'My::*': part.yaml, 'Other::Size': OS::Heat::RandomString }\nparameters: { p: 5 }\n");
accepts("parameters: { p: { type: number } }\n"
	. "resources: { a: { type: My::Size, properties: { size: { get_param: p } } }, b: { type: Other::Size, properties: { length: 3 } } }\n",
	'an environment', '--environment', "$W/env.yaml");
refuses("resources: { b: { type: Other::Size, properties: { lenght: 3 } } }\n", qr/E2050\].*OS::Heat::RandomString has no property 'lenght'/,
	'what a type stands for', '--environment', "$W/env.yaml");
spew("$W/bad-env.yaml", "resource_registri: {}\n");
refuses($none, qr/E2002\].*did you mean 'resource_registry'/s, 'an unknown section of an environment', '--environment', "$W/bad-env.yaml");
spew("$W/empty-env.yaml", "parameters:\n");
refuses($none, qr/E2004\].*parameters is empty/, 'an empty section', '--environment', "$W/empty-env.yaml");
refuses(value('{ get_file: absent.txt }'), qr/E2058\]/, 'a file that is not there');
accepts(value('{ get_file: part.yaml }'), 'a file that is there');

# ---- YAML as Heat reads it ----
warns("resources: { a: { type: OS::Heat::None }, a: { type: OS::Heat::RandomString } }\n", qr/warning/, 'a key twice: the last one counts');
refuses("resources:\n\ta: { type: OS::Heat::None }\n", qr/E02\d\d\]/, 'a tab');

# ---- expressions of yaql, with their places ----
sub yaql { my ($expression, $data, $head) = @_; my $rest = defined $data ? ", data: $data" : '';
	return ($head || '') . value("{ yaql: { expression: '$expression'$rest } }"); }
my $attr = "resources: { o: { type: OS::Heat::Value, properties: { value: 1 } }, v: { type: OS::Heat::Value, properties: { value: "
	. "{ yaql: { expression: '\$.data.x.len()', data: { get_attr: [ o, value ] } } } } } }\n";
refuses(yaql('$.data.a.selct($)', '{ a: [ 1 ] }'), qr/^\S+:2:95: error\[E5004\]: yaql: Unknown method "selct".*'select'/ms, 'an unknown method');
refuses(yaql('lenght($.data)', '{ a: 1 }'), qr/E5004\]: yaql: Unknown function "lenght"/, 'an unknown function');
refuses(yaql('$.data.b.len()', '{ a: [ 1 ] }'), qr/E2070\]: yaql: there is no 'b' here/, 'a key that data has not');
refuses(yaql('$.dta.a', '{ a: [ 1 ] }'), qr/E2070\]: yaql: there is no 'dta' here.*did you mean 'data'/s, '$ has data only');
refuses(yaql('$.data.a.len()'), qr/E2070\]: yaql: there is no 'a' here/, 'without data there is no key');
refuses(yaql('$.data.a + range(x).len()', '{ a: 1 }'), qr/W1043\]/, 'a type that no function takes');
refuses(yaql('$.data.a +', '{ a: 1 }'), qr/^\S+:2:96: error\[E2070\]: yaql: the expression is not YAQL/m, 'a syntax error at its place');
accepts($attr, 'keys of what is not known yet');
accepts(yaql('$.data.a.select($.b.c)', '{ a: [ { b: { c: 1 } } ] }'), 'keys of items');
warns(yaql('$.data.b', '{ a: { get_param: p } }', "parameters: { p: { type: string } }\n"), qr/warning\[E2070\]: when a stack is made: yaql: there is no 'b'/,
	'a template that lacks values is not refused');
# ---- what they give ----
sub length_by { my ($expression, $data, $head) = @_;
	return ($head || '') .
		"resources: { r: { type: OS::Heat::RandomString, properties: { length: { yaql: { expression: '$expression', data: $data } } } } }\n"; }
accepts(length_by('$.data.sum() + 10', '[ 1, 2 ]'), 'a number where one is wanted');
refuses(length_by('$.data.select($ + 1)', '[ 1, 2 ]'), qr/E2040\].*length must be an integer, not a list/, 'a list where a number is wanted');
refuses(length_by('$.data.first() + 600', '[ 1, 2 ]'), qr/E2041\]/, 'a number that is too large');
refuses(length_by('$.data.first() / 0', '[ 1 ]'), qr/E2070\].*yaql: integer division or modulo by zero/, 'one that fails');
accepts(length_by('$.data.sum() / 0', '{ get_param: p }', "parameters: { p: { type: json } }\n"), 'data that is not known yet');
accepts("conditions: { c: { yaql: { expression: '\$.data > 1', data: 2 } } }\nresources: { a: { type: OS::Heat::None, condition: c } }\n", 'a condition');
spew("$W/env.yaml", "parameters: { p: [ 1, 0 ] }\n");
refuses(length_by('$.data.first() / $.data.last()', '{ get_param: p }', "parameters: { p: { type: json } }\n"), qr/E2070\].*division/,
	'data of an environment', '--environment', "$W/env.yaml");

# ---- names of constraints ----
sub custom { my ($name, $default) = @_; return "parameters: { p: { type: string, $default constraints: [ { custom_constraint: $name } ] } }\n$none"; }
accepts(custom($_, ''), "the constraint $_") for qw(nova.flavor octavia.l7policy timezone cron_expression);
refuses(custom('nova.flavr', 'default: m1,'), qr/E2042\].*no custom_constraint 'nova.flavr'.*did you mean 'nova.flavor'/s, 'a constraint that there is not');
refuses(custom('neutron.netwrk', ''), qr/E2042\].*'neutron.network'/s, 'the same of a parameter without a value');
warns(custom('my.own', ''), qr/W2031\].*comes from a plugin\n(?!.*did you mean)/s, 'a constraint of a plugin');
warns(custom('net_cdir', ''), qr/W2031\].*did you mean 'net_cidr'/s, 'a name without a family, nearly right');

# ---- a call in quotes, where only a call makes sense ----
my $p = "parameters: { p: { type: comma_delimited_list, default: [ a ] } }\n";
refuses($p . value('{ list_join: [ ",", "{ get_param: p }" ] }'),
	qr/^(?!.*W2046).*E2070\].*reads like a call of 'get_param'.*without the quotes/s, 'a list in quotes');
warns($p . value('{ list_join: [ ",", [ "{ get_param: p }" ] ] }'), qr/^(?!.*W2046.*W2046).*W2046\]/s, 'an item in quotes');

# ---- a map that who uses the template gives: its default is empty, and a path leads into it ----
my $m = "parameters: { m: { type: json, default: {} } }\n";
my $url = '{ make_url: { scheme: http, host: h, port: { get_param: [ m, Public, port ] } } }';
accepts($m . value($url), 'a path into a map that is given later');
spew("$W/given.yaml", "parameter_defaults: { m: { Internal: {} } }\n");
refuses($m . value($url), qr/E2070\].*port must be a number/, 'a map that was given, and lacks the key', '--environment', "$W/given.yaml");
refuses($m . value('{ str_replace_vstrict: { template: "a X", params: { X: { get_param: [ m, k ] } } } }'),
	qr/E2070\]/, 'one step: is the key there?');
done;
