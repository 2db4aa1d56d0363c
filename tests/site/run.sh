#!/usr/bin/env bash
# The website of the documentation: every link leads somewhere, its search finds pages, and it asks nothing of a network.
# Usage: run.sh. Skipped without Sphinx and a browser, unless SMSCHED_INSIST is set.
set -u
. tests/checks.sh
skip() { echo "not there: $1 (tools/setup --dev)"; [ -z "${SMSCHED_INSIST-}" ] && exit 77; exit 1; }
command -v node >/dev/null || skip node
[ -d tests/browser/node_modules/playwright-core ] || skip playwright-core
tools/site/build "$work/site" >"$work/out" 2>&1
status=$?
[ $status -ne 77 ] || skip Sphinx
cat "$work/out"; mv "$work/out" "$work/err"
exits 0 $status "the site is built without a warning"
node tests/site/search.js "$work/site"
exits 0 $? "the site is searched offline"
finish
