#!/bin/sh
# putFile.sh PATH: the agent keeps the file elsewhere and links it as destinationFile; PATH gets the file itself.
mv -- "$(readlink destinationFile)" "$1"
