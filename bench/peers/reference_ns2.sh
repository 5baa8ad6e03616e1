#!/usr/bin/env bash
# Runs the cases of ../reference/ns2.csv in ns-2, each with the table's number of
# seeds, and compares the means with the table.
#
#   bench/peers/reference_ns2.sh [PATTERN [SETTING=VALUE ...]]
#
# PATTERN is a regular expression on case names. Settings go to every run: see
# reference_ns2.tcl. All cases take about a minute.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
table=$here/../reference/ns2.csv
pattern=${1:-.}
shift || true
command -v ns >/dev/null || { echo "skipped: ns-2 (no command 'ns')" >&2; exit 1; }

# Case, number of seeds. Settings are the only quoted column.
cases=$(awk -F '"' 'NR > 1 {
    name = $1; sub(/,$/, "", name)
    if (!(name in seen)) {
        seen[name] = 1
        match($2, /[0-9]+ seeds/)
        print name, substr($2, RSTART, RLENGTH - 6)
    }
}' "$table")

{
    while read -r case seeds; do
        [[ $case =~ $pattern ]] || continue
        for ((seed = 1; seed <= seeds; seed++)); do
            ns "$here/reference_ns2.tcl" "$case" "$seed" "$@"
        done
    done <<<"$cases"
} | awk -v table="$table" '
BEGIN {
    split("12.71 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", student, " ")
    while ((getline line < table) > 0) {
        split(line, part, "\""); name = part[1]; sub(/,$/, "", name)
        split(part[3], value, ",")
        rows++; row_case[rows] = name; row_metric[rows] = value[2]; row_value[rows] = value[3]
        row_ci[rows] = value[4]; row_tolerance[rows] = value[5]
    }
}
{
    gsub(/[{}"]/, "")
    n = split($0, field, ",")
    split(field[1], pair, ":"); name = pair[2]
    runs[name]++
    for (i = 3; i <= n; i++) {
        split(field[i], pair, ":")
        key = name SUBSEP pair[1]
        sum[key] += pair[2]; squares[key] += pair[2] ^ 2
    }
}
END {
    printf "%-22s %-12s %12s %10s %12s %10s %8s\n", "case", "metric", "ns2.csv", "+-", "here", "+-", "off by"
    for (r = 2; r <= rows; r++) {
        # The case determines whose losses they are.
        metric = row_metric[r] == "loss" ? "loss_pct" : row_metric[r]
        sub(/^all_/, "", metric)
        name = row_case[r]; key = name SUBSEP metric
        if (!(key in sum)) continue
        k = runs[name]; mean = sum[key] / k
        variance = k > 1 ? (squares[key] - k * mean ^ 2) / (k - 1) : 0
        half = variance > 0 ? student[k - 1] * sqrt(variance / k) : 0
        off = mean / row_value[r] - 1
        printf "%-22s %-12s %12s %10s %12.6g %10.3g %7.2f%%%s\n", name, row_metric[r], row_value[r], row_ci[r],
            mean, half, 100 * off, ((off < 0 ? -off : off) > row_tolerance[r] ? "  outside its tolerance" : "")
    }
}'
