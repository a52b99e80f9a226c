#!/usr/bin/perl
# The site: one folder of HTML made from README.md and docs/. usage: perl templates/site/make.pl OUT_DIR
#
# cmark-gfm (Debian package cmark-gfm) makes HTML of each page. What is done here: links between
# pages, anchors, the menu from README's tables, the outline, and the index of the search.
use strict;
use warnings;
use FindBin;
use File::Path qw(make_path remove_tree);
use File::Copy qw(copy);
use JSON::PP;

my $top = "$FindBin::Bin/../..";
my $out = $ARGV[0] // die "usage: make.pl OUT_DIR\n";
system('cmark-gfm --version >/dev/null 2>&1') == 0
	or die "missing: cmark-gfm (Debian package cmark-gfm)\nhint: apt-get install cmark-gfm\n";

sub slurp {
	my ($path) = @_;
	open my $f, '<:encoding(UTF-8)', $path or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

sub spew {
	my ($path, $text) = @_;
	make_path($path =~ s{/[^/]*\z}{}r);
	open my $f, '>:encoding(UTF-8)', "$path.tmp" or die "$path: $!\n";
	print {$f} $text;
	close $f or die "$path: $!\n";
	rename "$path.tmp", $path or die "$path: $!\n";
}

sub escape { return $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr =~ s/"/&quot;/gr }

sub plain {
	my ($html) = @_;
	$html =~ s/<[^>]*>//g;
	$html =~ s/&lt;/</g, $html =~ s/&gt;/>/g, $html =~ s/&quot;/"/g, $html =~ s/&amp;/&/g;
	return $html =~ s/\s+/ /gr =~ s/^ | $//gr;
}

# ---- pages: source below the top => place in the site ----

my %place = ('README.md' => 'index.html', 'SECURITY.md' => 'security-reports.html');
for (glob "$top/docs/*.md $top/docs/internals/*.md") {
	my $source = s{^\Q$top\E/}{}r;
	my $to = $source =~ s{^docs/}{}r =~ s{README\.md\z}{index.html}r =~ s{\.md\z}{.html}r;
	$place{$source} = $to;
}
# index.html is README's; the index of the internals has its folder.
my %title = map { $_ => (slurp("$top/$_") =~ /^# (.*)$/m ? plain($1 =~ s/`//gr) : $_) } keys %place;
$title{'README.md'} = 'vetro';

# What a path means that a page of that source names; undef: it leads out of the repository.
sub resolve {
	my ($from, $path) = @_;
	my @part = split m{/}, $from =~ s{[^/]*\z}{}r;
	for (split m{/}, $path) {
		next if $_ eq '' || $_ eq '.';
		if ($_ eq '..') { return undef if !@part; pop @part }
		else { push @part, $_ }
	}
	return join '/', @part;
}

# ---- the menu: the tables of README ----

my (@menu, %listed);
{
	my $group;
	my ($tables) = slurp("$top/README.md") =~ /^## Documents$(.*)/ms;
	for (split /\n/, $tables) {
		if (/^(\w+):$/) { push @menu, $group = [$1] }
		next unless $group && /^\|/;
		push @$group, grep { $place{$_} && !$listed{$_}++ } map { resolve('README.md', $_) } /\]\(([^)#]+)/g;
	}
}
my @order = ('README.md', map { @$_[1 .. $#$_] } @menu);

# The name of a page in the menu, without what its group says.
sub short { return $title{ $_[0] } =~ s/^Cookbook: /Recipes: /r =~ s/ to vetro$//r =~ s/ to vetro query$//r }

sub menu_of {
	my ($current, $up) = @_;
	my $html = '';
	for my $group (@menu) {
		my ($name, @pages) = @$group;
		$html .= "<h2>$name</h2>\n<ul>\n";
		for (@pages) {
			my $on = $_ eq $current || ($current =~ m{^docs/internals/} && $_ eq 'docs/internals/README.md');
			$html .= "<li><a href=\"$up$place{$_}\"" . ($on ? ' aria-current="page"' : '') . '>' . escape(short($_)) . "</a></li>\n";
		}
		$html .= "</ul>\n";
	}
	return $html;
}

# ---- a page ----

# As GitHub names headings: small letters, no punctuation, blanks are dashes.
sub slug {
	my ($text, $seen) = @_;
	my $s = lc $text;
	$s =~ s/[^\w\- ]//g;
	$s =~ s/ /-/g;
	my $n = $seen->{$s}++;
	return $n ? "$s-$n" : $s;
}

sub link_to {
	my ($source, $up, $href) = @_;
	return $href if $href =~ m{^(?:https?|mailto):|^#};
	my ($path, $anchor) = $href =~ /^([^#]*)(#.*)?\z/;
	my $target = resolve($source, $path) // return undef;
	return undef if !$place{$target};
	return $up . $place{$target} . ($anchor // '');
}

# Links to what the site does not have become words.
sub mend_links {
	my ($source, $up, $html) = @_;
	$html =~ s{<a href="([^"]*)"([^>]*)>(.*?)</a>}{
		my ($href, $more, $words) = ($1, $2, $3);
		my $to = link_to($source, $up, $href);
		my ($name) = $href =~ m{([^/#]+\.md)};
		if (defined $name && $words eq $name && defined $to) { $words = escape($title{ resolve($source, $href =~ s/#.*//r) }) }
		my $away = defined $to && $to =~ /^https?:/ ? ' rel="noreferrer"' : '';
		defined $to ? "<a href=\"$to\"$away$more>$words</a>" : "<span title=\"in the source\">$words</span>"
	}gse;
	$html =~ s{<img src="([^"]*)"}{
		my $file = resolve($source, $1) // die "$source: no such picture: $1\n";
		my $name = $file =~ s{.*/}{}r;
		copy("$top/$file", "$out/$name") or die "$file: $!\n";
		"<img src=\"$up$name\""
	}ge;
	return $html;
}

# Commands of a console block stand out; a block that is a file has its name above.
sub mend_blocks {
	my ($html) = @_;
	$html =~ s{(<code class="language-console">)(.*?)(</code>)}{
		my ($a, $text, $b) = ($1, $2, $3);
		$text =~ s{^\$ ((?:.*\\\n)*.*)$}{\$ <b>$1</b>}mg;
		"$a$text$b"
	}gse;
	$html =~ s{<pre><code class="language-(\w+)" data-meta="([^"]*)">}{<p class="file">$2</p>\n<pre><code class="language-$1">}g;
	$html =~ s{<table>}{<div class="wide"><table>}g;
	$html =~ s{</table>}{</table></div>}g;
	return $html;
}

sub html_of {
	my ($source) = @_;
	open my $p, '-|:encoding(UTF-8)', 'cmark-gfm', '-e', 'table', '--full-info-string', "$top/$source" or die "cmark-gfm: $!\n";
	local $/;
	my $html = <$p>;
	close $p or die "cmark-gfm failed for $source\n";
	return $html =~ s/<!-- raw HTML omitted -->\n?//gr;
}

my @index;
# Headings get anchors; the text between two is a row of the index.
sub mend_headings {
	my ($source, $html) = @_;
	my (%seen, @outline);
	$html =~ s{<h([1-6])>(.*?)</h\1>}{
		my ($level, $words) = ($1, $2);
		my $id = slug(plain($words), \%seen);
		push @outline, [$level, $id, $words] if $level =~ /[23]/;
		"<h$level id=\"$id\">$words<a class=\"anchor\" href=\"#$id\" aria-label=\"Link to this heading\">#</a></h$level>"
	}gse;
	my @parts = split /(?=<h[1-6] id=)/, $html;
	for (@parts) {
		my ($id, $words) = m{^<h\d id="([^"]*)">(.*?)<a class="anchor"};
		my $text = plain(s{^<h\d.*?</h\d>}{}r =~ s/<\/(?:p|li|td|th|pre|tr)>/ /gr);
		my $heading = defined $words ? plain($words) : $title{$source};
		my $first = !defined $words || $words eq '' || m/^<h1/;
		push @index, { p => $place{$source} . ($first ? '' : "#$id"), n => $title{$source}, t => $first ? $title{$source} : $heading, x => $text };
	}
	return ($html, @outline);
}

sub outline_of {
	my (@rows) = @_;
	return '' if @rows < 3;
	my $most = @rows > 60 ? 2 : 3;
	my $html = "<h2>On this page</h2>\n<ul>\n";
	$html .= '<li><a' . ($_->[0] == 3 ? ' class="deep"' : '') . " href=\"#$_->[1]\">" . ($_->[2] =~ s/<\/?a[^>]*>//gr) . "</a></li>\n" for grep { $_->[0] <= $most } @rows;
	return "$html</ul>\n";
}

sub turn_of {
	my ($source, $up) = @_;
	my ($at) = grep { $order[$_] eq $source } 0 .. $#order;
	return '' if !defined $at;
	my $html = '';
	$html .= "<a href=\"$up$place{$order[$at - 1]}\">← " . escape(short($order[$at - 1])) . '</a>' if $at > 0;
	$html .= "<a href=\"$up$place{$order[$at + 1]}\">" . escape(short($order[$at + 1])) . ' →</a>' if $at < $#order;
	return $html;
}

sub make_page {
	my ($source, $frame) = @_;
	my $to = $place{$source};
	my $up = '../' x ($to =~ tr{/}{});
	my $html = html_of($source) =~ s{<code class="language-(\w+) ([^"]*)">}{<code class="language-$1" data-meta="$2">}gr;
	($html, my @outline) = mend_headings($source, mend_blocks($html));
	my %part = (TITLE => escape($title{$source} eq 'vetro' ? 'vetro' : "$title{$source} - vetro"), TOP => $up, MENU => menu_of($source, $up),
		BODY => mend_links($source, $up, $html), OUTLINE => outline_of(@outline), TURN => turn_of($source, $up));
	spew("$out/$to", $frame =~ s/@([A-Z]+)@/$part{$1}/gr);
}

# A folder is replaced only when it is a site, or empty.
die "$out is no site: name another folder\n" if -e $out && !-e "$out/search.js" && glob("$out/*");
remove_tree($out);
make_path($out);
my $frame = slurp("$FindBin::Bin/page.html");
make_page($_, $frame) for sort keys %place;
copy("$FindBin::Bin/$_", "$out/$_") or die "$_: $!\n" for qw(style.css site.js);
my $json = JSON::PP->new->canonical;
spew("$out/search.js", "vetroIndex([\n" . join(",\n", map { $json->encode($_) } @index) . "\n]);\n");
printf "%s: %d pages, %d sections\n", $out, scalar(keys %place), scalar(@index);
