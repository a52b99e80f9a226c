#!/usr/bin/perl
# `make site`: every page is there, every link leads somewhere, nothing comes from outside, and the search finds. With Chromium in the browser too.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Browser;
use Tap;

my $top = "$FindBin::Bin/../..";
skip_all('cmark-gfm is not installed') if !grep { -x "$_/cmark-gfm" } split /:/, $ENV{PATH};
my $site = "$W/site";
my ($rc, $out, $err) = run_program({}, 'perl', "$top/templates/site/make.pl", $site);
is("$rc $err", '0 ', 'the site is made');
my %html = map { (s{^\Q$site\E/}{}r) => slurp($_) } files_like("$site/*.html"), files_like("$site/internals/*.html");
my @documents = (files_like("$top/docs/*.md"), files_like("$top/docs/internals/*.md"));
my @lost = grep { my $to = s{^\Q$top\E/docs/}{}r =~ s/README\.md\z/index.html/r =~ s/\.md\z/.html/r; !$html{$to} } @documents;
is("@lost", '', 'each document has a page');

# ---- links, and what a page loads
my %ids = map { $_ => { map { $_ => 1 } $html{$_} =~ / id="([^"]*)"/g } } keys %html;
sub target {
	my ($page, $path) = @_;
	my @part = split m{/}, $page =~ s{[^/]*\z}{}r;
	for (split m{/}, $path) { if ($_ eq '..') { return undef if !@part; pop @part } else { push @part, $_ } }
	return join '/', @part;
}
my (@broken, @outside, $links);
for my $page (sort keys %html) {
	my $text = $html{$page};
	for ($text =~ /<a [^>]*?href="([^"]*)"/g) {
		next if m{^(?:https?|mailto):};
		$links++;
		my ($path, $anchor) = /^([^#]*)#?(.*)\z/;
		my $to = $path eq '' ? $page : target($page, $path) // '(above)';
		push @broken, "$page: $_" if !$html{$to} || ($anchor ne '' && !$ids{$to}{$anchor});
	}
	for ($text =~ /<(?:link|script|img|iframe|source|video|audio|object|embed)\b[^>]*?(?:href|src|data)="([^"]*)"/g) {
		next if $_ eq 'data:,';
		my $to = m{^[\w+.-]+:|^//|^/} ? undef : target($page, $_);
		push @outside, "$page: $_" if !defined $to || !-e "$site/$to";
	}
	push @outside, "$page: has a style or a script of its own" if $text =~ /<style|<script(?![^>]* src=)| style="| on\w+="/;
	push @outside, "$page: has no policy" if $text !~ /Content-Security-Policy" content="default-src 'none'/;
}
ok($links > 3000, "there are links: $links");
is(join("\n", @broken), '', 'every link leads to a page and a heading');
is(join("\n", @outside), '', 'pages load what lies beside them');
unlike(slurp("$site/style.css"), qr/url\(|\@import/, 'and so does the style');
unlike(slurp("$site/site.js"), qr{https?://|fetch\(|XMLHttp|WebSocket}, 'and so does the script');

# ---- what pages hold
like($html{'tutorial-yay.html'}, qr{<p class="file">app\.yay</p>\n<pre><code class="language-yay">name: shop}, 'a file has its name above');
like($html{'tutorial-yay.html'}, qr{\$ <b>vetro yay app\.yay</b>\n\{}, 'commands stand out');
like($html{'tosca.html'}, qr{<div class="wide"><table>}, 'tables are tables');
like($html{'tosca.html'}, qr{<a href="tosca-keynames\.html">TOSCA, keyname by keyname</a>}, 'a link by file name has the title of the page');
like($html{'internals/compiler-cmd.html'}, qr{<link rel="stylesheet" href="\.\./style\.css">}, 'pages in folders find the style');
unlike(join('', values %html), qr/@(?:TITLE|TOP|MENU|BODY|OUTLINE|TURN)@/, 'nothing of the frame is left');

# ---- the index of the search
my ($rows) = slurp("$site/search.js") =~ /\AvetroIndex\((.*)\);\n\z/s;
my $index = JSON::PP->new->decode($rows);
is_json([grep { my ($p, $a) = split /#/, $_->{p}; !$html{$p} || (defined $a && !$ids{$p}{$a}) } @$index], [], 'the index leads to pages and headings');
my ($row) = grep { $_->{p} eq 'yay-reference.html#extend' } @$index;
like($row->{x}, qr/^Appends to a list that is there already/, 'a row has the text below its heading');

# ---- twice the same, and no folder of somebody else
($rc) = run_program({}, 'perl', "$top/templates/site/make.pl", "$W/again");
is((run_program({}, 'diff', '-r', $site, "$W/again"))[1], '', 'the same documents give the same bytes');
mkdir "$W/mine";
spew("$W/mine/letter.txt", "dear\n");
($rc, $out, $err) = run_program({}, 'perl', "$top/templates/site/make.pl", "$W/mine");
ok($rc != 0 && $err =~ /is no site/ && -e "$W/mine/letter.txt", 'a folder with something else in it stays');

# ---- in a browser
my $missing = $ENV{SITE_SHOTS} ? Browser::missing() : 'make check-site looks at it in Chromium';
if ($missing) {
	skip('the site in a browser', $missing);
	done;
	exit;
}
mkdir $ENV{SITE_SHOTS};
my $b = Browser->start($W);
sub shot { return $b->screenshot("$ENV{SITE_SHOTS}/$_[0].png") }
$b->open_page("file://$site/index.html");
my $loaded = $b->script('return performance.getEntriesByType("resource").map(e => e.name).concat(document.URL)');
is(join(' ', grep { !m{^file://\Q$site\E/|^data:} } @$loaded), '', 'all that is loaded is in the folder');
is_json($b->log, [], 'the browser has nothing to say');
ok(!$b->script('return document.documentElement.scrollWidth > innerWidth'), 'a wide page fits');
shot('wide-light');
$b->click('#theme');
is($b->script('return document.documentElement.dataset.theme'), 'dark', 'the button makes it dark');
shot('wide-dark');
$b->open_page("file://$site/yay.html");
is($b->script('return document.documentElement.dataset.theme'), 'dark', 'and the next page too');
$b->command(POST => $b->find('#search') . '/value', { text => 'extend list' });
ok($b->wait_for('document.querySelectorAll("#found a").length'), 'the search finds');
like($b->script('return document.querySelector("#found a.on").href'), qr/yay-reference\.html#extend$/, 'the entry of that name first');
shot('search');
$b->command(POST => $b->find('#search') . '/value', { text => "\x{e007}" });
ok($b->wait_for('location.href.endsWith("yay-reference.html#extend")'), 'Enter goes there');
$b->open_page("file://$site/yay.html");
$b->command(POST => $b->find('#search') . '/value', { text => 'xyzzyplugh' });
ok($b->wait_for('/Nothing is found/.test(document.getElementById("found").textContent)'), 'or says that there is nothing');
for my $page (qw(index tosca-keynames functions from-jq cookbook-deploy)) {
	$b->command(POST => '/window/rect', { width => 500, height => 900 });
	$b->open_page("file://$site/$page.html");
	ok(!$b->script('return document.documentElement.scrollWidth > innerWidth'), "$page fits a narrow window");
	ok(!$b->script('return document.getElementById("menu").open'), "$page: its menu is closed there");
	shot("narrow-$page");
}
is_json($b->log, [], 'the browser still has nothing to say');
undef $b;
done;
