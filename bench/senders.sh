#!/usr/bin/env bash
# What a packet costs under each sender, through `earlydrop run`: case b of peers/run.sh.
#
#   bench/senders.sh [ROUNDS]    5 unless given
#
# Senders run in turn, round after round. With valgrind installed, it also counts instructions a
# packet: the difference of two runs of 10 and 30 s, so that set-up and report are left out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
folder=$root/target/senders
rounds=${1:-5}
scenario=$here/peers/case-b.toml
mkdir -p "$folder"
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p earlydrop-cli

# Name | simulated seconds, for about a second of wall clock | options of `earlydrop run`.
modern="--set tcp.profile=modern"
senders=(
    "ns2, as case b | 400 |"
    "reno | 200 | $modern --tcp reno"
    "cubic | 200 | $modern --tcp cubic"
    "linux | 200 | --set tcp.profile=linux"
    "dctcp | 200 | $modern --tcp dctcp"
    "prague | 100 | $modern --tcp prague"
    "bbr | 100 | $modern --tcp bbr"
    "bbr3 | 100 | $modern --tcp bbr3"
)
field() { # LINE NAME
    sed -n "s/.*\"$2\":\([^\",}]*\).*/\1/p" <<<"$1"
}
trim() {
    sed 's/^ *//; s/ *$//' <<<"$1"
}

lines=$folder/speed.tsv
: >"$lines"
for ((round = 1; round <= rounds; round++)); do
    for sender in "${senders[@]}"; do
        IFS='|' read -r name seconds options <<<"$sender"
        read -ra options <<<"$options"
        line=$("$here/peers/command.sh" "$scenario" "$(trim "$seconds")" "$round" "${options[@]}")
        printf '%s\t%s\t%s\n' "$(trim "$name")" "$(field "$line" packets_per_s)" \
            "$(field "$line" loss_percent)" >>"$lines"
    done
done

# Instructions of a run of SECONDS, and the packets that it forwarded.
counted() { # SECONDS OPTION ...
    EARLYDROP="valgrind --tool=callgrind --callgrind-out-file=$folder/callgrind.out" \
        "$here/peers/command.sh" "$scenario" "$1" 1 "${@:2}" 2>"$folder/callgrind.log" |
        sed 's/.*"forwarded":\([0-9]*\).*/\1/'
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/callgrind.log"
}
instructions=$folder/instructions.tsv
: >"$instructions"
if command -v valgrind >/dev/null; then
    for sender in "${senders[@]}"; do
        IFS='|' read -r name _ options <<<"$sender"
        read -ra options <<<"$options"
        mapfile -t short < <(counted 10 "${options[@]}")
        mapfile -t long < <(counted 30 "${options[@]}")
        printf '%s\t%.0f\n' "$(trim "$name")" \
            "$(((long[1] - short[1]) / (long[0] - short[0])))" >>"$instructions"
    done
else
    echo "skipped: instructions (no command 'valgrind')"
fi

awk -F '\t' "$(cat "$here/median.awk")"'
FNR == NR { cost[$1] = $2; next }
{
    if (!($1 in rate)) order[++senders] = $1
    rate[$1] = rate[$1] " " $2; loss[$1] = loss[$1] " " $3
}
END {
    print "| sender | packets/s | min to max | share of case b | loss | instructions a packet |"
    print "|---|--:|---|--:|--:|--:|"
    first = median(rate[order[1]])
    for (k = 1; k <= senders; k++) {
        middle = median(rate[order[k]])
        printf "| %s | %.0f | %.0f to %.0f | %.2f | %.2f%% | %s |\n", order[k], middle, low, high,
            middle / first, median(loss[order[k]]), cost[order[k]]
    }
}' "$instructions" "$lines"
