# The man page and the completions name every verb, flag and setting, and their programs take them.
. "$(dirname "$0")/lib.sh"
manual=$HARDKUMA_BUILD/manual
for kind in man bash zsh fish; do works manual $kind; cp "$work/out" "$work/$kind"; done
cmp -s "$work/man" "$manual/hardkuma.1" && cmp -s "$work/bash" "$manual/hardkuma" && cmp -s "$work/zsh" "$manual/_hardkuma" &&
  cmp -s "$work/fish" "$manual/hardkuma.fish" || fail "what was built is not what the program prints"
refused 2 "not in {" manual html

works --help
verbs=$(awk '/^Subcommands/ { on = 1; next } on && /^  [a-z]/ { print $1 }' "$work/out")
[ "$(wc -w <<<"$verbs")" -ge 9 ] || fail "too few verbs: $verbs"
for kind in man bash zsh fish; do
  for verb in $verbs; do grep -qw -- "$verb" "$work/$kind" || fail "$kind lacks $verb"; done
done
works train --dump-config
settings=$(awk '/^\[/ { gsub(/[][]/, ""); section = $0 } /^[a-z_]+ =/ { print section "." $1 }' "$work/out")
[ "$(wc -w <<<"$settings")" -ge 60 ] || fail "too few settings: $settings"
for setting in $settings; do
  for kind in man bash zsh fish; do grep -qF -- "$setting" "$work/$kind" || fail "$kind lacks $setting"; done
done
works train --help
for flag in $(grep -oE -- '--[a-z][a-z-]+' "$work/out" | sort -u); do
  grep -qF -- "${flag//-/\\-}" "$work/man" || fail "the man page lacks $flag"
  for kind in bash zsh; do grep -qF -- "$flag" "$work/$kind" || fail "$kind lacks $flag"; done
  grep -qF -- "-l ${flag#--}" "$work/fish" || fail "fish lacks $flag"
done

# As bash completes: verbs, flags of the verb, values of the flag.
completions() { # WORDS…: what is offered for the last one
  bash -c '. "$1"; shift; COMP_WORDS=(hardkuma "$@"); COMP_CWORD=$#; compopt() { :; }; _hardkuma; echo "${COMPREPLY[*]}"' _ "$work/bash" "$@"
}
[ "$(completions exp)" = explain ] || fail "exp: $(completions exp)"
[ "$(completions train --resu)" = --resume ] || fail "train --resu: $(completions train --resu)"
[ "$(completions train --controller p)" = paper ] || fail "train --controller p: $(completions train --controller p)"
[ "$(completions train --preset sn)" = snli ] || fail "train --preset sn: $(completions train --preset sn)"
[ "$(completions train --set train.ep)" = train.epochs= ] || fail "train --set: $(completions train --set train.ep)"
[ "$(completions data gen)" = generate ] || fail "data gen: $(completions data gen)"
[ "$(completions data inspect --voc)" = "" ] || fail "data inspect --voc: $(completions data inspect --voc)"
[ "$(completions data inspect --vec)" = --vectors ] || fail "data inspect --vec: $(completions data inspect --vec)"
bash -n "$work/bash" || fail "bash does not read its completion"
if command -v zsh >/dev/null; then zsh -n "$work/zsh" || fail "zsh does not read its completion"; fi
if command -v fish >/dev/null; then fish -n "$work/fish" || fail "fish does not read its completion"; fi

# troff finds nothing to complain of, and no help is wider than a terminal.
groff -Kutf8 -man -Tutf8 -ww "$work/man" >"$work/page" 2>"$work/complaints" || fail "groff: $(head -3 "$work/complaints")"
[ -s "$work/complaints" ] && fail "groff: $(head -3 "$work/complaints")"
grep -q "raw text\|predict texts" "$work/page" || fail "the page does not say what explain does"
works --help-all
awk 'length($0) > 90' "$work/out" | grep . && fail "help is wider than 80 columns" # bytes; a few letters have two
finish
