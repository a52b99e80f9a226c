# Expressions by `vetro query --batch` in several ways, which must give the same: with lambda programs, and as code.
package Programs;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use Tap;
our @EXPORT = qw(batch_answers agree_on programs_agree);

# The answers to requests (hashes with expr and data), a line each. Addresses differ between any two runs.
sub batch_answers {
	my ($cases, @flags) = @_;
	my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;
	my $file = "$W/cases.jsonl";
	spew($file, join '', map { my $line = $json->encode($_); utf8::encode($line); "$line\n" } @$cases);
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
