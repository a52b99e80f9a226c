#!/usr/bin/perl
# Text from outside in emitted C goes through compiler/emit/ctext.h. Everything that an emitter prints by %s, vt_buf_puts or vt_buf_put
# is followed to where it comes from: a literal, a function that gives C, a variable or parameter that gets only those everywhere, or a
# member that the emitters themselves fill (%made). A name, a path or a source text of the program ends in none of them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
# Who writes C. form_schema.c writes JSON, which becomes C as a string; ctext.c is the interface.
my @emitters = grep { !m{/(?:form_schema|ctext)\.c$} } files_like("$top/compiler/emit/*.c"), files_like("$top/compiler/tosca/emit_{code,tables}.c"),
	files_like("$top/compiler/yay/emit*.c"), map { "$top/compiler/$_" } qw(yay/build.c tosca/yaql.c form/emit.c);
my %printers = (vt_buf_printf => 1, em_try => 1, yx_put => 1, called => 2, vt_buf_puts => 1, vt_buf_put => 1, snprintf => 2,
	em_declare => 1);
# Functions that give C, by what their own file does: their `return`s are looked at. These are the ground.
my %ground = map { $_ => 1 } qw(ct_literal ct_name);
# Members that hold C, made by the emitters: FILE or FOLDER, and the expression with its indexes left out.
my %made = map { $_ => 1 } (
	'x->sc', 'e->unit', 'x->e->unit', 'x->names', 'x->alias.c', 'w->t', 'w->last_at', 'x->raw->at', 'x->raw->t', 'in->site->receiver',
	'x->fail', 'g->path', 'g->held', 'g.root', 'g->root', 'e->g.root', 'symbols', 'kind_name', 'name', 'params', '#name', 'from->p',
	'l->head', 'l->sep', 'l.at',    # a declaration, by em_declare; lines that are there
);
# Rows of vetro's own tables.
my %own = map { $_ => 1 } ('l->type', 'r->symbol', 'symbols.name', 'native->symbol', 'ir_ops.name');

# ---- C, as far as it has to be read ----

