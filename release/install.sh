#!/bin/sh
# Installs the newest earlydrop of a folder of a release, which may be a path or an address:
#   sh install.sh FROM [PREFIX]     (PREFIX: ~/.local unless it is given)
# FROM has SHA256SUMS and archives; the one for this machine is fetched, compared with its sum, and
# installed. Needs tar, gzip, sha256sum or shasum, and curl or wget where FROM is an address.
set -eu
[ $# -ge 1 ] || { echo "usage: sh install.sh FROM [PREFIX]" >&2; exit 2; }
from="${1%/}"
prefix="${2:-$HOME/.local}"

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    *) echo "there is no archive for $(uname -s) on $(uname -m): cargo install --path crates/earlydrop-cli" >&2; exit 1 ;;
esac

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
get() {
    case "$from" in
        http://* | https://*)
            if command -v curl >/dev/null; then
                curl -fsSL "$from/$1" -o "$work/$1"
            else
                wget -qO "$work/$1" "$from/$1"
            fi
            ;;
        *) cp "$from/$1" "$work/$1" ;;
    esac
}

get SHA256SUMS
line="$(grep "  earlydrop-[0-9][^ ]*-$target\.tar\.gz\$" "$work/SHA256SUMS" | tail -n 1)" ||
    { echo "$from has no archive for $target" >&2; exit 1; }
archive="${line##* }"
get "$archive"
cd "$work"
echo "$line" >sum
if command -v sha256sum >/dev/null; then sha256sum -c sum >/dev/null; else shasum -a 256 -c sum >/dev/null; fi ||
    { echo "$archive is not what SHA256SUMS says" >&2; exit 1; }
tar -xzf "$archive"
"./${archive%.tar.gz}/install" "$prefix"
