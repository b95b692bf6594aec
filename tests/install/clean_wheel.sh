#!/usr/bin/env bash
# Installs wheels into a fresh root without a compiler, by pip as an ordinary user, and solves there.
#
#   ./dev wheel && tests/install/clean_wheel.sh FOLDER dist/spsolve-*.whl
#
# FOLDER is a root made by debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates,
# of a system with glibc 2.34 or later. It is changed. Of the wheels pip takes those for its Python. What
# they need comes from the index before. Needs root.
set -euo pipefail
root=$(realpath "${1:?usage: clean_wheel.sh FOLDER WHEEL ...}")
shift

mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
trap 'umount "$root/proc" "$root/dev"' EXIT
inside() { chroot "$root" env -i PATH=/usr/bin:/bin HOME=/home/tester LC_ALL=C.UTF-8 "$@"; }

rm -rf "$root/wheels" "$root/home/tester"
mkdir -p "$root/wheels"
cp "$@" "$root/wheels"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
inside PATH=/usr/sbin:/usr/bin:/sbin:/bin useradd --create-home --user-group tester 2>/dev/null || true
install -d "$root/home/tester"
chroot "$root" chown tester /home/tester
run_as_tester() { inside su tester -c "cd /home/tester && $1"; }

if inside sh -c 'command -v cc gcc g++ clang'; then
  echo "there is a compiler in $root" >&2
  exit 1
fi
names=$(cd "$root/wheels" && ls | sed 's/-.*//; s/_/-/' | sort -u | paste -sd ' ')
inside sh -c '. /etc/os-release; echo "== $PRETTY_NAME, $(python3 --version), $(ldd --version | head -1)"'
needed="numpy scipy"
[[ $names != *cuda* ]] || needed+=" nvidia-cublas"
run_as_tester "python3 -m venv env && env/bin/pip install -q --no-cache-dir $needed"
begin=$(date +%s.%N)
run_as_tester "env/bin/pip install -q --no-index --find-links /wheels $names"
end=$(date +%s.%N)
bytes=$(du -csb "$root"/home/tester/env/lib/python*/site-packages/spsolve* | tail -1 | cut -f1)
awk "BEGIN { printf \"pip install $names: %.1f s, %d bytes\n\", $end - $begin, $bytes }"
cat >"$root/home/tester/first.py" <<'EOF'
import time
begin = time.perf_counter()
import numpy, scipy.sparse.linalg
of_scipy = time.perf_counter()
import spsolve
imported = time.perf_counter()
a = spsolve.read("grid3d:30")
f = spsolve.factor(a)
x = f.solve(numpy.ones(27000))
solved = time.perf_counter()
assert abs(a @ x - 1).max() < 1e-10
print(f"import {imported - of_scipy:.2f} s after scipy's {of_scipy - begin:.2f} s; 27000 unknowns "
      f"{solved - imported:.2f} s by {f.report.method}; {spsolve._core.__file__.split('site-packages/')[1]}")
if spsolve.has_cuda:
    try:
        spsolve.solve(a, numpy.ones(27000), device="cuda")
        print("solved on a GPU")
    except spsolve.ResourcesError as error:
        print(f"no GPU: {error}")
EOF
run_as_tester 'env/bin/python first.py'
run_as_tester 'SPSOLVE_PROCESSOR=x86-64-v3 env/bin/python first.py'
