# The installed package serves a program of one's own, and so does the source tree as a part of it.
. "$(dirname "$0")/lib.sh"
works data generate -n 120 --seed 3 --out "$work/notes.jsonl"
sed 's/"look":/"label":/' "$work/notes.jsonl" >"$work/labelled.jsonl"
cmake --install "$HARDKUMA_BUILD" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "install: $(tail -3 "$work/log")"
[ -x "$work/prefix/bin/hardkuma" ] || fail "no installed program"
# Public headers, the standard library alone, and nothing else.
for header in "$work"/prefix/include/hardkuma/*.h; do
  grep -E '^#include' "$header" | grep -vE '<[a-z_]+>|"hardkuma/[a-z]+\.h"' && fail "$header includes more than the standard library"
done
[ "$(find "$work/prefix/include" -type d | wc -l)" -eq 2 ] || fail "private headers are installed"
# Who links a library built with a sanitizer needs its runtime.
flags=()
[ -z "${HARDKUMA_SANITIZED:-}" ] || flags=(-DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS=-fsanitize=$HARDKUMA_SANITIZED,undefined")
cmake -S "$HARDKUMA_SOURCE/examples" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${flags[@]}" \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || fail "configure: $(tail -5 "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "build: $(tail -5 "$work/log")"
"$work/build/train_and_explain" "$work/labelled.jsonl" "$work/model" "In the glass it is lovely." >"$work/out" 2>"$work/err" ||
  fail "run: $(cat "$work/err")"
grep -q '"prediction"' "$work/out" || fail "the example explains nothing"
grep -q "epoch 10 of 10" "$work/err" || fail "the example does not tell how training goes: $(cat "$work/err")"
# As a subproject: no tests, no warnings made errors, nothing global changed. Configured alone: what it would
# build is what was built.
cmake -S "$HARDKUMA_SOURCE/examples" -B "$work/sub" -G Ninja -DHARDKUMA_SOURCE="$HARDKUMA_SOURCE" >"$work/log" 2>&1 ||
  fail "configure as a subproject: $(tail -5 "$work/log")"
grep -q "HARDKUMA_TESTS:BOOL=OFF" "$work/sub/CMakeCache.txt" || fail "tests are on in a subproject"
ninja -C "$work/sub" -t commands train_and_explain >"$work/commands" 2>&1 || fail "no commands: $(tail -3 "$work/commands")"
grep -q "api/train.cpp" "$work/commands" || fail "the subproject does not build the library"
ninja -C "$work/sub" CMakeFiles/train_and_explain.dir/train_and_explain.cpp.o >"$work/log" 2>&1 ||
  fail "the example does not compile against the source tree: $(tail -5 "$work/log")"
grep -q "bench_command.cpp" "$work/commands" && fail "the program is built in a subproject"
grep -q -- "-Werror" "$work/commands" && fail "warnings are errors in a subproject"
grep -q "_test.cpp" "$work/commands" && fail "tests are built in a subproject"
finish
