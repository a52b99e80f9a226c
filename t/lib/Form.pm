# Forms through `vetro form --batch`: what tests below t/form have in common.
package Form;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use Tap;

our @EXPORT = qw(ask model field complaints fails described definition one_field);
my $json = JSON::PP->new->utf8->canonical->allow_nonref->allow_bignum;

# The answers to requests, in order.
sub ask {
	my @lines = split /\n/, (vetro({ in => join '', map { $json->encode($_) . "\n" } @_ }, 'form', '--batch'))[1];
	return map { eval { $json->decode($_) } // { broken => $_ } } @lines;
}

# A form of version 2 with these entries of Application, and sections behind it.
sub definition {
	my ($application, $sections) = @_;
	return "Version: 2\nApplication:\n  ?: {type: t.App}\n" . join('', map { "  $_\n" } split /\n/, $application) . ($sections // '');
}

# The same with one form `f` of these fields; the application has x and y of it.
sub one_field {
	my @fields = @_;
	return definition('x: $.f.x', "Forms:\n  - f:\n      fields:\n" . join('', map { "        - $_\n" } @fields));
}

sub plain {
	my ($v) = @_;
	return [map { plain($_) } @$v] if ref $v eq 'ARRAY';
	return $v unless ref $v eq 'HASH';
	my %d = map { $_ => plain($v->{$_}) } keys %$v;
	delete $d{'?'}{id} if ref $d{'?'} eq 'HASH';
	delete $d{'?'} if ref $d{'?'} eq 'HASH' && join(',', keys %{$d{'?'}}) eq 'type';
	return \%d;
}

# The model without ids and without heads that say only a type.
sub model {
	my ($title, $want, $ui, %more) = @_;
	my ($got) = ask({ ui => $ui, %more });
	return is($json->encode(exists $got->{value} ? plain($got->{value}) : $got), $json->encode($want), $title);
}

# The value that the field x of one_field() has.
sub field {
	my ($title, $want, $field, %more) = @_;
	return model($title, { x => $want }, one_field($field),
		map { $_ eq 'answer' ? (answers => { f => { x => $more{$_} } }) : ($_ => $more{$_}) } keys %more);
}

# "FORM.FIELD CODE: MESSAGE" of each complaint.
sub complaints {
	my ($title, $want, $ui, %more) = @_;
	my ($got) = ask({ ui => $ui, %more });
	my $list = ref $got->{error} eq 'HASH' ? $got->{error}{fields} : undef;
	return is(!$list ? $json->encode($got)
		: join("\n", map { "$_->{form}." . ($_->{field} // '') . " $_->{code}: $_->{message}" } @$list), $want, $title);
}

# "TYPE LINE:COL" of an error, with its message when that is asked for.
sub fails {
	my ($title, $want, $ui, %more) = @_;
	my ($got) = ask({ ui => $ui, %more });
	my $e = ref $got->{error} eq 'HASH' ? $got->{error} : {};
	return is("$e->{type} " . ($e->{line} // '-') . ':' . ($e->{col} // '-'), $want, $title) if !ref $want;
	return like("$e->{type}: $e->{message}", $want, $title);
}

# The description of the fields of the first form, by name.
sub described {
	my ($ui, %more) = @_;
	my ($got) = ask({ ui => $ui, describe => JSON::PP::true, %more });
	return ref $got->{value} eq 'ARRAY' ? { map { $_->{name} => $_ } @{$got->{value}[0]{fields}} } : $got;
}

1;
