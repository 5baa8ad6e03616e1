#!/usr/bin/env bash
# Regenerates bench/reference/ns3.csv with ns-3: 66 cases with 5 seeds each, and
# with 20 flows one seed of each of two variants, which widen the tolerances.
# About 25 minutes.
#
#   bench/peers/reference_ns3.sh [FOLDER [TABLE [OTHER]]]
#
# FOLDER   for the program and the runs' results; target/peers by default
# TABLE    to be written; ns3.csv by default
# OTHER    the table of another version, which widens the tolerances too;
#          ns3-3.48.csv by default
#
# With another ns-3 (see ns3.sh) give all three. Runs whose results are in
# FOLDER/reference_ns3.jsonl are not repeated: delete it to begin anew.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../target/peers}
table=${2:-$here/../reference/ns3.csv}
other=${3:-$here/../reference/ns3-3.48.csv}
if [ ! -e "$other" ]; then other=; fi
source "$here/ns3.sh"
mkdir -p "$folder"
if ! ns3_found; then
    echo "ns-3 is not installed (libns3-dev)" >&2
    exit 1
fi
ns3_build reference_ns3 "$folder"

lines=$folder/reference_ns3.jsonl
touch "$lines"
run() { # TCP DISC ECN FLOWS SEED VARIANT
    grep -q "\"case\":\"$1.$2.$3.N$4\",\"seed\":$5,\"variant\":\"$6\"" "$lines" && return
    nice "$folder/reference_ns3" "$@" >>"$lines"
}
every_case() { # FLOWS SEED VARIANT
    local tcp disc ecn
    for tcp in newreno linuxreno cubic; do
        run "$tcp" droptail noecn "$@"
        for disc in red ared codel pie fqcodel; do
            for ecn in noecn ecn; do
                run "$tcp" "$disc" "$ecn" "$@"
            done
        done
    done
}
for seed in 1 2 3 4 5; do
    every_case 20 "$seed" plain
    every_case 5 "$seed" plain
done
every_case 20 1 classic
every_case 20 1 device

awk -v version="$(ns3_version)" -v other_table="$other" -f "$here/reference_ns3.awk" "$lines" >"$table"
wc -l "$table"
