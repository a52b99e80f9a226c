#!/usr/bin/perl
# `vetro check` of a package with a form: names, first values, objects against the classes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $manifest = <<'END';
Format: 1.4
FullName: t
Name: Shop
Type: Application
Classes: {t.Shop: Shop.yaml, t.Oven: Oven.yaml, t.Big: Big.yaml}
END
my $shop = <<'END';
Namespaces: {=: t, std: io.murano}
Name: Shop
Extends: std:Application
Properties:
  title: {Contract: $.string().notNull()}
  port: {Contract: $.int().notNull(), Default: 80}
  mode:
    Contract: $.string().check($ in [shop, stall])
    Default: shop
  oven: {Contract: $.class(Oven).notNull()}
  spare: {Contract: [$.class(Oven).notNull()], Default: []}
  plan:
    Contract: $.template(Oven, excludeProperties => [limit])
  done: {Contract: $.bool(), Usage: Out}
END
my $oven = "Namespaces: {=: t, std: io.murano}\nName: Oven\nProperties:\n  limit: {Contract: \$.int().notNull()}\n  hot: {Contract: \$.bool()}\n";
my $big = "Namespaces: {=: t, std: io.murano}\nName: Big\nExtends: Oven\n";
my $form = <<'END';
Version: 2
Parameters:
  least: 1
Templates:
  oven:
    ?:
      type: t.Oven
    limit: $.shop.limit
Application:
  ?:
    type: t.Shop
  title: $.shop.title
  port: coalesce($.shop.port, $least)
  mode: $.shop.mode
  oven: $oven
  spare:
    - ?: {type: t.Big}
      limit: 3
  plan:
    ?: {type: t.Oven}
    hot: true
Forms:
  - shop:
      fields:
        - name: title
          type: string
          initial: Corner
          minLength: 2
          maxLength: 10
          regexpValidator: '^[A-Z]'
        - name: port
          type: integer
          minValue: 1
          maxValue: 99
          initial: 80
          validators: [{expr: $ > 0, message: more}]
        - name: mode
          type: choice
          choices:
            - [shop, Shop]
            - [stall, Stall]
          initial: shop
        - name: limit
          type: integer
          required: false
  - other:
      fields:
        - name: note
          type: text
          hidden: true
          required: false
      validators:
        - expr: $.shop.port > $.shop.limit
          message: too hot
END
my $n = 0;

