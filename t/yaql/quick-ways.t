#!/usr/bin/perl
# Ways that are taken after a while, or for simple formats, against Python: classes of characters that are found without an
# engine, and dates of digits alone.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $python = '/usr/bin/python3';
skip_all('no python3') unless -x $python;
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $state = 20240301;
sub rnd { $state = ($state * 1103515245 + 12345) % 2147483648; return int($state / 65536) % $_[0] }

# Texts long enough that each expression is asked for more than 64 times.
my @letters = (split(//, 'aAbkKsSzZ019_ -.]^[\\' . "\n\t"),
	"\x{e9}", "\x{c9}", "\x{df}", "\x{17f}", "\x{212a}", "\x{663}", "\x{4eac}", "\x{1f600}", "\x{a0}", "\x{301}");
my @texts = map { join '', map { $letters[rnd(scalar @letters)] } 1 .. 3 + rnd(60) } 1 .. 40;
push @texts, '', 'a', "\x{e9}";
my @classes = ('[a-z]', '[a-z]+', '[^a-z]', '[^a-z]+', '[]a]', '[^]a]+', '[\\]\\-]', '[a\\d]+',
	'\\d', '\\d+', '\\s+', '\\w', '\\w+', '\\W+', '\\D', '[0-9_.]+',
	"[\x{e9}k]", "[\x{e9}s]+", '[^\\s]+', '[\\w-]+');
my @flags = (['', '0'], [', ignoreCase => true', 're.I'], [', multiLine => true', 're.M']);
my (@cases, @python);
for my $class (@classes) {
	for my $flag (@flags) {
		my $re = 'regex(' . $json->encode($class) . "$flag->[0])";
		utf8::decode($re);
		push @cases, "\$.select([$re.split(\$), $re.searchAll(\$).toList(), $re.replace(\$, \"<\\\\g<0>>\"), \$ =~ $re, "
			. "$re.replace(\$, \"\"), $re.replace(\$, \"-\\\\n\", 3), \$.replace($re, \"\x{e9}\")])";
		push @python, ['class', $class, $flag->[1]];
	}
}

# Of each format the texts that it makes, and others that it does not fit.
my @formats = ('%Y-%m-%d', '%d.%m.%Y %H:%M', '%H:%M:%S', '%Y%m%d%H%M%S', '%m/%d', '%Y', '%d %m %Y', '%Y-%m-%dT%H:%M:%S',
	'on %d-%m-%Y!', '%S%M', '%y-%m-%d', '%d.%m.%Y  %H', '%j %Y', '%d %b %Y');
my @dates = ('2021-03-04', '04.03.2021 05:06', '4.3.2021 5:06', '05:06:59', '05:06:61', '20210304050607', '03/04', '2021', '0000', '31 02 2021',
	'29 02 2020', '2021-02-30', '2021-13-01', '1999-12-31T23:59:59',
	'1999-12-31T24:00:00',
	'on 04-03-2021!', 'ON 04-03-2021!', '5906',
	'21-03-04', '04.03.2021  05', '04.03.2021 05', ' 04.03.2021 05:06', '2021-03-04 ', "\x{662}\x{660}21-03-04",
	'063 2021', '04 Mar 2021', '2021-3-4', '28.02.1900 00:00', '');
for my $format (@formats) {
	push @cases, '$.select(' . "datetime(\$, \"$format\")" . '.format("%Y-%m-%d %H:%M:%S"))';
	push @python, ['date', $format];
}
for my $format (@formats, '%Y', 'a%%b', '%d%d', '%F %T', '%e|%-d|%m', "%Y\x{e9}%m", '%y', '%H%') {
	push @cases, '$.select(datetime($).format(' . $json->encode($format) . '))';
	utf8::decode($cases[-1]);
	push @python, ['format', $format];
}
my @stamps = ('2021-03-04T05:06:07', '0999-01-02T00:00:00', '1970-12-31T23:59:59', '9999-12-31T00:00:00');

my $program = <<'P';
import json, re, sys
from datetime import datetime
for line in sys.stdin:
    (kind, what, *flags), data = json.loads(line)
    out = []
    for t in data:
        try:
            if kind == 'class':
                r = re.compile(what, eval(flags[0]) | re.UNICODE)
                out.append([r.split(t), [m.group() for m in r.finditer(t)], r.sub(r'<\g<0>>', t), r.search(t) is not None,
                            r.sub('', t), r.sub(r'-\n', t, 3), r.sub('é', t)])
            elif kind == 'date':
                out.append(datetime.strptime(t, what).strftime('%Y-%m-%d %H:%M:%S'))
            else:
                out.append(datetime.fromisoformat(t).strftime(what))
        except ValueError:
            out.append('error')
    print(json.dumps(out))
P
my (@inputs, @asked);
for my $i (0 .. $#cases) {
	my ($kind) = @{ $python[$i] };
	# A text that is an error ends an expression, so each date has its own.
	my @sets = $kind eq 'class' ? ([@texts]) : map { [$_] } $kind eq 'date' ? @dates : @stamps;
	for my $data (@sets) {
		push @inputs, $json->encode({ expr => $cases[$i], data => $data });
		push @asked, $json->encode([$python[$i], $data]);
	}
}
my ($rc, $out, $err) = run_program({ in => join '', map { "$_\n" } @asked }, $python, '-c', $program);
my @want = split /\n/, $out;
is(scalar @want, scalar @asked, 'Python answers') or print "# $err\n";
($rc, $out, $err) = vetro({ in => join '', map { "$_\n" } @inputs }, 'query', '--batch');
my @got = split /\n/, $out;
is(scalar @got, scalar @inputs, 'each case is answered') or print "# $err\n";
my @differ;
for my $i (0 .. $#got) {
	my $got = $json->decode($got[$i]);
	my $value = $json->encode($got->{error} ? ['error'] : $got->{value});
	push @differ, "$asked[$i]: $value, Python $want[$i]" if $value ne $json->encode($json->decode($want[$i] // 'null'));
}
is(scalar @differ, 0, 'as Python has it') or print map { "# $_\n" } map { substr $_, 0, 400 } @differ[0 .. ($#differ < 9 ? $#differ : 9)];
done();
