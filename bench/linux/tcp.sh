#!/bin/bash
# Plays scripts with the user-mode kernel's TCP: tcp.sh FOLDER OUT [CASES [SCRIPTS]]. FOLDER is
# build.sh's; the full logs go to OUT, one a case. CASES and SCRIPTS are those of
# bench/reference/linux/tcp unless given. Seconds; HZ=250 takes a kernel of `build.sh FOLDER 250`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
reference=$here/../reference/linux/tcp
folder=$(cd "${1:?tcp.sh FOLDER OUT [CASES [SCRIPTS]]}" && pwd)
out=${2:?a folder for the logs}
cases=${3:-$reference/cases.txt}
scripts=${4:-$reference/scripts}
work=$folder/run-$$
mkdir -p "$work/out" "$out"
cp "$folder/poweroff" "$folder/send" "$work/"
cp "$cases" "$work/cases"
cp -r "$scripts" "$work/scripts"
sed "s,@WORK@,$work," "$here/tcp_init.sh" > "$work/init.sh"
chmod +x "$work/init.sh"
timeout 600 "$folder/linux-${HZ:-1000}" mem=768M root=/dev/root rootfstype=hostfs rootflags=/ ro \
    init="$work/init.sh" con=null con0=null,fd:1 time-travel=inf-cpu umid="path0-$$" quiet \
    < /dev/null 2>&1 | grep -a -v 'channel type\|setup_one_line' || true
cp "$work"/out/* "$out/"
rm -rf "$work"
