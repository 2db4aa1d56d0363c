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
# Each function of the public headers has a section.
for name in $(sed -n 's/^[a-z].*\b\(sms_[a-z0-9_]*\)(.*/\1/p' sim/include/smsched/*.h); do
    if grep -qE "<h2>[^<]*\b$name\b" "$work"/site/build/api/*.html; then ok; else bad "the site has no section of $name"; fi
done
# A tag has a site of its own.
git clone -q . "$work/tree" && git -C "$work/tree" tag v9.9.9
(cd "$work/tree" && tools/site/build --versions "$work/versions") >"$work/out" 2>"$work/err"
exits 0 $? "the sites of two versions are built"
if grep -q 'href="v9.9.9/docs/README.html"' "$work/versions/index.html" && [ -s "$work/versions/v9.9.9/docs/README.html" ] && [ -s "$work/versions/next/docs/README.html" ]; then ok
else bad "a version is not listed" "$(cat "$work/versions/index.html")"; fi
node tests/site/search.js "$work/site"
exits 0 $? "the site is searched offline"
finish
