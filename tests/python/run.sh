#!/usr/bin/env bash
# Builds the wheel, installs it in a new virtual environment without a network, and tests what is installed there: its functions, the
# page and the notebook about it, its reference and its types. Skipped without the packages for it (tools/setup --dev), unless
# SMSCHED_INSIST is set, as .ci/run does. Usage: run.sh BUILD [OPTION OF UNITTEST]...
set -eu
build=$(realpath "$1")
shift
grep -q '^SMSCHED_SANITIZE:STRING=.' "$build/CMakeCache.txt" && { echo "skipped: the library is sanitized"; exit 77; }
if ! /usr/bin/python3 -c 'import build, cffi, ipykernel, joblib, matplotlib, mypy, nbclient, pandas, venv, wheel' || ! command -v patchelf >/dev/null; then
    echo "a package for this test is not there (tools/setup --dev)"
    [ -z "${SMSCHED_INSIST-}" ] && exit 77
    exit 1
fi
source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPLBACKEND=agg HOME=$work PYTHONDONTWRITEBYTECODE=1

tools/python/wheel "$build" "$work"
/usr/bin/python3 -m venv --system-site-packages "$work/env" # which has Debian's pandas, and no smsched
python=$work/env/bin/python
(cd "$work" && ! "$python" -c 'import smsched' 2>err && grep -q "No module named 'smsched'" err) || { echo "smsched is there before it is installed"; exit 1; }
"$work/env/bin/pip" install --quiet --no-index "$work"/smsched-*.whl

# Nothing of this machine's libraries is used but the C library, and the program is a command.
installed=$("$python" -c 'import smsched; print(smsched.__path__[0])')/installed
case $installed in "$work"/env/*) ;; *) echo "smsched is imported from $installed"; exit 1 ;; esac
outside=$(ldd "$installed"/bin/smsched "$installed"/lib/*.so* | awk '/=> \// {print $3}' | grep -vE "^$work|/lib(c|m|dl|pthread|rt)\.so" || true)
[ -z "$outside" ] || { echo "the wheel needs $outside"; exit 1; }
"$work/env/bin/smsched" --version | grep -q "$("$python" -c 'import smsched; print(smsched.__version__)')"

# The page as a reader follows it: the six lines at its start leave a frame and a figure.
mkdir "$work/reader"
ln -s "$source/scenarios" "$work/reader/scenarios"
cd "$work/reader"
sed -n '/^```python$/,/^```$/p; /^```python$/,/^```$/{/^```$/q}' "$source/docs/how-to/python.md" | grep -v '^```' >reader.py
[ "$(wc -l <reader.py)" -eq 6 ] || { echo "the page does not begin with six lines"; exit 1; }
"$python" reader.py | grep -E '^leftover +server +[1-9]'
grep -q '<svg' server.svg
"$python" -W error::DeprecationWarning "$source/tests/python/page.py" "$source/docs/how-to/python.md" >/dev/null
"$python" -X frozen_modules=off "$source/tests/python/page.py" "$source/docs/how-to/python.ipynb" 2>notebook.err || { cat notebook.err; exit 1; }

cd "$source"
"$python" tools/python/reference docs/reference/python.md --check
mypy --strict --ignore-missing-imports --exclude installed --cache-dir "$work/mypy" "$(dirname "$installed")"
"$python" tests/python/test_smsched.py "$@"
