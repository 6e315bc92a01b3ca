# The installed package serves a program of one's own.
. "$(dirname "$0")/lib.sh"
make_tiny
cmake --install "$HARDKUMA_BUILD" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "install: $(tail -3 "$work/log")"
[ -x "$work/prefix/bin/hardkuma" ] || fail "no installed program"
cmake -S "$HARDKUMA_SOURCE/examples" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || fail "configure: $(tail -5 "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "build: $(tail -5 "$work/log")"
"$work/build/explain_text" "$work/tiny" "In the glass it is lovely." >"$work/out" 2>"$work/err" || fail "run: $(cat "$work/err")"
grep -q '"prediction"' "$work/out" || fail "the example explains nothing"
finish
