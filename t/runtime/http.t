#!/bin/sh
# Requests over HTTP (t/unit/unit_http.c prints TAP), with a server of TLS where openssl is installed.
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_http" ]; then
	echo "1..0 # SKIP $build/t/unit_http is not built: make check-quick builds it"
	exit 0
fi
dir=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$dir"' EXIT
if command -v openssl >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost -keyout "$dir/key" -out "$dir/cert" 2>/dev/null; then
	for try in 1 2 3 4 5; do
		port=$((20000 + ($$ * 7 + try * 131) % 20000))
		openssl s_server -accept $port -cert "$dir/cert" -key "$dir/key" -www -quiet >/dev/null 2>&1 &
		server=$!
		sleep 0.5
		kill -0 $server 2>/dev/null && break
		server=
	done
	[ -z "$server" ] || export VETRO_TLS_CERT="$dir/cert" VETRO_TLS_PORT=$port
fi
"$build/t/unit_http"