# Diagnostics as "CODE:line".
sub found {
	my ($text, @options) = @_;
	my $dir = package_dir('p' . $n++, { 'manifest.yaml' => $manifest, 'Classes/Shop.yaml' => $shop, 'Classes/Oven.yaml' => $oven,
		'Classes/Big.yaml' => $big, 'UI/ui.yaml' => $text });
	my ($rc, $out) = vetro('check', '--format', 'json', @options, $dir);
	my @all = map { my $d = eval { $json->decode($_) } // {}; ($d->{code} // '?') . ':' . ($d->{line} // '?') } grep { /\S/ } split /\n/, $out;
	return join(' ', @all) . ($rc ? ' !' : '');
}

sub fault {
	my ($old, $new, $code, $title) = @_;
	my $text = $form;
	my $at = index $text, $old;
	return ok(0, $title, "no such text: $old") if $at < 0;
	my $kept = 0;
	$kept++ while substr($old, $kept, 1) eq substr($new, $kept, 1) && $kept < length $new;
	my $line = 1 + (substr($text, 0, $at + $kept) =~ tr/\n//);
	substr($text, $at, length $old) = $new;
	my $bad = $code =~ /^E|W1066|W1069|W1074/ ? ' !' : '';
	$code .= ":$line" unless $code =~ /:/;
	return is(found($text), "$code$bad", $title);
}

is(found($form), '', 'a form without a mistake');

# ---- names
fault('$.shop.title', '$.shop.titel', 'W1069', 'a field that is not there');
fault('$.shop.limit' . "\nApp", '$.shop.limits' . "\nApp", 'W1069', 'in a template');
fault('coalesce($.shop.port', 'coalesce($.shop.prot', 'W1069', 'in an argument');
fault('$.shop.port >', '$.shop.post >', 'W1069', 'in the validator of a form');
fault('$.shop.mode', '$.shops.mode', 'W1069', 'a form that is not there');
fault('> $.shop.limit', '> $.hop.limit', 'W1069', 'a form in a validator');
fault('$oven', '$ovens', 'W1069', 'a template that is not there');
fault('oven: $oven', 'oven: ref(owen)', 'W1069', 'a template of ref()');
fault('$least', '$lest', 'W1069', 'a parameter that is not there');
fault('type: text', 'type: texts', 'W1069', 'a type of fields that is not there');
fault("initial: Corner\n          minL", "initial: Corner\n          minLen: 2\n          minL", 'E1204', 'an attribute that is not there');
fault("type: integer\n          minV", "type: number\n          minV", 'E1204', 'a type that is none, with attributes');

# What may have another `$`, names of its own, or is added by the dashboard is no mistake.
is(found($form, '--strict'), '', 'nor with --strict');
for my $x ('$.shop.select($.nosuch)', 'let(x => 1) -> $x + $.y', '$.shop.keys().where($ = $.a)', '$forms.shop.port', '[1, 2].select($ + $index)') {
	(my $text = $form) =~ s/coalesce\(.*\)/$x/;
	unlike(found($text), qr/W1069/, "no name is missed in $x");
}
(my $named = $form) =~ s/^Version: 2$/Version: 2.2/m;
$named =~ s/\$\.shop\.title/\$.workflowManagement.application_name/;
$named =~ s/^(  title:)/  name: x\n$1/m;
is(found($named), '', 'what the dashboard adds');
(my $source = $form) =~ s/^Parameters:/ParametersSource: t.Shop.more\nParameters:/m;
$source =~ s/\$least/\$anything/;
is(found($source), '', 'parameters that a method gives');

# ---- first values
fault('initial: 80', 'initial: 0', 'W1068', 'below minValue');
fault('initial: 80', 'initial: 100', 'W1068', 'above maxValue');
fault('initial: 80', 'initial: many', 'W1068', 'no number');
fault('initial: Corner', 'initial: C', 'W1068', 'too short');
fault('initial: Corner', 'initial: Cornershops', 'W1068', 'too long');
fault('initial: Corner', 'initial: corner', 'W1068', 'not the pattern');
fault('maxValue: 99', 'maxValue: 0', 'W1068', 'bounds between which there is nothing, told once');
fault('maxLength: 10', 'maxLength: 1', 'W1068', 'lengths too');
fault("          minValue: 1\n          maxValue: 99\n", "          max_value: -5\n          minValue: 2.5\n", 'W1068:33', 'by any spelling');
fault('$ > 0, message', '$ > 80, message', 'W1068:35', 'not its own validator');
fault('$ > 0, message', '$.len() > 80, message', 'W1068:35', 'a validator that fails on it');
for (['$ in list(80, 90)', 'a validator that holds'], ['range(100000).len() < $', 'one that takes more than a check may']) {
	my ($expr, $title) = @$_;
	is(found($form =~ s/validators: \[\{expr: \$ > 0, message: more\}\]/validators:\n            - expr: $expr/r), '', $title);
}
fault("regexpValidator: '^[A-Z]'", "validators: [{expr: {regexpValidator: '^[a-z]'}}, {expr: \$.startsWith(C)}]", 'W1068:27', 'of several');
fault("- [stall, Stall]", "- [stall, Stall]\n            - [shop, Else]", 'W1073:42', 'a choice that stands twice');
fault('name: note', "name: size\n          type: flavor\n          requirements: {min_vcpus: 4, max_vcpus: 2}\n        - name: note", 'W1068:50', 'flavors');
fault('initial: shop', 'initial: market', 'W1068', 'none of the choices');
fault('- [shop, Shop]', '- [kiosk, Kiosk]', 'W1068:40 W1068:42', 'a choice that neither the class nor the first value is');
fault('[stall, Stall]', '[kiosk, Kiosk]', 'W1068', 'a choice that the class refuses');
fault("hidden: true\n          required: false", "hidden: true\n          required: true", 'W1068:50', 'hidden, required, empty');

# ---- fields
fault('name: limit', 'name: port', 'W1069:8 W1073:43 W1069:53', 'a field that stands twice');
fault('$ > 0', '$ >> 0', 'W1074', 'a validator that YAQL cannot read');
fault('$ > 0', '$ ==', 'W1074', 'another one');
fault("'^[A-Z]'", "'^[A-Z'", 'E1205', 'a pattern');

# ---- objects
fault('type: t.Oven' . "\n    limit", 'type: t.Oben' . "\n    limit", 'W1066', 'the class of a template');
fault('type: t.Shop', 'type: t.Shops', 'W1066', 'the class of the application');
fault('{type: t.Big}', '{type: t.Bigg}', 'W1066', 'the class of an object in a list');
fault('  mode: $', '  kind: $', 'W1067', 'a property that is not there');
fault('      limit: 3', "      limit: 3\n      colour: red", 'W1067:19', 'in a list');
fault("  title: \$.shop.title\n", '', 'W1066:10', 'a property that must be given');
fault("    limit: \$.shop.limit\n", '', 'W1066:6', 'one of a template');
fault("\n      limit: 3", '', 'W1066:17', 'one of an object in a list');
fault('limit: 3', 'limit: hot', 'W1066', 'a value that the contract refuses');
fault("{type: t.Oven}\n    hot", "{type: t.Shop}\n    hot", 'W1066:20 W1066:20 W1066:20 W1067:21', 'in a template of the class');
fault('  oven: $oven', "  oven:\n    ?: {type: t.Shop}\n    title: a\n    oven: \$oven\n    plan: null", 'W1066:16', 'another class');
fault('  plan:', "  done: true\n  plan:", 'W1067', 'what the user does not give');
# ---- encryptData: the environment stands for the key store
spew("$W/secret.yaml", "Version: 2\nApplication:\n  ?: {id: x}\n  key: encryptData(\$.f.p)\nForms:\n  - f:\n      fields:\n" .
	"        - {name: p, type: string, initial: abc}\n");
spew("$W/env.json", '{"secrets": {"id-1": "other", "id-2": "abc"}}');
my ($rc, $out, $err) = vetro('form', '--environment', "$W/env.json", "$W/secret.yaml");
like($out, qr/"key":\s*"id-2"/, 'encryptData gives the id of the environment');
($rc, $out, $err) = vetro('form', '--environment', "$W/env.json", '--set', 'f.p=unknown', "$W/secret.yaml");
like($err, qr/KeyManagerError: the secrets of the environment have no such text/, 'a text that it lacks');
unlike($err, qr/unknown'|"unknown"/, 'which is not shown');
($rc, $out, $err) = vetro('form', "$W/secret.yaml");
like($err, qr/there is no key store/, 'nothing stands for it');
done();
