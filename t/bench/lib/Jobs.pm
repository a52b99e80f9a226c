package Jobs;
# The YAQL jobs as data: the expression, what a user of jq writes for the same (the fastest of several counts), and
# whether the order of the rows of its result is left open by somebody. hand.c has a function of the same name.
use strict;
use warnings;

# How long each job takes on a quiet machine with two cores, for the estimate before a run; what is here is what there is.
our %seconds = (
	'murano-call' => 26, 'murano-while' => 26, 'murano-property' => 26, 'murano-for' => 26, 'murano-list' => 26, 'murano-pipeline' => 26, 'murano-parallel' => 24, 'murano-load' => 14, 'int-loop' => 4, 'call-loop' => 4,
	'yaql-filter' => 17, 'yaql-group' => 16, 'yaql-order' => 38, 'yaql-any' => 17, 'yaql-join' => 25, 'yaql-regex' => 14, 'yaql-string' => 24, 'yaql-aggregate' => 20,
	'query-json' => 16, 'json-parse' => 12, 'query-start' => 6, 'tosca-chain' => 16, 'mugl-roundtrip' => 14, 'yay-flat' => 8, 'yay-for' => 6, 'yay-include' => 6,
	tasks => 6, switch => 5, 'model-chain' => 25, 'dry-run' => 6, pipelines => 180, first => 40, kinds => 75, start => 10, 'run-start' => 12, translate => 3, build => 15,
);

our @yaql = (
	{ name => 'filter', title => 'filter and project',
		yaql => '$.items.where($.cpu > 32).select({load => $.cpu * 2, name => $.name})',
		jq => ['[.items[] | select(.cpu > 32) | {load: (.cpu * 2), name}]', '.items | map(select(.cpu > 32) | {load: (.cpu * 2), name: .name})'] },
	{ name => 'group', title => 'group and sum', unordered => 1,
		yaql => '$.items.groupBy($.region, $.cpu, [$[0], $[1].sum()])',
		jq => ['[.items | group_by(.region)[] | [.[0].region, (map(.cpu) | add)]]',
			'reduce .items[] as $i ({}; .[$i.region] += $i.cpu) | to_entries | map([.key, .value])'] },
	{ name => 'order', title => 'order by two keys',
		yaql => '$.items.orderBy($.cpu).thenBy($.name).select($.name)',
		jq => ['[.items | sort_by(.cpu, .name)[] | .name]', '.items | sort_by([.cpu, .name]) | map(.name)'] },
	{ name => 'any', title => 'any and all, to the end',
		yaql => '[$.items.any($.cpu > 1000), $.items.all($.cpu > 0)]',
		jq => ['[(.items | any(.cpu > 1000)), (.items | all(.cpu > 0))]', '[any(.items[]; .cpu > 1000), all(.items[]; .cpu > 0)]'] },
	{ name => 'join', title => 'join with 10 owners',
		yaql => '$.items.join($.owners, $1.owner = $2.name, [$1.name, $2.team])',
		jq => ['INDEX(.owners[]; .name) as $o | [.items[] | [.name, $o[.owner].team]]',
			'.owners as $o | [.items[] | . as $i | $o[] | select(.name == $i.owner) | [$i.name, .team]]'] },
	{ name => 'regex', title => 'regular expression',
		yaql => '$.items.where($.owner =~ "^user[0-9]*7@").select($.name)',
		jq => ['[.items[] | select(.owner | test("^user[0-9]*7@")) | .name]'] },
	{ name => 'string', title => 'split, join, upper case',
		yaql => '$.items.select($.text.split(" ").join("-").toUpper() + "/" + $.region)',
		jq => ['[.items[] | (.text | split(" ") | join("-") | ascii_upcase) + "/" + .region]',
			'[.items[] | (.text | ascii_upcase | gsub(" "; "-")) + "/" + .region]'] },
	{ name => 'aggregate', title => 'len, sum, min, max',
		yaql => '[$.items.len(), $.items.select($.cpu).sum(), $.items.select($.cpu).min(), $.items.select($.mem).max()]',
		jq => ['[(.items | length), ([.items[].cpu] | add), ([.items[].cpu] | min), ([.items[].mem] | max)]',
			'.items | [length, (map(.cpu) | add), (map(.cpu) | min), (map(.mem) | max)]',
			'reduce .items[] as $i ([0, 0, infinite, 0]; [.[0] + 1, .[1] + $i.cpu, (if $i.cpu < .[2] then $i.cpu else .[2] end), (if $i.mem > .[3] then $i.mem else .[3] end)])'] },
);

1;
