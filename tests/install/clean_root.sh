#!/usr/bin/env bash
# Installs the Debian packages into a fresh root and solves the quickstart there as an ordinary user.
#
#   ./dev package && tests/install/clean_root.sh FOLDER
#
# FOLDER is a root made by debootstrap --variant=minbase bookworm FOLDER, whose apt can fetch what
# the packages depend on. It is changed. Needs root.
set -euo pipefail
root=$(realpath "${1:?usage: clean_root.sh FOLDER}")
packages=$(realpath "$(dirname "$0")/../../build-package")

mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
trap 'umount "$root/sys" "$root/proc" "$root/dev"' EXIT
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

mkdir -p "$root/packages"
cp "$packages"/*.deb "$root/packages"
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends /packages/spsolve_*.deb' >/dev/null
inside useradd --create-home --user-group tester 2>/dev/null || true
run_as_tester() { inside su tester -c "cd /home/tester && $1"; }

echo "== what it brought"
inside dpkg -s spsolve | grep -E '^(Version|Depends|Installed-Size):'
echo "== quickstart, two ranks"
run_as_tester 'mpirun --oversubscribe -np 2 spsolve /usr/share/spsolve/configs/quickstart.yaml'
run_as_tester 'grep -q "\"status\": \"solved\"" report.json'
echo "== the other programs"
run_as_tester 'spmtx info grid2d:10 >/dev/null && spbench --list-kernels >/dev/null'
inside sh -c 'test -s /usr/share/man/man1/spsolve.1 && test -s /usr/share/bash-completion/completions/spsolve'
echo "== an outside program"
inside sh -c 'apt-get install -y -qq --no-install-recommends /packages/libspsolve0*.deb /packages/libspsolve-dev_*.deb cmake g++ make pkg-config' >/dev/null
rm -rf "$root/outside"
cp -r "$(dirname "$0")/outside" "$root/outside"
inside sh -c 'cd /outside && cmake -B build >/dev/null && cmake --build build >/dev/null && build/outside'
inside sh -c 'cd /outside && g++ main.cpp -o by_pkg_config $(pkg-config --cflags --libs spsolve) && ./by_pkg_config'
echo "== all well"
