#!/bin/sh
# A vetro whose `build` makes a program for another machine, and a script in its place that runs it under qemu-user:
# ON_HOST=.../vetro TARGET=aarch64-linux-gnu VETRO=t/lib/target.sh prove t/murano/statements.t
# TARGET_ROOT is a root of that machine with what programs load, libcurl and libcrypto; the compiler's has libc alone.
case "$*" in
build*--shared*|build*--emit*|build*--target*) exec "$ON_HOST" "$@" ;; # these make no program, or choose for themselves
build*) ;;
*) exec "$ON_HOST" "$@" ;;
esac
"$ON_HOST" "$@" --target="$TARGET" || exit
out='' last=''
for word; do
	[ "$last" = -o ] && out=$word
	last=$word
done
[ -n "$out" ] && [ -f "$out" ] || exit 0
mv "$out" "$out.$TARGET"
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
printf '#!/bin/sh\nexec %s -L %s -0 "$0" %s "$@"\n' "$(command -v "qemu-${TARGET%%-*}-static")" \
	"$(quoted "${TARGET_ROOT:-/usr/$TARGET}")" \
	"$(quoted "$(realpath "$out.$TARGET")")" >"$out"
chmod +x "$out"
