# The pages as a browser shows them: charts and examples are there, nothing is fetched, nothing is wider than the window.
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
  echo "skipped: no Chromium here (scripts/setup.sh installs it)"
  exit 77
fi
cp "$(dirname "$0")/look.html" "$work/look.html"
# A server that says what it was asked for; the system finds a free port.
python3 -u - "$work" >"$work/port" 2>>"$work/asked" <<'P' &
import functools, http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()
handler = functools.partial(Handler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
P
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
for _ in $(seq 50); do [ -s "$work/port" ] && break; sleep 0.1; done

# look PAGE WIDTH [flags]: what is seen, as JSON in $work/seen; the page asks for nothing but itself.
look() {
  local page=$1 width=$2
  shift 2
  : >"$work/asked"
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --user-data-dir="$work/profile" --virtual-time-budget=5000 "$@" \
    --dump-dom "http://127.0.0.1:$(cat "$work/port")/look.html?$page,$width" 2>/dev/null |
    sed -n 's/.*<pre id="seen">\(.*\)<\/pre>.*/\1/p' | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' >"$work/seen"
  grep -o '"GET [^ ]*' "$work/asked" | grep -v "look.html\|favicon.ico" >"$work/gets"
  [ "$(cat "$work/gets")" = "\"GET /$page" ] || fail "$page asks for more than itself: $(cat "$work/gets")"
}

# expect PYTHON: holds of what was seen.
expect() {
  python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); sys.exit(0 if eval(sys.argv[2]) else 1)' \
    "$work/seen" "$1" || fail "$page at $width: not $1: $(cat "$work/seen")"
}

make_tiny
works compare "$work/tiny" "$work/tiny" --part dev --html "$work/compare.html"
works explain "$work/tiny" --format html --out "$work/explained.html" "A bright pour. The nose is dull."
works reproduce distribution --out "$work/distribution"
# Four epochs: with three, both targets have the same accuracy and the line is flat.
works sweep "$work/notes.jsonl" --label look --targets 20,40% --seeds 2 --epochs 4 --hidden 4 \
  --set model.embedding=4 --out "$work/sweep"
for width in 400 1400; do
  for page in tiny/report.html compare.html explained.html distribution/index.html sweep/sweep.html; do
    look "$page" $width
    expect 's["fetched"] == [] and s["scripts"] == 0'
    expect 's["overflow"] <= 0'
    case $page in
      tiny/*) expect 's["charts"] >= 5 and s["lines"] >= 5 and s["bars"] >= 10 and s["cards"] >= 2 and s["marks"] >= 1' ;;
      compare*) expect 's["charts"] == 3 and s["tables"] == 2' ;;
      explained*) expect 's["cards"] == 1' ;;
      distribution*) expect 's["charts"] == 4 and s["lines"] >= 18 and s["tables"] == 1' ;;
      sweep*) expect 's["charts"] == 2 and s["tables"] == 1 and s["lines"] >= 2' ;;
    esac
    [ "$page" = explained.html ] || expect 's["letters"] >= 9'
  done
done
page=tiny/report.html
look "$page" 400
light=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ground"])' "$work/seen")
look "$page" 400 --blink-settings=preferredColorScheme=0
dark=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ground"])' "$work/seen")
[ -n "$light" ] && [ "$light" != "$dark" ] || fail "dark and light are the same: $light"

finish
