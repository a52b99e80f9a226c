#!/usr/bin/perl
# The makefiles: `make -n` shows what would be done, and does nothing; what a build lacks is said.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";

# make runs a line with $(MAKE) under -n as well.
my @mixed;
for my $file ('GNUmakefile', map { "$_/files.mk" } qw(compiler runtime t)) {
	my $text = slurp("$top/$file") =~ s/\\\n\s*/ /gr;
	push @mixed, "$file: $_" for grep { /^\t.*\$\(MAKE\)/ && /\b(?:sh|perl|prove|cp|rm|mv|install)\b\s/ } split /\n/, $text;
}
is("@mixed", '', 'a line that calls make does nothing else');

sub dry {
	my ($args, %env) = @_;
	return run_program({ dir => $top, env => { MAKEFLAGS => '', MAKELEVEL => '', %env } }, 'make', '-n', @$args);
}

mkdir "$W/bin";
for my $name (qw(prove perl)) {
	spew("$W/bin/$name", "#!/bin/sh\necho '$name' >> '$W/ran'\n");
}
chmod 0755, "$W/bin/prove", "$W/bin/perl";
spew("$W/bin/$_", "#!/bin/sh\n") for 'aarch64-linux-gnu-gcc', 'qemu-aarch64-static';
chmod 0755, map { "$W/bin/$_" } 'aarch64-linux-gnu-gcc', 'qemu-aarch64-static';
my ($rc, $out, $err) = dry(['check-target', "B=$W/none"], PATH => "$W/bin:$ENV{PATH}");
like($out, qr/prove --timer/, 'make -n check-target shows the tests');
ok(!-e "$W/ran", 'and runs none');
($rc, $out, $err) = dry(['mutate', 'FILE=x.c'], PATH => "$W/bin:$ENV{PATH}");
like($out, qr/mutate\.pl 'x\.c'/, 'make -n mutate shows what it would do');
ok(!-e "$W/ran", 'and does not do it');
($rc, $out, $err) = dry(['dist', "B=$W/none", "FORM_LIBRARY=$W/nothing.js"]);
like($out, qr/templates\/dist\.sh/, 'make -n dist');
like($out, qr/^\[ -e \Q$W\E\/nothing\.js \] \|\| echo '(note: the form library is not here.*`make page` fetches it)' >&2$/m, 'says what the archives lack');

# The hot rooms are compiled by counts, which a build took; the others are not.
my $counted = "$top/build/release/counted";
if (!-e "$counted/.done") {
	skip('compiled by counts', 'no release build that counts is here');
} else {
	my @counts = glob "$counted/counts/*.gcda";
	ok((grep { /#runtime#core#dict\.gcda\z/ } @counts) && (grep { /#runtime#seq#lambda_program\.gcda\z/ } @counts), 'dicts and pipelines were counted');
	($rc, $out, $err) = dry(['-W', 'runtime/core/list.c', 'build/release/runtime/core/list.o']);
	like($out, qr{-fprofile-use=build/release/counted/counts}, 'the core is compiled by them');
	($rc, $out, $err) = dry(['-W', 'runtime/core/list.c', 'PROFILE=no', 'build/release/runtime/core/list.o']);
	like($out, qr/-c runtime\/core\/list\.c(?!.*-fprofile)/s, 'not with PROFILE=no');
	($rc, $out, $err) = dry(['-W', 'runtime/tosca/out.c', 'build/release/runtime/tosca/out.o']);
	unlike($out, qr/-fprofile-use/, 'and what counts nothing is not');
}
done;
