#!/usr/bin/perl
# Editors with `vetro lsp`: a session in neovim without a screen, and the files for the other editors.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $editor = realpath("$FindBin::Bin/../../templates/editor");

# ---- files that others read ----

my $package = decode_json(slurp("$editor/vscode/package.json"));
ok(-f "$editor/vscode/$_", "the extension for VS Code has $_")
	for $package->{main}, map({ $_->{configuration} } @{ $package->{contributes}{languages} }),
	map({ $_->{path} } @{ $package->{contributes}{grammars} });
my $grammar = decode_json(slurp("$editor/vscode/syntaxes/yaql.json"));
for my $rule (@{ $grammar->{repository}{expression}{patterns} }) {
	ok(eval { qr/$rule->{match}/ }, "the pattern of $rule->{name} is one");
}
my @tokens;
my $text = q{$.a.where($ > 10 and name =~ 'x').select(len($))};
pos($text) = 0;
TOKEN: while (pos($text) < length $text) {
	for my $rule (@{ $grammar->{repository}{expression}{patterns} }) {
		next if $text !~ /\G(?:$rule->{match})/gc;
		push @tokens, $1 if $rule->{name} =~ /(\w+)\.yaql$/;
		next TOKEN;
	}
	pos($text)++;
}
is(join(' ', @tokens), 'other operator operator function other operator numeric word operator single operator function function other',
	'the grammar of YAQL finds its parts');

# ---- neovim ----

my ($found) = run_program({merge => 1}, 'sh', '-c', 'command -v nvim');
if ($found != 0) {
	skip('a session in neovim', 'neovim is not installed (apt-get install neovim)');
	done;
	exit;
}
my $dir = realpath(package_dir('app', {'manifest.yaml' => <<'Y', 'Classes/App.yaml' => <<'C'}));
Format: 1.4
Type: Library
FullName: org.example.App
Classes: {org.example.App: App.yaml}
Y
Name: org.example.App
Properties:
  # How many of them.
  size:
    Contract: $.int()
    Default: 1
Methods:
  run:
    Body:
      - Return: $.size + 1
C
spew("$W/session.lua", <<'L');
local out = {}
local function say(...) out[#out + 1] = table.concat({ ... }, ' ') end
local function wait(what, ready)
	if not vim.wait(60000, ready, 20) then say('late:', what) end
end
local function run()
	vim.cmd('edit ' .. vim.env.SAMPLE)
	local buffer = vim.api.nvim_get_current_buf()
	wait('client', function() return #vim.lsp.buf_get_clients(buffer) > 0 or next(vim.lsp.buf_get_clients(buffer)) end)
	local function ask(method, more)
		local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(), more or {})
		local r = vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}
		for _, answer in pairs(r) do return answer.result end
	end
	local function place(line, text)
		local at = vim.fn.stridx(vim.fn.getline(line), text)
		vim.api.nvim_win_set_cursor(0, { line, at })
	end
	wait('no diagnostic', function() return #vim.diagnostic.get(buffer) == 0 end)
	place(10, 'size')
	say('hover', (ask('textDocument/hover').contents.value:match('How many[^\n]*')))
	say('definition', ask('textDocument/definition').range.start.line)
	vim.api.nvim_buf_set_lines(buffer, 9, 10, false, { '      - Return: $.sise + 1' })
	wait('diagnostic', function() return #vim.diagnostic.get(buffer) > 0 end)
	local d = vim.diagnostic.get(buffer)[1]
	say('diagnostic', d.lnum, d.code or (d.user_data and d.user_data.lsp.code) or '')
	place(10, 'sise')
	local params = vim.lsp.util.make_range_params()
	params.context = { diagnostics = {} }
	for _, answer in pairs(vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction', params, 60000)) do
		say('fix', answer.result[1].title)
		vim.lsp.util.apply_workspace_edit(answer.result[1].edit, 'utf-16')
	end
	say('line', (vim.fn.getline(10):gsub('^ *', '')))
	wait('mended', function() return #vim.diagnostic.get(buffer) == 0 end)
	vim.api.nvim_buf_set_lines(buffer, 10, 10, false, { '      - $.' })
	vim.api.nvim_win_set_cursor(0, { 11, 9 })
	vim.api.nvim_win_set_cursor(0, { 11, 10 })
	local names = {}
	local p = vim.lsp.util.make_position_params()
	p.position = { line = 10, character = 10 }
	for _, item in ipairs(ask('textDocument/completion', p).items) do names[item.label] = true end
	say('completion', names.size and 'size' or '', names.run and 'run' or '')
	say('symbols', #ask('textDocument/documentSymbol'))
	vim.api.nvim_buf_set_lines(buffer, 9, 11, false, { '      -   Return:  $.size+1   # all' })
	vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('\\f', true, false, true), 'mx', false)
	say('formatted', vim.fn.getline(10))
	place(10, 'size')
	vim.lsp.buf.rename('amount')
	wait('rename', function() return vim.fn.getline(10):find('amount') end)
	say('renamed', vim.fn.getline(10):match('[$]%S+'), vim.fn.search('^  amount:'))
	place(8, 'run')
	say('item', ask('textDocument/prepareCallHierarchy')[1].name)
	local all = { start = { line = 0, character = 0 }, ['end'] = { line = 99, character = 0 } }
	say('hint', ask('textDocument/inlayHint', { range = all })[1].label)
	vim.cmd('edit! ' .. vim.env.SERVICE)
	buffer = vim.api.nvim_get_current_buf()
	wait('second client', function() return next(vim.lsp.buf_get_clients(buffer)) end)
	vim.api.nvim_win_set_cursor(0, { 4, 30 })
	names = {}
	for _, item in ipairs(ask('textDocument/completion').items) do names[#names + 1] = item.label end
	say('types', table.concat(names, ' '))
	say('type', (ask('textDocument/hover').contents.value:match('A house[.]')))
end
local good, why = pcall(run)
if not good then say('failed:', why) end
vim.fn.writefile(vim.split(table.concat(out, '\n'), '\n'), vim.env.RESULT)
vim.cmd('qa!')
L
spew("$W/service.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
node_types: {House: {description: A house.}}
service_template:
  node_templates: {a: {type: House}}
Y
my ($bin) = realpath($vetro) =~ m{^(/.*)/};
my %files = (SERVICE => "$W/service.yaml", SAMPLE => "$dir/Classes/App.yaml", RESULT => "$W/result");
my %env = (%files, HOME => $W, XDG_CONFIG_HOME => "$W/none", PATH => "$bin:$ENV{PATH}");
my ($rc, $said) = run_program({env => \%env, merge => 1, limit => 120}, 'nvim', '--headless', '--clean', '-u', "$editor/neovim/vetro.lua",
	'-c', 'filetype on', '-c', "luafile $W/session.lua");
my @lines = split /\n/, slurp("$W/result");
ok(!grep({ /^(late|failed)/ } @lines), 'a session in neovim goes through', @lines, $said);
is_lines(\@lines, ['hover How many of them.', 'definition 3', 'diagnostic 9 W1040', 'fix Replace "sise" by "size"', 'line - Return: $.size + 1',
	'completion size run', 'symbols 3', 'formatted       - Return: $.size + 1 # all', 'renamed $.amount 4',
	'item run', 'hint  gives an integer', 'types House', 'type A house.'],
	'mistake, diagnostic, quick fix, hover, definition, completion, symbols, format, rename, hierarchy, hints, and TOSCA');
done;
