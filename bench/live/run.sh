#!/usr/bin/env bash
# Races emulators with real packets: throughput, added delay, CPU.
#
#   bench/live/run.sh [ROUNDS]    7 unless given
#
# Contenders that are not installed are named and skipped. The others run in turn,
# round after round, so that a machine slowing down slows all alike. Traffic is
# `bench/examples/ends.rs` for all: Reno, MTU 1500. Quote ratios of one table, not
# figures of two.
#
# 1. Forwarding: one flow for 2 seconds through 5 Gbps, more than an emulator of
#    one packet a system call forwards; RED with statistics written, and
#    Mahimahi's mm-link (its own drop-tail; it has no RED). mm-link runs in a
#    network namespace of its own, as it adds a rule to the namespace it starts in,
#    and as nobody, as it refuses root.
# 2. Goodput at 1 Gbps through RED: four flows, 1 ms each way. Of 1,500 bytes
#    1,448 are payload: 0.965 Gbps at best.
# 3. Added delay at 20 Mbps and half load: the time of a full datagram from one
#    end's kernel to the other's, less its transmission of 600 us; and the
#    emulator's share of a core.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
rounds=${1:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
lines=$work/lines.tsv
: >"$lines"

if [ ! -r /dev/net/tun ]; then
    echo "nothing to run: no /dev/net/tun" >&2
    exit 1
fi
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p earlydrop-cli
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p earlydrop-bench --example ends
install -m 755 "$root/target/release/earlydrop" "$root/target/release/examples/ends" "$work"
ends=$work/ends
port=5201

field() { # NAME, from a line of JSON
    sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" | tail -n 1
}
note() { # MEASURE CONTENDER VALUE
    if [ -z "$3" ]; then
        echo "failed: $1, $2" >&2
        exit 1
    fi
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$lines"
}
# Prints what the near end prints, and writes a summary to $work/stats.
shell() { # OPTIONS... -- arguments of `ends`
    local options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    rm -f "$work/stats"
    "$work/earlydrop" shell --quiet --stats "$work/stats" "${options[@]}" \
        --far "exec $ends take $port" -- "$ends" "$@"
}

if ! command -v mm-link >/dev/null; then
    mahimahi="no command 'mm-link'"
elif [ "$(id -u)" != 0 ]; then
    mahimahi="needs root, to run it in a namespace of its own"
else
    mahimahi=
    # Opportunities of 1,500 bytes: 5,000 in 12 milliseconds are 5 Gbps.
    awk 'BEGIN { for (n = 1; n <= 5000; n++) print int((n * 12 + 4999) / 5000) }' >"$work/5gbps.trace"
    chmod 644 "$work/5gbps.trace"
fi
[ -z "$mahimahi" ] || echo "skipped: mm-link ($mahimahi)"
mm_link() { # arguments of `ends` after the address
    local queue="droptail" sizes="packets=2000" trace=$work/5gbps.trace
    unshare --net bash -euc '
        ends=$1 port=$2 trace=$3 queue=$4 sizes=$5
        shift 5
        ip link set lo up
        sysctl -q -w net.ipv4.ip_forward=1
        "$ends" take "$port" &
        taker=$!
        setpriv --reuid 65534 --regid 65534 --clear-groups mm-link "$trace" "$trace" \
            --uplink-queue="$queue" --uplink-queue-args="$sizes" \
            --downlink-queue="$queue" --downlink-queue-args="$sizes" -- \
            sh -c "exec \"$ends\" bulk \"\$MAHIMAHI_BASE\" $port $*"
        kill "$taker"
    ' bash "$ends" "$port" "$trace" "$queue" "$sizes" "$@"
}

forward=(--rate 5Gbps --queue 'red:min=300,max=900,limit=2000' --tcp reno)
for ((round = 1; round <= rounds; round++)); do
    [ -n "$mahimahi" ] || note forward mm-link "$(mm_link 1 2 | field goodput_mbps)"
    note forward earlydrop "$(shell "${forward[@]}" -- bulk 10.77.0.2 $port 1 2 | field goodput_mbps)"
    note forward "earlydrop --no-offloads" \
        "$(shell "${forward[@]}" --no-offloads -- bulk 10.77.0.2 $port 1 2 | field goodput_mbps)"
    note 1gbps earlydrop "$(shell --rate 1Gbps --delay 1ms --queue red:min=100,max=300,limit=1000 --tcp reno -- \
        bulk 10.77.0.2 $port 4 2 | field goodput_mbps)"
    note 1gbps-core earlydrop "$(field cpu <"$work/stats")"
    delay=$(shell --rate 20Mbps --queue red:min=10,max=30 -- spaced 10.77.0.2 $port 10 2 | field delay_p50_us)
    note 20mbps-added-us earlydrop "$(awk -v d="$delay" 'BEGIN { print d - 600 }')"
    note 20mbps-core earlydrop "$(field cpu <"$work/stats")"
    note 20mbps-late-us earlydrop "$(field p50 <"$work/stats" | awk '{ print $1 * 1e6 }')"
done

awk -F '\t' "$(cat "$here/../median.awk")"'
function show(what, who, list,    middle) {
    middle = median(list)
    printf "%-16s  %-32s  %10.4g  %10.4g  %10.4g\n", what, who, low, middle, high
}
{
    key = $1 FS $2
    if (!(key in all)) order[++keys] = key
    all[key] = all[key] " " $3
}
END {
    printf "%-16s  %-32s  %10s  %10s  %10s\n", "measure", "contender", "min", "median", "max"
    for (k = 1; k <= keys; k++) {
        split(order[k], part, FS)
        show(part[1], part[2], all[order[k]])
    }
    base = "forward" FS "mm-link"
    if (base in all)
        for (k = 1; k <= keys; k++) {
            split(order[k], part, FS)
            if (part[1] != "forward" || order[k] == base) continue
            n = split(all[order[k]], ours, " "); split(all[base], theirs, " "); ratios = ""
            for (i = 1; i <= n; i++) ratios = ratios " " ours[i] / theirs[i]
            show("forward, ratio", part[2] " / mm-link", ratios)
        }
}' "$lines"
