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
quietly apt-get install -y -q --no-install-recommends gcc libc6-dev
inside /vetro/bin/vetro build /examples/hello -o /hello
inside /hello run --model /examples/hello/model.json -f json
inside /vetro/bin/vetro build /examples/webserver -o /web
inside /web run --dry-run --quiet --model /examples/webserver/model.json -f json | cut -c1-60
echo 'a static vetro works in a fresh Debian 12'
