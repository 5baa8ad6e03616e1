#!/usr/bin/env bash
# Races simulators: packets a second through the same dumbbells in ns-2, ns-3 and
# earlydrop.
#
#   bench/peers/run.sh [ROUNDS]    5 unless given
#
# Simulators that are not installed are named and skipped. The others run in turn,
# round after round, so that a machine slowing down slows all alike. Each prints
# one line of JSON with packets_per_s, mean_queue and loss_percent; its wall clock
# leaves out its set-up. Another contender is one line in `contenders`. Quote
# ratios from one table, not figures from two.
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
    contenders+=("earlydrop | 10000 | 1000 | $root/target/release/examples/dumbbell @case @seconds @seed")
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
            printf '%s\t%s %s\t%s\t%s\t%s\n' "$case" "${name// /}" "$(field "$line" version)" \
                "$(field "$line" packets_per_s)" "$(field "$line" mean_queue)" \
                "$(field "$line" loss_percent)" >>"$lines"
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
    printf "%-4s  %-24s  %11s  %24s  %10s  %6s\n", "case", "tool", "packets/s", "min..max", "mean queue", "loss %"
    for (k = 1; k <= keys; k++) {
        split(order[k], part, FS)
        rates = median(rate[order[k]]); span = sprintf("%.0f..%.0f", low, high)
        printf "%-4s  %-24s  %11.0f  %24s  %10.1f  %6.2f\n", part[1], part[2], rates, span,
            median(queue[order[k]]), median(loss[order[k]])
    }
}' "$lines"
