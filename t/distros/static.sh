#!/bin/sh
# The archive of `make static` in a fresh Debian 12: it runs with no library there, and builds packages with gcc alone.
# usage: static.sh ARCHIVE
set -eu
archive=$1
here=$(cd "$(dirname "$0")" && pwd)
set -- bookworm
. "$here/root.sh"
tar -C "$root" -xzf "$archive"
mv "$root"/vetro-* "$root/vetro"
cp -R "$here/../../examples" "$root/examples"
inside /vetro/bin/vetro query -c '$.Objects.servers.where($.cpu > 4).select($.name)' /examples/inventory/model.json
inside /vetro/bin/vetro check /examples/hello
inside /vetro/bin/vetro run /examples/hello -- run --model /examples/hello/model.json -f json
inside /vetro/bin/vetro test /examples/fleet
inside /vetro/bin/vetro tosca /examples/tosca-webshop --input host=/srv | cut -c1-60
# A cloud is asked by what the archive brings: nobody listens there, and libcurl says so.
[ -z "$(inside find /usr -name 'libcurl.so*')" ] || { echo 'this Debian has libcurl itself' >&2; exit 1; }
cloud='OS_AUTH_URL=http://127.0.0.1:9/v3 OS_USERNAME=u OS_PASSWORD=p OS_PROJECT_NAME=p'
says() { grep -o -m1 "$1" || { echo "it does not say: $1" >&2; exit 1; }; }
inside env $cloud /vetro/bin/vetro run /examples/webserver -- run --model /examples/webserver/model.json 2>&1 |
	says 'Failed to connect to 127.0.0.1 port 9'
quietly apt-get install -y -q --no-install-recommends gcc libc6-dev
inside /vetro/bin/vetro build /examples/hello -o /hello
inside /hello run --model /examples/hello/model.json -f json
inside /vetro/bin/vetro build /examples/webserver -o /web
inside /web run --dry-run --quiet --model /examples/webserver/model.json -f json | cut -c1-60
# A binary that gcc makes loads what is there; where nothing is, it says what to install.
inside env $cloud /web run --quiet --model /examples/webserver/model.json 2>&1 | says 'lib[a-z-]*'
echo 'a static vetro works in a fresh Debian 12'
