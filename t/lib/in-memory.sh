#!/bin/sh
# A vetro whose `build` makes a script that runs the program in memory, for tests of programs:
# IN_MEMORY=.../vetro VETRO=t/lib/in-memory.sh prove t/murano/statements.t. $JIT is another way than memory.
case "$*" in
build*--shared*|build*--static*|build*--emit*|build*--from*) exec "$IN_MEMORY" "$@" ;; # these make no program
build*) shift ;;
*) exec "$IN_MEMORY" "$@" ;;
esac
out= words=
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	-O?|--with-yay) ;; # those are for the C compiler and the linker
	*) words="$words $(quoted "$1")" ;;
	esac
	shift
done
eval "\"\$IN_MEMORY\" build --emit-c \"\$out.c\" $words" || exit
rm -r "$out.c"
printf '#!/bin/sh\nexec %s run --jit=%s %s -- "$@"\n' "$(quoted "$IN_MEMORY")" "${JIT:-memory}" "$words" >"$out"
chmod +x "$out"
