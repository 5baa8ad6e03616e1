#!/bin/bash
# Builds the user-mode Linux that the references of bench/reference/linux come from, from Debian's
# source package: build.sh FOLDER [HZ], 4 to 15 minutes. A kernel that was built from the same files
# is kept. Needs make, gcc, flex, bison, bc and, for the source, apt-get.
#
# Neither the qdiscs nor TCP are changed. Three things around them are:
# - link.c, which feeds a qdisc, and path.c, which answers a TCP sender, are built in;
# - the clock has HZ ticks a second, and timers fire to the ns, not to 256 ns;
# - random numbers and timers of the schemes' files are taken from link.c, and random numbers of BBR
#   and CDG from path.c, by names given to the compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?build.sh FOLDER [HZ]}
hz=${2:-1000}
package=linux-source-6.1
for tool in make gcc flex bison bc apt-get dpkg; do
    command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$folder"
gcc -static -O2 -o send "$here/send.c"
printf '#include <sys/reboot.h>\nint main(void) { return reboot(0x4321fedc); }\n' > poweroff.c
gcc -static -o poweroff poweroff.c
hash=$( (cat "$here/link.c" "$here/path.c" "$here/kernel.config" "$here/build.sh"; echo "$hz") | sha256sum | cut -c 1-16)
if [ -x "linux-$hash" ]; then
    ln -sf "linux-$hash" "linux-$hz"
    echo "kept linux-$hash"
    exit
fi
ls ${package}_*.deb > /dev/null 2>&1 || apt-get download $package || { echo "skipped: no $package"; exit 77; }
rm -rf source
mkdir source
dpkg -x ${package}_*.deb source
tar xf source/usr/src/$package.tar.xz -C source
cd source/$package
cp "$here/link.c" "$here/path.c" drivers/net/
echo 'obj-y += link.o path.o' >> drivers/net/Makefile
{
    echo 'link0 := -Dget_random_u32=link_random_u32 -Dget_random_u16=link_random_u16'
    echo 'link0 += -Dget_random_bytes=link_random_bytes -Dmod_timer=link_mod_timer'
    for file in red gred choke sfb pie fq_pie cake; do echo "CFLAGS_sch_$file.o += \$(link0)"; done
} >> net/sched/Makefile
{
    echo 'path0 := -Dget_random_u32=path_random_u32 -Dget_random_u16=path_random_u16'
    echo 'path0 += -Dget_random_u8=path_random_u8'
    for file in bbr cdg; do echo "CFLAGS_tcp_$file.o += \$(path0)"; done
} >> net/ipv4/Makefile
sed -i "/^config HZ\$/,/default/s/default 100\$/default $hz/" arch/um/Kconfig
sed -i 's/\(TIMER_MULTIPLIER\) 256/\1 1/; s/\(TIMER_MIN_DELTA\) *500/\1 1/' arch/um/include/linux/time-internal.h
export ARCH=um
make -s KCONFIG_ALLCONFIG="$here/kernel.config" allnoconfig
make -s olddefconfig
make -s -j"$(nproc)" linux
cp linux "$folder/linux-$hash"
ln -sf "linux-$hash" "$folder/linux-$hz"
rm -rf "$folder/source"
echo "built linux-$hash"
