#!/bin/sh
# Makes DIR/libcurl.a for `vetro build --static`: Debian's source of curl with HTTP and HTTPS over OpenSSL and nothing else.
# The archive that Debian packages needs libraries of which there are no archives.
# usage: curl.sh DIR
#
# Nothing of apt's own state changes: sources are asked for with lists that live below DIR.
set -eu
dir=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$dir/libcurl.a" ] && exit 0
work=$dir/work
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/src"
as=''
[ "$(id -u)" = 0 ] || as=sudo
need=''
command -v dpkg-source >/dev/null 2>&1 || need="$need dpkg-dev"
[ -e /usr/include/openssl/ssl.h ] || need="$need libssl-dev"
[ -e /usr/include/zlib.h ] || need="$need zlib1g-dev"
if [ -n "$need" ]; then DEBIAN_FRONTEND=noninteractive $as apt-get install -y -q --no-install-recommends $need; fi

# Where Debian's packages come from, their sources come from too.
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ -e "$f" ] && sed -n 's/^deb \(.*debian.*\)/deb-src \1/p' "$f"
done >"$work/sources.list"
mkdir -p "$work/parts"
for f in /etc/apt/sources.list.d/*.sources; do
	[ -e "$f" ] && sed 's/^Types:.*/Types: deb-src/' "$f" >"$work/parts/$(basename "$f")"
done
apt() {
	apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts" \
		-o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root "$@"
}
cd "$work/src"
apt update >"$work/log" 2>&1 || true
apt source curl >>"$work/log" 2>&1 || { tail -5 "$work/log" >&2; echo "curl.sh: the source of curl cannot be had" >&2; exit 1; }
cd curl-*/
off=''
for p in dict file ftp gopher imap ldap ldaps mqtt pop3 rtsp smb smtp telnet tftp unix-sockets manual verbose-strings \
	cookies doh alt-svc hsts ntlm ntlm-wb tls-srp kerberos-auth negotiate-auth dnsshuffle \
	netrc progress-meter aws headers-api form-api mime get-easy-options dateparse bindlocal libcurl-option websockets; do off="$off --disable-$p"; done
for p in brotli zstd nghttp2 libidn2 libpsl librtmp libssh2 gssapi; do off="$off --without-$p"; done
./configure -q --disable-shared --enable-static --with-openssl --enable-threaded-resolver --disable-debug \
	--with-ca-bundle=/etc/ssl/certs/ca-certificates.crt $off CFLAGS='-Os -ffunction-sections -fdata-sections' >>"$work/log" 2>&1 ||
	{ tail -20 "$work/log" >&2; exit 1; }
make -s -j2 -C lib >>"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
cp lib/.libs/libcurl.a "$dir/libcurl.a.tmp"
mv "$dir/libcurl.a.tmp" "$dir/libcurl.a"
rm -rf "$work"
