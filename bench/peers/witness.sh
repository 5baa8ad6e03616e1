#!/usr/bin/env bash
# Makes bench/reference/ns3.csv again: 66 cases, 5 seeds each, and with 20 flows
# one seed of each of two variants, which the tolerances take in. About 25
# minutes.
#
#   bench/peers/witness.sh [FOLDER [TABLE [BESIDE]]]
#
# FOLDER is for the program and the runs' lines, target/peers unless given; TABLE
# is ns3.csv unless given; BESIDE another version's table, ns3-3.48.csv unless
# given, which the tolerances take in. With another ns-3 (see ns3.sh) give all.
#
# Lines already in FOLDER/witness.jsonl are not run again: delete it to begin
# anew.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../target/peers}
table=${2:-$here/../reference/ns3.csv}
beside=${3:-$here/../reference/ns3-3.48.csv}
if [ ! -e "$beside" ]; then beside=; fi
source "$here/ns3.sh"
mkdir -p "$folder"
if ! ns3_found; then
    echo "ns-3 is not installed (libns3-dev): nothing to witness with" >&2
    exit 1
fi
ns3_build witness "$folder"

lines=$folder/witness.jsonl
touch "$lines"
run() { # TCP DISC ECN FLOWS SEED VARIANT
    grep -q "\"case\":\"$1.$2.$3.N$4\",\"seed\":$5,\"variant\":\"$6\"" "$lines" && return
    nice "$folder/witness" "$@" >>"$lines"
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

awk -v version="$(ns3_version)" -v beside="$beside" -f "$here/witness.awk" "$lines" >"$table"
wc -l "$table"
