#!/bin/bash
# The first process inside the user-mode kernel: attaches the qdisc of each case in turn to link0,
# feeds it, and stores what became of every packet. The host's files are its root.
#
#   $WORK/job: name|hz|arrivals|parent|rate|scheme|tc's arguments
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
WORK=@WORK@
mount -t hostfs none $WORK/out -o $WORK/out
ip link set lo up
ip link set link0 up
read -r SEEDS < $WORK/seeds
while IFS='|' read -r name _ trace parent rate _ arguments; do
    case $name in ''|'#'*) continue ;; esac
    for seed in $SEEDS; do
        tc qdisc del dev link0 root 2> /dev/null
        if [ "$parent" = root ]; then
            at=root
        else
            tc qdisc add dev link0 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
            at='parent 1:1'
        fi
        ok=yes
        # A case may take several commands; the first adds, the others change.
        verb=add
        while IFS= read -r -d ';' one; do
            # shellcheck disable=SC2086
            tc qdisc $verb dev link0 $at handle 10: $one || ok=
            verb=change
        done <<< "$arguments;"
        if [ -z "$ok" ]; then
            echo "skipped $name: this tc or kernel refuses '$arguments'"
            break
        fi
        cat $WORK/headers/$rate.$seed $WORK/traces/$trace > /proc/link0
        cat /proc/link0 > $WORK/out/$name.$seed
    done
done < $WORK/job
echo finished
exec $WORK/poweroff
