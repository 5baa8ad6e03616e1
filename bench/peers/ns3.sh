# To be sourced: finds ns-3, and builds programs with it.
#
# The default is Debian's ns-3. For another, NS3_FLAGS holds what the compiler needs
# (-std=... -I... -L... -l...) and NS3_VERSION its version.

# Modules in the order a linker wants them.
ns3_modules="applications internet point-to-point traffic-control network stats bridge core"

ns3_found() {
    command -v g++ >/dev/null && { [ -n "${NS3_FLAGS:-}" ] || [ -e /usr/include/ns3/core-module.h ]; }
}

ns3_version() {
    echo "${NS3_VERSION:-$(pkg-config --modversion ns3-core 2>/dev/null || echo unknown)}"
}

ns3_build() { # NAME FOLDER
    local source program module flags=()
    source=$(dirname "${BASH_SOURCE[0]}")/$1.cc
    program=$2/$1
    if [ "$program" -nt "$source" ]; then return; fi
    if [ -n "${NS3_FLAGS:-}" ]; then
        read -ra flags <<<"$NS3_FLAGS"
    else
        for module in $ns3_modules; do flags+=("-lns3-$module"); done
    fi
    # Flags come last: the linker wants libraries after what needs them.
    g++ -O3 "-DNS3_VERSION=\"$(ns3_version)\"" -o "$program" "$source" "${flags[@]}"
}
