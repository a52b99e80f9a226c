# TAP in shell. Source it, then: plan; ok NAME COMMAND...; is NAME GOT WANT; like NAME TEXT PATTERN; done_testing.
# $VETRO is the compiler under test, $W a scratch directory that goes at the end.
here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/.." && pwd)
VETRO=${VETRO:-$top/build/debug/vetro}
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
n=0
failed=0

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failed=$((failed + 1)); fi
}
ok() {
	name=$1
	shift
	"$@" >"$W/out" 2>"$W/err"
	rc=$?
	result $rc "$name"
	[ $rc = 0 ] || sed 's/^/# /' "$W/out" "$W/err"
}
is() {
	if [ "$2" = "$3" ]; then result 0 "$1"; else
		result 1 "$1"
		printf '# got:  %s\n# want: %s\n' "$2" "$3" | sed '2,$s/^\([^#]\)/# \1/'
	fi
}
like() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then result 0 "$1"; else
		result 1 "$1"
		printf '%s\n' "$2" | sed 's/^/# /'
		echo "# does not match: $3"
	fi
}
# status NAME WANT COMMAND...: the exit status; output stays in $W/out and $W/err.
status() {
	name=$1
	want=$2
	shift 2
	"$@" >"$W/out" 2>"$W/err"
	is "$name" "$?" "$want"
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 0
}
done_testing() {
	echo "1..$n"
	[ "$failed" = 0 ]
}
# package DIR CLASS: a package with one class whose YAML is standard input.
package() {
	mkdir -p "$1/Classes"
	printf 'Format: %s\nType: Library\nFullName: %s\nVersion: 0.1.0\nClasses:\n  %s: Class.yaml\n' \
		"${FORMAT:-1.4}" "${3:-t.pkg}" "$2" >"$1/manifest.yaml"
	cat >"$1/Classes/Class.yaml"
}
