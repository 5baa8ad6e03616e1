#!/usr/bin/env bash
# Runs every pair of senders over pair.toml, and writes table.csv: `run.sh EARLYDROP FOLDER`.
#
# EARLYDROP is the command, FOLDER is where its runs are kept: what was run already is not run again.
# Afterwards: cargo run -p earlydrop-sim --example coexistence_page.
set -euo pipefail
earlydrop=$1 runs=$2
here=$(cd "$(dirname "$0")" && pwd)
senders=(prague cubic bbr3 reno dctcp)
mkdir -p "$runs"
table=$runs/table.csv
echo "a,b,queue,rate_bps,rtt_s,seed,goodput_a,goodput_b,drift_a,drift_b" >"$table"
# BBRv3 is deployed without ECN; Prague and DCTCP need marks.
ecn() { case $1 in prague | dctcp) echo auto ;; bbr3) echo off ;; *) echo on ;; esac; }
pair() {
    local a=$1 b=$2 folder=$runs/$1-$2
    "$earlydrop" run "$here/pair.toml" --quiet --threads 2 --out "$folder" \
        --set "flows.a.tcp.control=$a" --set "flows.a.tcp.ecn=$(ecn "$a")" \
        --set "flows.b.tcp.control=$b" --set "flows.b.tcp.ecn=$(ecn "$b")" >/dev/null
    "$earlydrop" export "$folder" --to csv --out "$folder/csv" --force >/dev/null
    # Lines of groups.csv come in pairs: a, b.
    awk -F, -v a="$a" -v b="$b" -v OFS=, '
        NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        $at["name"] == "a" { goodput = $at["goodput"]; drift = $at["goodput_drift"] }
        $at["name"] == "b" {
            print a, b, $at["scheme"], $at["network_rate_bps"], $at["network_rtt_s"], $at["seed"],
                int(goodput), int($at["goodput"]),
                sprintf("%.4f", drift), sprintf("%.4f", $at["goodput_drift"])
        }' "$folder/csv/groups.csv" >>"$table"
}
for ((apart = 1; apart < ${#senders[@]}; apart++)); do
    for ((i = 0; i + apart < ${#senders[@]}; i++)); do
        pair "${senders[i]}" "${senders[i + apart]}"
    done
done
cp "$table" "$here/table.csv"
