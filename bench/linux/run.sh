#!/bin/bash
# Makes the reference of bench/reference/linux anew: run.sh FOLDER [SEEDS], with the kernel of
# build.sh in FOLDER and its qdiscs set by this machine's tc. Minutes.
#
# Each seed is a boot of its own, which also draws the kernel's hash keys. The pfifo case comes
# first: where it is not met packet by packet, nothing is written.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?run.sh FOLDER [SEEDS]}" && pwd)
seeds=${2:-8}
reference="cargo run --quiet --release -p earlydrop --example linux_reference --"
command -v tc > /dev/null || { echo "skipped: no tc"; exit 77; }
cd "$here/../.."
for hz in 1000 250; do
    [ -x "$folder/linux-$hz" ] || { echo "skipped: no kernel of $hz Hz"; continue; }
    work=$folder/run-$hz
    rm -rf "$work"
    mkdir -p "$work/out"
    cp "$folder/poweroff" "$work/"
    sed "s,@WORK@,$work," "$here/init.sh" > "$work/init.sh"
    chmod +x "$work/init.sh"
    $reference prepare "$work" $hz $seeds
    for seed in $(seq "$seeds"); do
        echo "$seed" > "$work/seeds"
        timeout 600 "$folder/linux-$hz" mem=512M root=/dev/root rootfstype=hostfs rootflags=/ ro \
            init="$work/init.sh" con=null con0=null,fd:1 time-travel=inf-cpu umid="link0-$$" quiet \
            < /dev/null 2> /dev/null | grep -a -v 'channel type\|setup_one_line' || true
    done
done
$reference import "$folder"
