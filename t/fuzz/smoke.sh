#!/bin/sh
# Builds one fuzz target and runs it: smoke.sh BUILD_DIR TARGET.c SECONDS
# ENGINE=builtin takes t/fuzz/driver.c, ENGINE=libfuzzer clang's; BUILD_DIR is built to fit (see t/files.mk).
# A crash leaves its input in BUILD_DIR/crash-NAME, and the smallest that still crashes in crash-NAME.min.
set -eu
build=$1 target=$2 seconds=$3
here=$(dirname "$0")
name=$(basename "$target" .c)
bin=$build/fuzz-$name
crash=$build/crash-$name
# Those of the list: what a source that is gone has left is not among them.
objects=$(tr ' ' '\n' <"$build/VC.list" | grep '/compiler/.*/' | grep -v /cmd/main.o)
# The commands name what stands beside main().
objcopy --redefine-sym main=vetro_main "$build"/compiler/cmd/main.o "$build"/fuzz-main.o
objects="$objects $build/fuzz-main.o"
flags="-std=gnu11 -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=undefined -I. -Iruntime/abi -I$build/gen -I/usr/include/lua5.4"
libs="-rdynamic -lyaml -ltcc -lminizip -lz -llua5.4 -lpcre2-8 -lgmp -lexpat -lm -ldl"
engine=${ENGINE:-builtin}
case $engine in
builtin) cc="${CC:-gcc} -fsanitize=address,undefined" driver=$here/driver.c ;;
libfuzzer) cc="${CC:-clang} -fsanitize=fuzzer,address,undefined" driver= ;;
*) echo "ENGINE=$engine: choose builtin or libfuzzer" >&2; exit 2 ;;
esac
# Targets that change documents by their structure.
case $name in
tosca|mpl|murano) driver="$driver $here/structure.c" ;;
esac
# What libtcc compiles looks for the library in the process.
case $name in
session|engine) library="-Wl,--whole-archive $build/libvt.a -Wl,--no-whole-archive" ;;
*) library=$build/libvt.a ;;
esac
newest=$(ls -t "$bin" "$build/libvt.a" "$build/vetro" "$target" "$here"/*.h $driver 2>/dev/null | head -1)
[ "$newest" = "$bin" ] ||
	$cc $flags -o "$bin" $driver "$target" $objects "$build"/gen/yaql_lex.o "$build"/gen/yaql_parse.o "$build"/gen/yay_lex.o \
		"$build"/gen/yay_parse.o "$build"/gen/assets.o \
		$library $libs

# The examples of the registry and a few lines of each dialect: 0 is modern, 1 legacy, 6 MuranoPL's with delegates, 8 with a host's operators.
yaql_seeds() {
	perl -MJSON::PP -CO -ne '$e = decode_json($_)->{expr}; next if $e =~ /\n/; print "$_$e\n" for 0, 1, 6, 8' \
		"$build"/gen/registry_examples.jsonl >"$build/yaql-seeds.txt"
	echo "$here/yaql.txt $build/yaql-seeds.txt @$here/yaql.dict"
}
# Packages as zip archives, with all that their directory can say.
archive_seeds() {
	perl -I"$here/../lib" -MTap -e 'my $b = shift; zip_file("$b/seed-1.zip", ["manifest.yaml", "FullName: a\n"], ["Classes/a.yaml", "Name: a\n"]);
		zip_file("$b/seed-2.zip", ["p/manifest.yaml", "FullName: a\n"], ["p/link", "manifest.yaml", { mode => 0120777 }], ["p/x/", "", { mode => 040755 }]);
		zip_file("$b/seed-3.zip", ["TOSCA-Metadata/TOSCA.meta", "TOSCA-Meta-File-Version: 1.0\n"], ["../up", "x"], ["/root", "x"], ["a", "x", { size => 9 }])' "$build"
	to=$(cd "$build" && pwd)/seed-4.zip
	(cd "$here/../data/murano/model" && perl -MIO::Compress::Zip=:all -e 'zip ["manifest.yaml", "Classes/Main.yaml"] => shift or die $ZipError' "$to")
	echo "$build"/seed-?.zip
}
case $name in
archive) seeds=$(archive_seeds) ;;
mpl|murano) seeds=$(ls t/data/check/*/Classes/*.yaml examples/*/Classes/*.yaml) ;;
ir) for e in hello fleet inventory; do "$build/vetro" build --emit=ir examples/$e >"$build/$e.ir" 2>/dev/null; done
	seeds="$build/hello.ir $build/fleet.ir $build/inventory.ir" ;;
tosca) seeds="$(ls "$here"/tosca/*.yaml examples/tosca-*/*.yaml) @$here/tosca.dict" ;;
form) seeds="$(ls "$here"/form/*.yaml) @$here/form.dict" ;;
yay) seeds="$(ls "$here"/yay/*.yay) @$here/yay.dict" ;;
json) seeds="$(ls examples/*/model.json) $here/json.txt" ;;
yaql_*) seeds=$(yaql_seeds) ;;
*) seeds="$here/$name.txt @$here/$name.dict" ;;
esac
# What earlier runs found (t/fuzz/rounds.pl --keep).
if [ -d "$here/corpus/$name" ]; then seeds="$(ls -d "$here/corpus/$name"/*) $seeds"; fi

# libFuzzer wants a folder of files and its dictionary as an option.
libfuzzer() {
	corpus=$build/corpus-$name dict= i=0
	mkdir -p "$corpus"
	export CORPUS="$corpus" LINES
	for s in $seeds; do
		case $s in
		@*) dict=-dict=${s#@} ;;
		*.txt) LINES=$(basename "$s") && perl -ne 'chomp; open(F, ">", "$ENV{CORPUS}/$ENV{LINES}-$.") or die; print F $_; close F' <"$s" ;;
		*) i=$((i + 1)) && cp "$s" "$corpus/file-$i" ;;
		esac
	done
	"$bin" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=0 -print_final_stats=1 -exact_artifact_path="$crash" \
		$dict "$corpus" >"$build/fuzz-$name.log" 2>&1 || return 1
	sed -n 's/^stat::number_of_executed_units: *\(.*\)/\1 inputs/p' "$build/fuzz-$name.log"
}
smaller() {
	case $engine in
	builtin) perl "$here/smaller.pl" "$crash" "$crash.min" "$bin" -1 ;;
	libfuzzer) perl "$here/smaller.pl" "$crash" "$crash.min" "$bin" ;;
	esac
}
printf '%s: ' "$name"
rm -f "$crash" "$crash.min"
case $engine in
builtin) "$bin" "$seconds" "$crash" $seeds >"$build/fuzz-$name.log" 2>&1 && tail -1 "$build/fuzz-$name.log" ;; # before it: what a target prints itself
libfuzzer) libfuzzer ;;
esac || {
	grep -aE 'ERROR|runtime error|Alarm|^ *#[0-6] ' "$build/fuzz-$name.log" | head -12
	echo "crash; the input is $crash, the whole report $build/fuzz-$name.log"
	smaller
	exit 1
}
