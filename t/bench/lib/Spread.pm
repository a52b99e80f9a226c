package Spread;
# The spread of ratios over many jobs: what the benchmark says first. A job without a figure is counted, not left out
# silently.
use strict;
use warnings;
use Bench;
use Exporter qw(import);
use Text::Wrap qw(wrap);

our @EXPORT = qw(spread spread_rows spread_sets spread_tables spread_problems);

my @pairs = ([250, 1000], [1250, 5000], [25000, 100000]); # records between which growth is looked at

# {n, median, p10, least} of numbers; undef of none.
sub spread {
	my @v = sort { $a <=> $b } @_ or return undef;
	return { n => scalar @v, median => $v[int(@v / 2)], p10 => $v[int(@v / 10)], least => $v[0] };
}

# The ratios of a contestant in the records of a job; $input: a pattern of the inputs that count.
sub ratios_of {
	my ($records, $job, $who, $input) = @_;
	return map { $_->{ratio} } grep { $_->{job} eq $job && $_->{contestant} eq $who && $_->{input} =~ $input } @$records;
}

# How many times longer each pipeline takes for four times the records, from $from to $to: {name => times}.
sub growths_of {
	my ($records, $from, $to) = @_;
	my (%at, %growth);
	for my $r (grep { $_->{job} eq 'pipelines' && $_->{contestant} eq 'vetro' } @$records) {
		my ($name, $n) = $r->{input} =~ /^(.*), ([\d,]+) records$/;
		$at{$name}{ $n =~ tr/,//dr } = $r->{seconds};
	}
	for my $name (keys %at) {
		my ($small, $large) = @{ $at{$name} }{ $from, $to };
		$growth{$name} = $large / $small if $small && $large;
	}
	return \%growth;
}

my @what = ( # title, job, contestant, inputs
	(map { my $n = $_; map { ["YAQL pipelines, $n records", 'pipelines', $_, qr/, \Q$n\E records$/] } qw(yaql jq gojq python) } '1,000', '100,000'),
	['YAQL, one small document', 'pipelines', 'yaql', qr/^small-.*, 1 records$/],
	['first evaluation of a text', 'first', 'yaql', qr/./],
	(map { ['MuranoPL kinds', 'kinds', $_, qr/./] } qw(python lua luajit)),
);

# The ratios themselves, for the chart: [title, contestant, ratios...].
sub spread_sets {
	my ($records) = @_;
	return grep { @$_ > 2 } map { [@$_[0, 2], ratios_of($records, @$_[1 .. 3])] } @what;
}

# Rows of cells: what, of whom, jobs, median, tenth percentile, least.
sub spread_rows {
	my ($records) = @_;
	my @rows;
	for (@what) {
		my ($title, $job, $who, $input) = @$_;
		my $s = spread(ratios_of($records, $job, $who, $input)) or next;
		push @rows, [$title, $who, $s->{n}, map { times_of($s->{$_}) } qw(median p10 least)];
	}
	return @rows;
}

# What the table of a title is, in the order of the page.
sub spread_tables {
	my ($records) = @_;
	return grep { length $_->[1] } ['All of them', all_table($records)], ['YAQL pipelines', pipelines_table($records)], ['MuranoPL kinds', kinds_table($records)];
}

sub table_of {
	my ($names, @rows) = @_;
	return '' unless @rows;
	return join '', map { '| ' . join(' | ', @$_) . " |\n" . ($_ == $names ? '|---' x @$names . "|\n" : '') } $names, @rows;
}

sub all_table {
	my ($records) = @_;
	my @rows = spread_rows($records) or return '';
	return table_of(['jobs', 'of', 'times faster than', 'median', 'tenth percentile', 'worst'], map { [$_->[0], $_->[2], $_->[1], @$_[3 .. 5]] } @rows) .
		"\n" . join "\n\n", map({ local $Text::Wrap::columns = 100; wrap('', '', $_) } spread_lines($records)), '';
}

sub ratio_cell { my ($r) = @_; return defined $r ? times_of($r->{ratio}) : '' }

# The slowest beside python yaql first: that is where the work is.
sub pipelines_table {
	my ($records) = @_;
	my (%of, %first);
	for my $r (grep { $_->{job} eq 'pipelines' } @$records) {
		my ($name, $n) = $r->{input} =~ /^(.*), ([\d,]+) records$/;
		$of{$name}{ $n eq '100,000' ? 'large' : $n =~ /^1(?:,000)?$/ ? 'small' : 'other' }{ $r->{contestant} } = $r;
	}
	for my $r (grep { $_->{job} eq 'first' } @$records) {
		$first{ $r->{input} =~ s/,.*//r }{ $r->{contestant} } = $r;
	}
	my @growth = map { growths_of($records, @$_) } @pairs;
	my $worst = sub { my $p = $of{ $_[0] }; my $r = ($p->{large} // $p->{small})->{yaql}; return $r ? $r->{ratio} : 0 };
	return table_of([qw(pipeline records vetro growth yaql jq gojq python first)], map {
		my ($name, $p) = ($_, $of{$_}{large} // $of{$_}{small});
		my ($own, $f) = ($p->{vetro}, $first{$name});
		[$name, $own->{input} =~ /, ([\d,]+) records$/, Bench::human($own->{seconds} / $own->{ops}), join(' / ', map { $_->{$name} ? sprintf('%.1f', $_->{$name}) : () } @growth),
			map({ ratio_cell($p->{$_}) } qw(yaql jq gojq python)), ratio_cell($f->{yaql})];
	} sort { $worst->($a) <=> $worst->($b) || $a cmp $b } keys %of);
}

sub kinds_table {
	my ($records) = @_;
	my (%of, %ratio);
	$of{ $_->{input} }{ $_->{contestant} } = $_ for grep { $_->{job} eq 'kinds' } @$records;
	$ratio{$_} = ($of{$_}{python} // { ratio => 0 })->{ratio} for keys %of;
	return table_of([qw(job kind vetro growth python lua luajit)], map {
		my ($p, $own) = ($of{$_}, $of{$_}{vetro});
		[split(/: /, $_, 2), Bench::human($own->{seconds} / $own->{ops}), sprintf('%.2f', $own->{growth}), map { ratio_cell($p->{$_}) } qw(python lua luajit)];
	} sort { $ratio{$a} <=> $ratio{$b} || $a cmp $b } keys %of);
}

# Where the tables of a page are not such; nothing is said of a title that is not ours.
sub spread_problems {
	my ($title, $names, $rule, @rows) = @_;
	my %columns = ('All of them' => 6, 'YAQL pipelines' => 9, 'MuranoPL kinds' => 7);
	my $wanted = $columns{$title} // return;
	my @wrong;
	push @wrong, "$title: the columns are not $wanted" if ($rule // '') ne '|---' x $wanted . '|';
	for my $row (grep { /^\|/ } @rows) {
		push @wrong, "$title: not $wanted cells: $row" if ($row =~ tr/|//) != $wanted + 1;
		push @wrong, "$title: no figure: $row" unless $row =~ /\d/;
		push @wrong, "$title: too wide: $row" if length $row > 100;
	}
	return @wrong;
}

sub times_of { my ($r) = @_; return $r >= 100 ? commas($r) : sprintf($r >= 10 ? '%.0f' : '%.2g', $r) }

# What grows faster than it should, as lines.
sub spread_lines {
	my ($records) = @_;
	my @kinds = map { $_->{input} =~ s/:.*//r } grep { $_->{steep} } @$records;
	my @lines;
	for my $pair (@pairs) {
		my $growth = growths_of($records, @$pair);
		my @steep = grep { $growth->{$_} > 4.6 } sort keys %$growth;
		push @lines, sprintf('Pipelines that take more than 4.6 times as long for %s records as for %s: ', map { commas($_) } @$pair[1, 0]) .
			(join(', ', map { sprintf '%s (%.1f)', $_, $growth->{$_} } @steep) || 'none') . '.' if %$growth;
	}
	my %line = map { $_->{input} =~ /^([\d,]+) bytes$/ ? ($1 =~ tr/,//dr => $_->{seconds} / $_->{ops}) : () } grep { $_->{job} eq 'memory' } @$records;
	push @lines, 'Reading memory in order, as a pipeline must at least, a line of 64 bytes takes ' .
		join(', ', map { sprintf '%.2g ns of %s bytes', 1e9 * $line{$_}, commas($_) } sort { $a <=> $b } keys %line) . '.' if %line;
	push @lines, 'MuranoPL kinds that grow faster than in Python: ' . (join(', ', @kinds) || 'none') . '.' if grep { $_->{job} eq 'kinds' } @$records;
	return @lines;
}

1;
