# Sourced: where ns-3 is, and how a program is built with it.

# Modules in the order a linker wants them.
ns3_modules="applications internet point-to-point traffic-control network stats bridge core"

ns3_found() {
    command -v g++ >/dev/null && [ -e /usr/include/ns3/core-module.h ]
}

ns3_version() {
    pkg-config --modversion ns3-core 2>/dev/null || echo unknown
}

ns3_build() { # NAME FOLDER
    local source program module libraries=()
    source=$(dirname "${BASH_SOURCE[0]}")/$1.cc
    program=$2/$1
    if [ "$program" -nt "$source" ]; then return; fi
    for module in $ns3_modules; do libraries+=("-lns3-$module"); done
    g++ -O3 "-DNS3_VERSION=\"$(ns3_version)\"" -o "$program" "$source" "${libraries[@]}"
}