my $group = qr/(?<g>\((?:[^()"']|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?&g))*\))/s;
my $token = qr/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\*.*?\*\/|->|./s;

# The parts of a text at this mark, outside of brackets and quotes.
sub parts {
	my ($text, $mark) = @_;
	my ($depth, @parts) = (0, '');
	while ($text =~ /\G($token)/g) {
		my $t = $1;
		$depth += $t =~ /^[(\[{]$/ ? 1 : $t =~ /^[)\]}]$/ ? -1 : 0;
		if ($t eq $mark && !$depth) { push @parts, '' }
		else { $parts[-1] .= $t }
	}
	s/^\s+|\s+$//g, s/\s+/ /g for @parts;
	return @parts;
}

# A function: file, name, parameters, body.
my (%functions, @functions, %calls, %texts);
for my $file (@emitters) {
	my $text = slurp($file) =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|/\*.*?\*/}{$1 // ''}gser;
	$text =~ s{"((?:\\.|[^"\\])*)"}{'"' . ($1 =~ s/return/re-turn/gr =~ tr/=;/##/r) . '"'}ge;    # C in quotes is no statement here
	$texts{$file} = $text;
	while ($text =~ /^(static )?(?!\s|#|typedef|struct)[^;{}()=]*?\b(\w+)$group(?:[^;{}]*)\n?\{\n(.*?)^\}/gsm) {
		my ($static, $name, $params, $body) = ($1, $2, $+{g}, $4);
		my @params = map { /(\w+)(?:\[\w*\])?$/ ? $1 : '' } parts(substr($params, 1, -1), ',');
		my $f = { of => $file, static => !!$static, file => $file =~ s{^\Q$top\E/}{}r, name => $name, params => \@params, body => $body };
		push @functions, $f;
		push @{ $functions{$name} }, $f;
	}
}
for my $f (@functions) {
	my $body = $f->{body};
	while ($body =~ /\b(\w+)(?=$group)/g) {
		push @{ $calls{$1} }, [$f, [parts(substr($+{g}, 1, -1), ',')]];
	}
}

# ---- where an expression comes from ----

my %known;

sub is_c {
	my ($f, $e) = @_;
	my $is = defined $e && comes_from($f, $e);
	print "# $f->{name}: $e\n" if !$is && $ENV{EMITTERS_WHY};
	return $is;
}

sub comes_from {
	my ($f, $e) = @_;
	$e =~ s/^\s+|\s+$//g;
	1 while $e =~ s/^\((?:const )?(?:char|vt_value|uint32_t|int)[ *]*\)\s*//;
	$e = substr($e, 1, -1) if $e =~ /^$group$/;
	return 1 if $e =~ /^'.*'$/ || $e =~ /^(?:"(?:\\.|[^"\\])*"\s*|VETRO_VERSION\s*)+$/ || $e eq 'NULL' || $e eq '';
	my @or = parts($e, '?');
	if (@or > 1) {
		my ($then, @else) = parts(join('?', @or[1 .. $#or]), ':');
		# a ? b : c ? d : e; what stands between two marks is a branch, or the next condition
		my @branches = map { (parts($_, '?'))[-1] } $then, @else;
		return !grep { !is_c($f, $_) } @branches;
	}
	return is_c($f, $1) if $e =~ /^(.+?) \+ (?:\d+|start|sizeof digits|strlen\("[^"]*"\))$/;
	return gives_c($f, $1, $2) if $e =~ /^(\w+)($group)$/;
	my $plain = $e;
	1 while $plain =~ s/\[[^\[\]]*\]//g;
	return 1 if $made{$plain} && ($plain =~ /\W/ || $plain ne $e) || $own{$plain};
	return 1 if $plain =~ /^[\w>.-]+\.p$/;    # of a buffer, which is filled in the ways that are looked at
	my ($value) = $f->{file} =~ m{^compiler/yay/emit} ? $e =~ /^(\w+)\.name$/ : ();
	return 1 if defined $value && is_value($f, $value);
	return is_filled($f, $plain) if $plain =~ /^\w+$/;
	return 0;
}

# What an expression of Yay has left has a name that fresh() made.
sub is_value {
	my ($f, $v) = @_;
	return $f->{body} =~ /\byx_val\b[^;]*\b$v\b/ || grep { $_ eq $v } @{ $f->{params} };
}

# All that a function returns; vc_format and vc_strndup by their arguments.
sub gives_c {
	my ($f, $name, $group) = @_;
	my @args = parts(substr($group, 1, -1), ',');
	return 1 if $ground{$name};
	return !grep { !is_c($f, $_) } formatted(@args[1 .. $#args]) if $name eq 'vc_format';
	return is_c($f, $args[1]) if $name eq 'vc_strndup';
	return $known{$name} if exists $known{$name};
	$known{$name} = 1;
	my $all = @{ $functions{$name} // [] } ? 1 : 0;
	for my $g (@{ $functions{$name} // [] }) {
		my $body = $g->{body};
		while ($body =~ /\breturn\b\s*([^;]*);/g) {
			$all &&= is_c($g, $1);
		}
	}
	return $known{$name} = $all;
}

# A variable by all that is put into it, a parameter by all calls, a table by its items.
sub is_filled {
	my ($f, $v) = @_;
	my $key = "$f->{file}:$f->{name}:$v";
	return $known{$key} if exists $known{$key};
	$known{$key} = 1;
	my $body = $f->{body};
	my ($all, $seen) = (1, 0);
	while ($body =~ /(?<![\w.>])\*?\Q$v\E(?:\[[^\]]*\])*\s*=(?!=)\s*/g) {
		my $from = pos $body;
		my ($first) = parts(substr($body, $from) =~ s/;.*//sr, ',');
		($first) = parts(substr($body, $from) =~ /^((?:"(?:\\.|[^"\\])*"|[^;"])*);/s ? $1 : '', ',');
		$seen++;
		my @items = $first =~ /^\{(.*)\}$/s ? map { s/^\[\w+\]\s*=\s*//r =~ s/^\{|\}$//gr } parts($1, ',') : $first;
		$all &&= !grep { !is_c($f, $_) } @items;
	}
	$seen++ if $body =~ /\b(?:snprintf|frame|put_digest)\((?:[^;]*, )?\Q$v\E\b/;    # looked at below
	my ($n) = grep { $f->{params}[$_] eq $v } 0 .. $#{ $f->{params} };
	if (defined $n) {
		for my $call (@{ $calls{ $f->{name} } // [] }) {
			my ($from, $args) = @$call;
			next if $from == $f || !defined $args->[$n] || ($f->{static} && $from->{file} ne $f->{file});
			$seen++;
			$all &&= is_c($from, $args->[$n]);
		}
		$seen++ if !$seen;    # nobody calls it here: a callback
	}
	$seen++ if $texts{ $f->{of} } =~ /^static const char (?:\*const )?\Q$v\E(?:\[\])? =\s*"/m;
	return $known{$key} = $all && $seen;
}

# The arguments that a format takes as text.
sub formatted {
	my ($format, @args) = @_;
	my @text;
	while ($format =~ /%(?:%|(\.\*)?[-0-9.#]*(?:ll|z|l)?([a-zA-Z]))/g) {
		next unless defined $2;
		shift @args if $1;
		my $a = shift @args;
		push @text, $a if $2 eq 's' && defined $a;    # a format that is chosen has fewer
	}
	return @text;
}

my ($sinks, @raw) = (0);
for my $f (grep { $_->{name} !~ /^(?:yx_vput|put_u32)$/ } @functions) {
	my $body = $f->{body};
	while ($body =~ /\b(\w+)(?=$group)/g) {
		my ($name, $group) = ($1, $+{g});
		next unless exists $printers{$name};
		my @args = parts(substr($group, 1, -1), ',');
		my $n = $printers{$name};
		my @text = $name =~ /puts?$|^em_declare$/ ? $args[$n] : formatted(@args[$n .. $#args]);
		for my $e (@text) {
			$sinks++;
			push @raw, "$f->{file}: $f->{name}: $name of $e" if !is_c($f, $e);
		}
	}
}
ok($sinks > 300, "emitters print text at $sinks places");
ok(!@raw, 'no emitter prints text that is not C, a literal or quoted', @raw);

# ---- nobody else writes comments, quotes or #line ----

my @own = grep { !m{/emit/ctext\.c$} } files_like("$top/compiler/*/*.c");
my (@comments, @lines, @others);
for my $file (@own) {
	my $text = slurp($file) =~ s{^\s*/?\*.*$}{}mgr;
	my $short = $file =~ s{^\Q$top\E/}{}r;
	push @comments, $short if $text =~ m{"[^"\n]*/\*[^"\n]*%s};
	push @lines, $short if $text =~ /"[^"\n]*#line/;
	push @others, $short if $text =~ /"(?:\\n)*static (?:const|vt_)/ && !grep { $_ eq $file } @emitters;
}
ok(!@comments, 'comments with text in them are those of ct_comment', @comments);
ok(!@lines, '#line is written by ct_lines', @lines);
ok(!@others, 'who writes C is looked at here', @others);

# ---- and what goes to a terminal goes by vt_say, which shows what a terminal would obey ----

my @loud = grep { slurp($_) =~ /\bf(?:printf|puts)\((?:stderr,\s*"[^;]*?%s|[^";]*, stderr\))/ } files_like("$top/{compiler,runtime}/*/*.c");
ok(!@loud, 'no text is printed to standard error as it is', map { s{^\Q$top\E/}{}r } @loud);
done();
