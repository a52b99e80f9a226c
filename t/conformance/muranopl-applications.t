#!/bin/sh
exec sh "$(dirname "$0")/../lib/conformance.sh" muranopl-applications
