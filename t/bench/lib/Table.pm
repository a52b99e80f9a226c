package Table;
# The figures of a run as the tables of docs/performance.md, which stand there between two marks, and what such tables
# look like whatever the figures are.
use strict;
use warnings;
use Bench;
use Exporter qw(import);
use Jobs;
use Spread;

our @EXPORT = qw(figures put_figures taken_figures problems machine missing);
use constant { BEGIN_MARK => '<!-- figures: made by make bench-docs -->', END_MARK => '<!-- end of the figures -->', WIDTH => 100 };
my @who = qw(vetro c gojq jq yaql murano python libyaml tosca-parser);
my @groups = (
	['MuranoPL, single jobs', qw(murano-call murano-while murano-property murano-for murano-list murano-pipeline murano-parallel murano-load int-loop call-loop
		tasks switch start run-start translate build model-chain dry-run)],
	['YAQL in memory, single jobs', (map { "yaql-$_->{name}" } @Jobs::yaql), 'query-start'],
	['Documents', qw(query-json json-parse mugl-roundtrip tosca-chain yay-flat yay-for yay-include)],
);
my %in_spread = ('All of them' => ['first'], 'YAQL pipelines' => ['pipelines'], 'MuranoPL kinds' => ['kinds']);
my $figure = qr/\d[\d.]*(?:e\+\d+)? (?:ns|us|ms|s)/;

