#!/usr/bin/env bash
# What the author of a figure may get wrong is told in words of smsched's, before gnuplot starts. Usage: mistakes.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
# A copy of the program beside figures that can be changed.
mkdir "$work/bin" && cp "$1" "$work/bin/smsched"
cp -rL "$(dirname "$(realpath "$1")")/../share" "$work/share"
smsched=$work/bin/smsched
try 0 "results" run "$PWD/scenarios/04-processes.yaml" --quiet --out "$work/results"
cd "$work" || exit 1
sed -n '/^-- Energy of each device/,/^-- @include/p' "$OLDPWD/docs/reference/figures.md" >energy.sql
figure=share/smsched/plots/99-energy.sql

# mistake SED WORDS: the figure of the page, changed so, is answered with these words.
mistake() {
    sed "$1" energy.sql >$figure
    try 3 "$1" plot results --figures energy --quiet --out drawn
    prints "$2"
    clean drawn "$1"
}
mistake "s/'energy' AS kind/'enrgy' AS kind/" "99-energy.sql: error: bar_about has the unknown kind 'enrgy'; the table unit has time, bytes, energy, "
mistake "s/'energy' AS kind/NULL AS kind/" "99-energy.sql: error: bar_about has the unknown kind NULL; "
mistake "s/scenario AS title/NULL AS title/" "99-energy.sql: error: bar_about has no what, unit or title for processes"
mistake "s/device AS name/NULL AS name/" "99-energy.sql: error: bar has no name in a row of processes"
mistake "s/energy_j AS value/'much' AS value/" "99-energy.sql: error: bar has the value 'much' of v100/0, which is no number"
mistake "s/@each bar_about/@eahc bar_about/" "99-energy.sql:7:1: error: unknown section '@eahc'; did you mean '@each'?"
mistake "s/@each bar_about/@each/" "99-energy.sql:7:1: error: '@each' needs a name"
mistake "/@include/d" "99-energy.sql: error: has no section '@draw'"
mistake "/@figures/,/^SELECT/d" "99-energy.sql: error: has no section '@figures'"
mistake "s/'energy' AS name/'energy' AS called/" "99-energy.sql, @figures: no such column: name"
mistake "s/energy_j AS value/joule AS value/" "99-energy.sql, @each bar: no such column: joule"
mistake "s/'Energy' AS what/{title AS what/" "99-energy.sql:7:1: error: its text has a '{' without '}'"
mistake "s/'Energy' AS what/{words} AS what/" "99-energy.sql, @each bar_about: no such column"
mistake "s/rowid;/rowid; SELECT 1;/" "99-energy.sql:5:1: error: has more than one query"
mistake "s/@include/@set\n-- @include/" "99-energy.sql:9:1: error: has no query"
mistake "s/@include/@set\nSELECT 1 + 1;\n-- @include/" "99-energy.sql:9:1: error: its column '1 + 1' is no name of a variable; 'AS NAME' gives it one"
mistake "s/@include/@set\nSELECT 1 AS x UNION SELECT 2;\n-- @include/" "99-energy.sql:9:1: error: has to give one row for the figure energy, and gives 2"
mistake "s/@include bars/@include barz/" "plots/barz.inc: error: No such file or directory"
mistake "s/@needs devices/@needs hosts devises/" "99-energy.sql:2:1: error: no results have a table 'devises'; did you mean 'devices'?"
echo "-- @include circle" >share/smsched/plots/circle.inc
mistake "s/@include bars/@include circle/" "plots/circle.inc: error: has more than 40 sections with what it includes"
if command -v gnuplot >/dev/null; then
    cp energy.sql $figure
    try 0 "the figure of the page" plot results --figures energy --quiet --out drawn
    if [ -s drawn/energy.svg ]; then ok; else bad "the figure of the page is not drawn"; fi
fi
finish
