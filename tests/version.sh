#!/usr/bin/env bash
# What states the version agrees with the headers: CITATION.cff, the first heading of CHANGELOG.md, and pages that name it. Usage: version.sh
set -u
. "$(dirname "$0")/checks.sh"
part() { sed -n "s/^#define SMSCHED_VERSION_$1 //p" sim/include/smsched/version.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
minor=${version%.*}
same() { if [ "$2" = "$3" ]; then ok; else bad "$1 has version '$2' instead of '$3'"; fi; }
same CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)" "$version"
same CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\) (20[0-9][0-9]-[01][0-9]-[0-3][0-9])$/\1/p' CHANGELOG.md | head -1)" "$version"
same docs/how-to/embedding.md "$(grep -o 'libsmsched\.so\.[0-9.]*[0-9]' docs/how-to/embedding.md)" "libsmsched.so.$minor"
same docs/how-to/embedding.md "$(sed -n 's/^find_package(smsched \(.*\) REQUIRED)/\1/p' docs/how-to/embedding.md)" "$minor"
# Files of a release and its tag, wherever pages name them.
others=$(grep -rnoE 'smsched[-_][0-9]+\.[0-9]+\.[0-9]+|@v[0-9]+\.[0-9]+\.[0-9]+' README.md ARTIFACT.md docs tools/package | grep -vE "(smsched[-_]|@v)$version\$")
if [ -z "$others" ]; then ok; else bad "pages name another version" "$others"; fi
# An image of which only the name is pinned is another one tomorrow.
if grep -q '^FROM \${BASE}$' tools/package/Containerfile && ! grep -q '^ARG BASE=' tools/package/Containerfile; then ok; else bad "the Containerfile's base needs no digest"; fi
finish
