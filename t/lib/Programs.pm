# Expressions by `vetro query --batch` in several ways, which must give the same: with lambda programs, and as code.
package Programs;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use Scalar::Util 'refaddr';
use Tap;
our @EXPORT = qw(batch_answers agree_on programs_agree);

# Requests as lines.  Many share their data, and JSON::PP takes long for them: what has been written before is not written again.
sub request_lines {
	my ($cases) = @_;
	my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;
	my (%written, $lines);
	for my $case (@$cases) {
		my %rest = %$case;
		my $data = delete $rest{data};
		my $text = ref $data ? $written{ refaddr($data) } //= $json->encode($data) : $json->encode($data);
		my $line = (exists $case->{data} ? qq({"data":$text,) : '{') . substr($json->encode(\%rest), 1);
		$lines .= "$line\n";
	}
	utf8::encode($lines);
	return $lines;
}

# The answers to requests (hashes with expr and data), a line each. Addresses differ between any two runs.
sub batch_answers {
	my ($cases, @flags) = @_;
	my $file = "$W/cases.jsonl";
	spew($file, request_lines($cases));
	my @out = split /\n/, qx{"$vetro" query --batch @flags < "$file"};
	s/0x[0-9a-f]+/0x/g for @out;
	return @out;
}

# The same answers both ways; the first that differ are shown.
sub agree_on {
	my ($title, $cases, $with, $without) = @_;
	my @differ = grep { ($with->[$_] // '') ne ($without->[$_] // '') } 0 .. $#$cases;
	my @show = @differ > 9 ? @differ[0 .. 8] : @differ;
	return ok(!@differ, $title, scalar(@differ) . ' differ',
		map { ("$cases->[$_]{expr}", substr($with->[$_] // 'nothing', 0, 400), substr($without->[$_] // 'nothing', 0, 400)) } @show);
}

# Lambda programs give what code gives; more than `least` of the cases have a value.
sub programs_agree {
	my ($cases, $least) = @_;
	my @with = batch_answers($cases, '--jit=memory');
	is(scalar @with, scalar @$cases, 'every case is answered');
	is(scalar(grep { /InternalError/ } @with), 0, 'and none ends the process');
	my $values = grep { /"value"/ } @with;
	ok($values > @$cases * $least, 'many have a value', $values);
	return agree_on('programs and code give the same', $cases, \@with, [batch_answers($cases, qw(--jit=memory -fno-lambda-programs -fno-direct))]);
}
1;
