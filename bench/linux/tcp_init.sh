#!/bin/bash
# The first process inside the user-mode kernel: plays each case of $WORK/cases over path0, and
# stores its log. The host's files are its root.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
WORK=@WORK@
mount -t hostfs none $WORK/out -o $WORK/out
ip link set lo up
ip address add 10.9.0.1/24 dev path0
ip link set path0 up
cd /proc/sys/net/ipv4 || exit
# A case must not inherit ssthresh from the one before.
echo 1 > tcp_no_metrics_save
while IFS='|' read -r name script control segments seconds settings; do
    case $name in ''|'#'*) continue ;; esac
    ip link set path0 gso_max_segs 1
    tc qdisc del dev path0 root 2> /dev/null
    pacing=
    undo=()
    case $control in
        cubic-hystart) control=cubic ;;
        cubic) settings="$settings tcp_cubic.hystart=0" ;;
    esac
    for one in $settings; do
        case $one in
            gso) ip link set path0 gso_max_segs 65535 ;;
            pace=*) pacing=${one#pace=} ;;
            qdisc=*) tc qdisc add dev path0 root "${one#qdisc=}" ;;
            *.*=*)
                parameter=/sys/module/${one%%.*}/parameters/${one#*.}
                undo+=("${parameter%%=*}=$(cat "${parameter%%=*}")")
                echo "${one#*=}" > "${parameter%%=*}"
                ;;
            *) undo+=("${one%%=*}=$(cat "${one%%=*}")"); echo "${one#*=}" > "${one%%=*}" ;;
        esac
    done
    # shellcheck disable=SC2086
    $WORK/send "$control" "$segments" "$seconds" $pacing < $WORK/scripts/$script || echo "failed: $name"
    cat /proc/path0 > $WORK/out/$name
    for one in "${undo[@]}"; do echo "${one#*=}" > "${one%%=*}"; done
done < $WORK/cases
echo finished
exec $WORK/poweroff
