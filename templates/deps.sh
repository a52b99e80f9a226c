#!/bin/sh
# Names, or with `install` installs through apt, what vetro is built with.
# usage: deps.sh check|install
set -u
# c: a command, h: a header, o: a header that can be done without, f: a file; then the Debian package that brings it
table='
c:gcc gcc
c:bison bison
c:re2c re2c
c:lua5.4 lua5.4
c:prove perl
h:stdio.h libc6-dev
h:yaml.h libyaml-dev
h:lua5.4/lua.h liblua5.4-dev
h:pcre2.h libpcre2-dev
h:gmp.h libgmp-dev
h:expat.h libexpat1-dev
h:utf8proc.h libutf8proc-dev
f:/usr/share/unicode/UnicodeData.txt unicode-data
o:libtcc.h libtcc-dev
h:minizip/unzip.h libminizip-dev
h:zlib.h zlib1g-dev
h:amqp.h librabbitmq-dev
h:openssl/evp.h libssl-dev
o:curl/curl.h libcurl4-openssl-dev
'
missing=''
found() {
	case $1 in
	c:*) command -v "${1#c:}" >/dev/null 2>&1 ;;
	f:*) [ -e "${1#f:}" ] ;;
	h:*|o:*) for d in /usr/include /usr/local/include /usr/include/"$(uname -m)"-linux-gnu; do
		[ -e "$d/${1#?:}" ] && return 0
	     done; return 1 ;;
	esac
}
set -- "${1:-check}" $table
mode=$1; shift
while [ $# -gt 1 ]; do
	if ! found "$1" && { [ "$mode" = install ] || [ "${1#o:}" = "$1" ]; }; then
		missing="$missing $2"
		[ "$mode" = check ] && echo "missing: ${1#?:} (Debian package $2)" >&2
	fi
	shift 2
done
[ -z "$missing" ] && exit 0
if [ "$mode" = check ]; then
	echo "hint: run 'make deps', or: apt-get install$missing" >&2
	exit 1
fi
command -v apt-get >/dev/null 2>&1 || { echo "missing:$missing; no apt-get here to install them with" >&2; exit 1; }
as=''
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || {
		echo "missing:$missing" >&2
		echo "hint: there is no sudo here; as root: apt-get install$missing" >&2
		exit 1
	}
	as=sudo
fi
echo "installing, which may take minutes:$missing"
DEBIAN_FRONTEND=noninteractive $as apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 ||
	{ $as apt-get update >/dev/null && DEBIAN_FRONTEND=noninteractive $as apt-get install -y --no-install-recommends $missing; } ||
	{ echo "apt-get could not install:$missing" >&2; exit 1; }