# What the run was of and on: no path, no name of a host.
sub machine {
	my ($commit) = `git rev-parse --short HEAD 2>/dev/null` =~ /^([0-9a-f]+)$/;
	my $changed = defined $commit && `git status --porcelain -uno 2>/dev/null` ne '';
	my ($model) = slurp('/proc/cpuinfo') =~ /^(?:model name|Processor)\s*:\s*(.*)$/m;
	my $cores = () = slurp('/proc/cpuinfo') =~ /^processor\s*:/mg;
	my ($kb) = slurp('/proc/meminfo') =~ /^MemTotal:\s*(\d+)/m;
	my ($y, $m, $d) = (gmtime)[5, 4, 3];
	return { commit => $commit // 'unknown', changed => $changed ? JSON::PP::true : JSON::PP::false, date => sprintf('%d-%02d-%02d', $y + 1900, $m + 1, $d),
		cores => $cores, cpu => $model // 'an unknown processor', gb => sprintf('%.0f', ($kb // 0) / 1048576) };
}

sub heading {
	my ($run) = @_;
	return "Commit `$run->{commit}`" . ($run->{changed} ? ' with changes' : '') . " of $run->{date};\n" .
		"$run->{cores} core" . ($run->{cores} == 1 ? '' : 's') . ", $run->{cpu}" . ($run->{gb} ? ", $run->{gb} GB of memory." : '.');
}

# What tells the rows of a job apart, and no more.
sub short_input {
	my ($r) = @_;
	my ($size, $expression) = $r->{input} =~ /^([^:]*)(?:: (.*))?$/s;
	$size =~ s/^(one addition|sleep\(0\)), n=/$1, /;
	$size =~ s/, .*// if $r->{job} =~ /^(model-chain|dry-run|mugl-roundtrip|tosca-chain|json-parse|query-json)$/;
	$size .= ", $1" if $r->{job} eq 'query-json' && defined $expression && $expression =~ /\.(where|groupBy)\(/;
	$size =~ s/\|/\\|/g;
	return $size;
}

sub cell {
	my ($r, $memory) = @_;
	my $few = $r->{contestant} eq 'yaql' && defined $r->{note} ? ' [1]' : '';
	return defined $r->{peak_bytes} ? sprintf('%.1f MB', $r->{peak_bytes} / 1e6) . $few : '' if $memory;
	return Bench::human($r->{seconds} / $r->{ops}) if $r->{contestant} eq 'vetro';
	return ($r->{ratio} >= 100 ? commas($r->{ratio}) : sprintf '%.2g', $r->{ratio}) . $few;
}

sub table {
	my ($records, $memory, @jobs) = @_;
	my (%of, @rows);
	my %in = map { $_ => 1 } @jobs;
	for my $r (grep { $in{ $_->{job} } } @$records) {
		# What is timed on fewer records belongs to the row it is compared in.
		my $below = @rows && ($r->{contestant} eq 'murano' || $r->{contestant} eq 'yaql' && defined $r->{note});
		my $key = $below ? $rows[-1] : "$r->{job}\n" . short_input($r);
		push @rows, $key unless $of{$key};
		$of{$key}{ $r->{contestant} } = cell($r, $memory);
	}
	my @has = grep { my $w = $_; grep { $of{$_}{$w} } @rows } @who;
	return '| ' . join(' | ', 'job', 'input', @has) . " |\n" . '|---' x (@has + 2) . "|\n" .
		join '', map { my $k = $_; '| ' . join(' | ', split(/\n/, $k), map { $of{$k}{$_} // '' } @has) . " |\n" } @rows;
}

# All tables of a run; $memory: of the memory of its processes.
sub figures {
	my ($records, $run, $memory) = @_;
	my $text = heading($run) . "\n";
	$text .= "\n### $_->[0]\n\n$_->[1]" for $memory ? () : spread_tables($records);
	for (@groups) {
		my ($title, @jobs) = @$_;
		my %in = map { $_ => 1 } @jobs;
		$text .= "\n### $title\n\n" . table($records, $memory, @jobs) if grep { $in{ $_->{job} } } @$records;
	}
	return $text;
}

sub missing {
	my ($records) = @_;
	my %has = map { $_->{job} => 1 } @$records;
	return grep { !$has{$_} } sort keys %Jobs::seconds;
}

sub taken_figures {
	my ($page) = @_;
	return $page =~ /^\Q@{[BEGIN_MARK]}\E\n(.*)^\Q@{[END_MARK]}\E$/ms ? $1 : undef;
}

sub put_figures {
	my ($page, $text) = @_;
	$page =~ s/^(\Q@{[BEGIN_MARK]}\E\n).*(^\Q@{[END_MARK]}\E)$/$1$text$2/ms or die "the page has no '@{[BEGIN_MARK]}'\n";
	return $page;
}

sub row_problem {
	my ($line, $jobs, @has) = @_;
	my ($job, $input, @cell) = map { s/^ | $//gr } split /\|/, $line =~ s/^\||\|$//gr, -1;
	return 'too wide' if length $line > WIDTH;
	return "no job of this table: $job" unless grep { $_ eq $job } @$jobs;
	return 'no input' unless length($input // '');
	return 'not a cell a contestant' unless @cell == @has;
	for my $i (0 .. $#cell) {
		my $form = $has[$i] eq 'vetro' ? qr/^$figure$/ : qr/^(?:(?:[\d.]+(?:e-\d+)?|[\d,]+)(?: \[1\])?)?$/;
		return "no figure of $has[$i]: $cell[$i]" unless $cell[$i] =~ $form;
	}
	return undef;
}

# Where a text is not what figures() makes of some run; every job has a row. As lines, none when all is well.
sub problems {
	my ($text) = @_;
	my ($head, @tables) = split /^### /m, $text;
	my (@wrong, %seen);
	push @wrong, 'the first lines do not say which commit, date and machine it was'
		unless $head =~ /^Commit `(?:[0-9a-f]{7,}|unknown)`(?: with changes)? of \d{4}-\d\d-\d\d;\n\d+ cores?, .+?(?:, \d+ GB of memory)?\.\n\n$/;
	while (@tables && $tables[0] !~ /^\Q$groups[0][0]\E$/m) {
		my ($title, undef, @lines) = split /\n/, shift @tables;
		push @wrong, spread_problems($title, @lines);
		$seen{$_} = 1 for @{ $in_spread{$title} // [] };
	}
	push @wrong, 'the tables are not ' . join ', ', map { $_->[0] } @groups if join('|', map { /^(.*)$/m } @tables) ne join '|', map { $_->[0] } @groups;
	for my $i (0 .. ($#tables < $#groups ? $#tables : $#groups)) {
		my (undef, @jobs) = @{ $groups[$i] };
		my ($title, undef, $names, $rule, @rows) = split /\n/, $tables[$i];
		my (undef, undef, @has) = map { s/^ | $//gr } split /\|/, ($names // '') =~ s/^\||\|$//gr;
		my $known = join ' ', grep { my $w = $_; grep { $_ eq $w } @has } @who;
		push @wrong, "$title: the columns are not contestants in their order" unless @has && $known eq "@has" && $rule eq '|---' x (@has + 2) . '|';
		for my $row (grep { $_ ne '' } @rows) {
			my $why = row_problem($row, \@jobs, @has);
			push @wrong, "$title: $why: $row" if defined $why;
			$seen{$1} = 1 if $row =~ /^\| (\S+) /;
		}
	}
	push @wrong, map { "$_ has no row" } grep { !$seen{$_} } sort keys %Jobs::seconds;
	return @wrong;
}

1;
