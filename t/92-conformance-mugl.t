#!/bin/sh
exec sh "$(dirname "$0")/conformance.sh" mugl
