#!/bin/sh
exec sh "$(dirname "$0")/conformance.sh" yay
