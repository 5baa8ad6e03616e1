#!/usr/bin/env bash
# Runs experiments of the papers in ns-2 2.35, where it has the schemes, so that contradicted claims
# have a second witness: `cargo run -p earlydrop-papers --example witness` judges these runs by the
# same tests.
#
#   bench/peers/witness.sh >bench/reference/witness-ns2.csv
#
# A line for each metric of each run: experiment, scheme, values of the swept fields, seed, metric,
# value, in the units of earlydrop. About ten minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v ns >/dev/null || { echo "skipped: ns-2 (no command 'ns'; Debian: ns2)" >&2; exit 1; }

echo "experiment,scheme,at,seed,metric,value"
# PLACES FLOWS CASE [SETTING ...]: the places of a run are "EXPERIMENT,SCHEME,AT", separated by |.
runs() {
    local places=$1 flows=$2 case=$3 seed
    for ((seed = 1; seed <= 10; seed++)); do
        ns "$here/reference_ns2.tcl" "$case" "$seed" "${@:4}" |
            awk -v places="$places" -v seed="$seed" -v flows="$flows" '{
                gsub(/[{}"]/, "")
                n = split($0, field, ",")
                for (i = 1; i <= n; i++) { split(field[i], pair, ":"); value[pair[1]] = pair[2] }
                # Packets of 1000 bytes a second of a flow; a deviation of a sample to one of all.
                count = split(places, place, "|")
                for (at = 1; at <= count; at++) lines(place[at] "," seed)
            }
            function lines(run) {
                printf "%s,goodput,%.6g\n", run, value["goodput"] * flows * 8000
                printf "%s,queue_loss,%.6g\n", run, value["loss_pct"] / 100
                printf "%s,root:queue_loss,%.6g\n", run, sqrt(value["loss_pct"] / 100)
                printf "%s,count:timeouts,%d\n", run, value["timeouts"]
                printf "%s,variation,%.6g\n", run, value["goodput_cv"] * sqrt((flows - 1) / flows)
                printf "%s,utilisation,%.6g\n", run, value["util"]
                printf "%s,queue_mean,%.6g\n", run, value["meanq"]
                if (value["udp_loss_pct"] == 0) return
                printf "%s,group:tcp:loss,%.6g\n", run, value["tcp_loss_pct"] / 100
                printf "%s,groups:udp:tcp:loss,%.6g\n", run, value["udp_loss_pct"] / value["tcp_loss_pct"]
            }'
    done
}

for flows in 32 48 64; do
    place() { echo "red-config/table-1-printed,$1,flows.tcp.count=$flows"; }
    one=(rate=20 delay=24 limit=200)
    runs "$(place proposed)" "$flows" "red-config.t2.N${flows}P" "${one[@]}" \
        red:thresh_=40 red:maxthresh_=120
    runs "$(place morris)" "$flows" "red-config.t2.N${flows}M" "${one[@]}" \
        red:thresh_=20 red:maxthresh_=60
done
for flows in 100 150 200; do
    place() { echo "red-config/table-2-$1,$2,flows.tcp.count=$flows"; }
    for run in "printed 98" "fitted 8"; do
        read -r table delay <<<"$run"
        runs "$(place "$table" proposed)" "$flows" "red-config.t2.N${flows}P" "delay=$delay"
        runs "$(place "$table" morris)" "$flows" "red-config.t2.N${flows}M" "delay=$delay"
    done
done
for flows in 5 10 20 30 40 60 80 100 120; do
    at="flows.ftp.count=$flows"
    both="$at;tcp.receiver_window=100000;network.buffer=120 packets"
    for scheme in droptail red; do
        settings=(delay=40 red:gentle_=false)
        [ "$scheme" = red ] || settings+=(queue=DropTail)
        runs "sfred-nlred/figure-11-40ms,$scheme,$both|sfred-nlred/section-4-2-40ms,$scheme,$at" \
            "$flows" "sfred-nlred.gred.p0.1.N$flows" "${settings[@]}"
    done
done
for rate in 250 100; do
    for flows in 8 16 24 32; do
        for max_p in 0.01 0.02 0.05 0.1 0.2 0.5 1.0; do
            place() { echo "restraint/figure-1-${rate}k,$1,flows.tcp.count=$flows;parameters.max_p=$max_p"; }
            one=("udprate=$rate" "red:linterm_=$(awk "BEGIN { print 1 / $max_p }")")
            runs "$(place red)" "$flows" "restraint.red.N${flows}U2" "${one[@]}"
            [ "$max_p" != 1.0 ] ||
                runs "$(place droptail)" "$flows" "restraint.red.N${flows}U2" "${one[@]}" queue=DropTail
        done
    done
done
for flows in 8 32; do
    for streams in 2 4; do
        runs "restraint/figure-6,red,flows.tcp.count=$flows;flows.udp.count=$streams" "$flows" \
            "restraint.red.N${flows}U$streams"
    done
done
