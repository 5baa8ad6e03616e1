#!/usr/bin/env bash
# Times `earlydrop run` as people run it, with its default metrics; prints one line of JSON.
#
#   bench/peers/command.sh SCENARIO SECONDS SEED [OPTION ...]
#
# SCENARIO has one watched queue and no warm-up. OPTIONs are those of `earlydrop run`. The wall
# clock covers the whole command: reading the scenario, set-up, the run, database and report.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scenario=$1 seconds=$2 seed=$3
# What runs the program may be given, as a profiler.
read -ra program <<<"${EARLYDROP:-} $root/target/release/earlydrop"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

before=$EPOCHREALTIME
"${program[@]}" run "$scenario" --duration "${seconds}s" --set "seeds=[$seed]" --threads 1 --quiet \
    --out "$results/run" "${@:4}" >/dev/null
after=$EPOCHREALTIME

"$root/target/release/earlydrop" export "$results/run" --to csv --out "$results/csv" >/dev/null
awk -F , -v seconds="$seconds" -v wall="$((${after/./} - ${before/./}))" '
    # The columns of a file by their names.
    FNR == 1 { for (at = 1; at <= NF; at++) column[$at] = at; next }
    $column["watched"] == 1 {
        dropped = 0
        for (name in column) if (name ~ /^dropped_/) dropped += $column[name]
        departed = $column["departed"]
        printf "{\"tool\":\"earlydrop run\",\"simulated_s\":%s,\"forwarded\":%d,\"wall_s\":%.6f,", \
            seconds, departed, wall / 1e6
        printf "\"packets_per_s\":%.0f,\"mean_queue\":%.2f,\"loss_percent\":%.3f}\n", \
            departed / wall * 1e6, $column["mean_packets"], 100 * dropped / $column["arrived"]
    }' "$results/csv/queues.csv"
