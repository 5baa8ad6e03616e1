#!/usr/bin/env bash
# Races simulators: packets a second through the same dumbbells in ns-2, ns-3 and
# earlydrop.
#
#   bench/peers/run.sh [ROUNDS]    5 unless given
#
# Simulators that are not installed are named and skipped. The others run in turn,
# round after round, so that a machine slowing down slows all alike. Each prints
# one line of JSON with packets_per_s, mean_queue and loss_percent. Their wall clock
# leaves out the set-up, and so does that of earlydrop's engine; `earlydrop run` is
# the whole command, with set-up, default metrics, database and report. Another
# contender is one line in `contenders`. Quote ratios from one table, not figures
# from two.
#
# Transmissions are packets times hops, the oldest unit of the field: a packet that
# the bottleneck forwards is sent by three links, and its acknowledgment by three; one
# that it drops was sent by one.
#
# Debian's ns-3 has logging and assertions compiled in. The same version built
# without them (-O3 -DNDEBUG) is 2.0 times as fast in both cases, with the same
# output to the last digit. Say so wherever its figure is quoted.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$root/target/peers
rounds=${1:-5}
mkdir -p "$folder"
source "$here/ns3.sh"

# Name | simulated seconds of case a | of case b | command. Seconds are chosen
# for some seconds of wall clock; @case, @seconds and @seed are filled in.
contenders=()
if command -v ns >/dev/null; then
    contenders+=("ns-2 | 2000 | 150 | ns $here/dumbbell.tcl @case @seconds @seed")
else
    echo "skipped: ns-2 (no command 'ns'; Debian: ns2)"
fi
if ns3_found; then
    ns3_build dumbbell "$folder"
    contenders+=("ns-3 | 30 | 4 | $folder/dumbbell @case @seconds @seed")
else
    echo "skipped: ns-3 (no headers or no g++; Debian: libns3-dev)"
fi
if command -v cargo >/dev/null; then
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p earlydrop-bench --example dumbbell
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p earlydrop-cli
    contenders+=("earlydrop's engine | 10000 | 1000 | $root/target/release/examples/dumbbell @case @seconds @seed")
    contenders+=("earlydrop run | 10000 | 1000 | $here/command.sh $here/case-@case.toml @seconds @seed")
else
    echo "skipped: earlydrop (no command 'cargo')"
fi
if [ ${#contenders[@]} -eq 0 ]; then
    echo "nothing to run" >&2
    exit 1
fi

lines=$folder/speed.tsv
: >"$lines"
field() { # LINE NAME
    sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$1"
}
for ((round = 1; round <= rounds; round++)); do
    for case in a b; do
        for contender in "${contenders[@]}"; do
            IFS='|' read -r name a b command <<<"$contender"
            if [ "$case" = a ]; then seconds=${a// /}; else seconds=${b// /}; fi
            command=${command//@case/$case}
            command=${command//@seconds/$seconds}
            command=${command//@seed/$round}
            if ! line=$($command | grep '^{' | tail -n 1); then
                echo "failed: $command" >&2
                exit 1
            fi
            read -r name <<<"${name% } $(field "$line" version)"
            printf "%s\t%s\t%s\t%s\t%s\n" "$case" "$name" "$(field "$line" packets_per_s)" \
                "$(field "$line" mean_queue)" "$(field "$line" loss_percent)" >>"$lines"
        done
    done
done

awk -F '\t' "$(cat "$here/../median.awk")"'
{
    key = $1 FS $2
    if (!(key in rate)) order[++keys] = key
    rate[key] = rate[key] " " $3; queue[key] = queue[key] " " $4; loss[key] = loss[key] " " $5
}
END {
    print "| case | tool | packets/s | min to max | transmissions/s | mean queue | loss |"
    print "|---|---|--:|---|--:|--:|--:|"
    for (k = 1; k <= keys; k++) {
        split(order[k], part, FS)
        share = median(loss[order[k]]) / 100
        middle[order[k]] = median(rate[order[k]])
        printf "| %s | %s | %.0f | %.0f to %.0f | %.1f M | %.1f | %.2f%% |\n", part[1], part[2],
            middle[order[k]], low, high, middle[order[k]] * (6 + share / (1 - share)) / 1e6,
            median(queue[order[k]]), 100 * share
    }
    print "\nRatios of medians:"
    for (k = 1; k <= keys; k++) {
        split(order[k], part, FS)
        if (part[2] ~ /^earlydrop run/) continue
        printf "%s: earlydrop run / %s: %.2f\n", part[1], part[2],
            middle[part[1] FS "earlydrop run"] / middle[order[k]]
    }
}' "$lines"
