#!/usr/bin/perl
# An artifact with a checksum becomes part of a binary only when its file is that one.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Digest::SHA qw(sha1_hex sha256_hex sha512_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $text = "#!/bin/sh\necho installed\n";
spew("$W/install.sh", $text);
sub built {
	my ($keys) = @_;
	spew("$W/s.yaml", <<"Y");
tosca_definitions_version: tosca_2_0
artifact_types: { Bash: {} }
node_types: { N: {} }
service_template:
  node_templates:
    n:
      type: N
      artifacts: { a: { type: Bash, file: install.sh$keys } }
Y
	return vetro('build', '--emit=c', "$W/s.yaml");
}
my ($md5, $sha1, $sha256, $sha512) = map { $_->($text) } \&md5_hex, \&sha1_hex, \&sha256_hex, \&sha512_hex;
for my $keys ('', ", checksum: '$md5', checksum_algorithm: MD5", ", checksum: '$sha256', checksum_algorithm: SHA-256", ", checksum: '$sha512'",
	", checksum: '\U$sha256\E', checksum_algorithm: sha_256", ", checksum: '$sha1', checksum_algorithm: SHA") {
	my ($rc, $out, $err) = built($keys);
	ok($rc == 0 && $out =~ /echo installed/, 'it is that file' . substr($keys, 0, 24), $err);
}
for my $case (["checksum: '" . md5_hex('another') . "', checksum_algorithm: MD5", "has the checksum $md5, and not"],
	["checksum: '$md5', checksum_algorithm: SHA-256", 'has the checksum'], ["checksum: '$sha256', checksum_algorithm: CRC32", "'CRC32' is no algorithm"],
	["checksum: 'abc'", "'abc' is no algorithm"], ["checksum: ''", 'is no algorithm']) {
	my ($rc, $out, $err) = built(", $case->[0]");
	ok($rc == 1 && $out eq '' && $err =~ /s\.yaml:8:\d+: error\[E2018\]: .*\Q$case->[1]\E/, "refused: $case->[0]", $rc, $err);
}
done();
