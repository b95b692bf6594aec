#!/usr/bin/env python3
"""Files that were cut off, flipped, lengthened or given huge numbers, in every form that spsolve reads,
under a limit of memory: each must be solved, or be refused in one sentence.

    SPSOLVE_BIN=build/bin python3 tests/soak/mutated_files.py --files 2000
    SPSOLVE_BIN=build/bin python3 tests/soak/mutated_files.py --seed 4711 --files 1

File k has the seed of the first one and k more, which decides everything. It stops at the first file
that is not treated so, and keeps it.
"""

import argparse
import collections
import gzip
import io
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from mat_writer import Writer  # noqa: E402

BIN = pathlib.Path(os.environ.get("SPSOLVE_BIN", ROOT / "build" / "bin"))
TIME_LIMIT = 600  # seconds for one run, against waiting for ever
ROOM = 400 * 2**20  # bytes beyond what the program and its libraries map
ORDER = 12
CHECK = ("--check", "--check-seconds", "inf")


class Finding(Exception):
    """What spsolve did and should not have done."""


# --- good files, by hand: no library is needed

def rows_of_matrix():
    """(row, column, value), by rows: diagonally dominant."""
    return [(i, j, 4.0 if i == j else -1.0 / (1 + i + j))
            for i in range(ORDER) for j in range(ORDER) if abs(i - j) <= 2]


def matrix_market():
    entries = rows_of_matrix()
    lines = ["%%MatrixMarket matrix coordinate real general", "% a comment",
             f"{ORDER} {ORDER} {len(entries)}"]
    return "\n".join(lines + [f"{i + 1} {j + 1} {v!r}" for i, j, v in entries] + [""]).encode()


def array_file():
    lines = ["%%MatrixMarket matrix array real general", f"{ORDER} 1"]
    return "\n".join(lines + [repr(k / 7) for k in range(ORDER)] + [""]).encode()


def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def npy_vector():
    return npy("<f8", f"({ORDER},)", struct.pack(f"<{ORDER}d", *range(ORDER)))


def npz(compression):
    entries = rows_of_matrix()
    offsets = [sum(1 for i, _, _ in entries if i < row) for row in range(ORDER + 1)]
    count = len(entries)
    arrays = {
        "indices": npy("<i4", f"({count},)", struct.pack(f"<{count}i", *(j for _, j, _ in entries))),
        "indptr": npy("<i4", f"({ORDER + 1},)", struct.pack(f"<{ORDER + 1}i", *offsets)),
        "format": npy("|S3", "()", b"csr"),
        "shape": npy("<i8", "(2,)", struct.pack("<2q", ORDER, ORDER)),
        "data": npy("<f8", f"({count},)", struct.pack(f"<{count}d", *(v for _, _, v in entries)))}
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", compression) as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return result.getvalue()


def petsc():
    entries = rows_of_matrix()
    count = len(entries)
    lengths = [sum(1 for i, _, _ in entries if i == row) for row in range(ORDER)]
    return (struct.pack(">4i", 1211216, ORDER, ORDER, count) + struct.pack(f">{ORDER}i", *lengths) +
            struct.pack(f">{count}i", *(j for _, j, _ in entries)) +
            struct.pack(f">{count}d", *(v for _, _, v in entries)))


def mat(order, packs):
    entries = sorted((j, i, v) for i, j, v in rows_of_matrix())
    writer = Writer(order, packs)
    return writer.file(writer.sparse(
        "A", ORDER, ORDER, [sum(1 for j, _, _ in entries if j < column) for column in range(ORDER + 1)],
        [i for _, i, _ in entries], [v for _, _, v in entries]))


def mat_vector():
    writer = Writer("<", True)
    return writer.file(writer.full("b", ORDER, 1, [k / 7 for k in range(ORDER)]))


def petsc_vector():
    return struct.pack(">2i", 1211214, ORDER) + struct.pack(f">{ORDER}d", *range(ORDER))


def order():
    return "".join(f"{k + 1}\n" for k in reversed(range(ORDER))).encode()


MATRICES = {
    "A.mtx": matrix_market(), "A.mtx.gz": gzip.compress(matrix_market(), mtime=0),
    "A.npz": npz(zipfile.ZIP_STORED), "B.npz": npz(zipfile.ZIP_DEFLATED), "A.petsc": petsc(),
    "A.mat": mat(">", False), "B.mat": mat("<", True)}
VECTORS = {
    "b.mtx": array_file(), "b.mtx.gz": gzip.compress(array_file(), mtime=0), "b.npy": npy_vector(),
    "b.petsc": petsc_vector(), "b.mat": mat_vector()}
ORDERS = {"p.txt": order(), "p.txt.gz": gzip.compress(order(), mtime=0)}


# --- what becomes of them

def flip(draw, data):
    result = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8])):
        result[draw.randrange(len(result))] ^= 1 << draw.randrange(8)
    return bytes(result)


def cut(draw, data):
    return data[:draw.randrange(len(data))]


def lengthen(draw, data):
    more = draw.choice([b"\0", b"\n", b"9", b"%", b"1 1 1\n", b"\x1f\x8b", b"PK\x03\x04"])
    return data + more * draw.choice([1, 7, 5000])


def drop(draw, data):
    begin = draw.randrange(len(data))
    return data[:begin] + data[begin + draw.choice([1, 4, 50]):]


def repeat(draw, data):
    begin = draw.randrange(len(data))
    size = draw.choice([1, 8, 100])
    return data[:begin + size] + data[begin:]


def huge_number(draw, data):
    """Digits of a text, or bytes of a binary file, become those of a huge number."""
    places = [k for k in range(len(data)) if chr(data[k]).isdigit()]
    if places and draw.random() < 0.6:
        place = draw.choice(places)
        number = draw.choice(["0", "-1", "99999", "300000000", "2147483648", "9" * 18, "9" * 30,
                              "1e999", "nan", str(2**62)])
        return data[:place] + number.encode() + data[place + 1:]
    place = draw.randrange(len(data))
    number = draw.choice([b"\xff" * 4, b"\x7f" + b"\xff" * 3, b"\0\0\0\x7f", b"\xff" * 8,
                          b"\x10\0\0\0", b"\0\0\0\x10"])
    return data[:place] + number + data[place + len(number):]


def huge_order(draw, data):
    """All sizes of a matrix, or all bytes that look so, become the same huge one."""
    number = draw.choice([10**5, 10**6, 5 * 10**7, 2 * 10**9, 2**40])
    data = data.replace(f"{ORDER} ".encode(), f"{number} ".encode())
    data = data.replace(f"({ORDER},".encode(), f"({number},".encode())
    data = data.replace(struct.pack("<q", ORDER), struct.pack("<q", number))
    return data.replace(struct.pack(">i", ORDER), struct.pack(">i", min(number, 2**31 - 1)))


def swap_heads(draw, data):
    other = draw.choice([*MATRICES.values(), *VECTORS.values()])
    size = draw.choice([4, 16, 45, 80])
    return other[:size] + data[size:]


MUTATIONS = [flip, cut, lengthen, drop, repeat, huge_number, huge_number, huge_order,
             swap_heads]


def mutated(draw, data):
    """The bytes, mostly changed once; of gzip data what they hold, half the time."""
    inner = data[:2] == b"\x1f\x8b" and draw.random() < 0.5
    data = gzip.decompress(data) if inner else data
    for _ in range(draw.choice([1, 1, 1, 2])):
        data = draw.choice(MUTATIONS)(draw, data) or b"x"
    return gzip.compress(data, mtime=0) if inner else data


# --- runs

def run(words, folder, limit):
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return subprocess.run([str(word) for word in words], cwd=folder, preexec_fn=limited,
                          timeout=TIME_LIMIT, capture_output=True, text=True, errors="replace",
                          check=False, env=dict(os.environ, OMP_NUM_THREADS="1"))


def smallest_limit(folder):
    """Bytes that a run with small good files maps, some 16 MiB more."""
    step, low, high = 2**24, 0, 2**33
    while high - low > step:
        middle = (low + high) // 2
        try:
            good = run([BIN / "spsolve", "A.mtx", "--quiet"], folder, middle).returncode == 0
        except (OSError, subprocess.SubprocessError):
            good = False  # not even started
        low, high = (low, middle) if good else (middle, high)
    return high


def command_for(draw, name):
    """A command that reads the file `name`, which has the kind of its good namesake."""
    if name in MATRICES:
        return draw.choice([["spsolve", name], ["spsolve", name], ["spsolve", name, *CHECK],
                            ["spsolve", name, "--multiply"], ["spsolve", name, "--dry-run"],
                            ["spmtx", "info", name],
                            ["spsolve", "A0.mtx", "--set", f"matrix.values={name}"]])
    if name in ORDERS:
        words = ["spsolve", "A0.mtx", "--method", "sparse_lu", "--set", f"solve.ordering=./{name}"]
        return draw.choice([words, [*words, *CHECK]])
    key = draw.choice(["solve.initial_guess", "solve.null_space", "solve.coordinates"])
    return draw.choice([["spsolve", "A0.mtx", f"./{name}"],
                        ["spsolve", "A0.mtx", f"./{name}", *CHECK],
                        ["spsolve", "A0.mtx", f"./{name}", "--multiply"],
                        ["spsolve", "A0.mtx", "--method", "cg", "--set", f"{key}=./{name}"],
                        ["spsolve", "A0.mtx", "--method", "cg", "--set", f"{key}=./{name}",
                         *CHECK]])


def judge(words, result):
    """Throws a Finding unless a run ended as it should."""
    told = " ".join(words)
    if result.returncode not in (0, 1, 2, 3):
        raise Finding(f"{told}: ends with {result.returncode}: {result.stderr[:500]}")
    if result.returncode < 2:
        return
    lines = result.stderr.splitlines()
    if "--dry-run" in words and result.returncode == 3 and not lines:
        return  # the plan itself is what was asked for
    if not lines or not lines[0].startswith(f"{words[0]}: "):
        raise Finding(f"{told}: no sentence: {result.stderr[:500]!r}")
    # A check has one for each file, and a plan that does not fit follows its sentence.
    if len(lines) > 1 and "--check" not in words and result.returncode != 3:
        raise Finding(f"{told}: {len(lines)} lines: {result.stderr[:500]!r}")
    if any(len(line) > 1000 or not line.isprintable() for line in lines):
        raise Finding(f"{told}: no readable sentence: {result.stderr[:500]!r}")


def try_file(seed, folder, limit):
    """One file, one run; hands back its name, and how it ended."""
    draw = random.Random(seed)
    good = {**MATRICES, **VECTORS, **ORDERS}
    name = draw.choice(list(good))
    (folder / name).write_bytes(mutated(draw, good[name]))
    words = command_for(draw, name)
    try:
        result = run([BIN / words[0], *words[1:]], folder, limit)
    except subprocess.TimeoutExpired:
        raise Finding(f"{' '.join(words)}: still runs after {TIME_LIMIT} s") from None
    judge(words, result)
    (folder / name).unlink()
    return name, result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="spsolve-mutated-"))
    (folder / "A.mtx").write_bytes(MATRICES["A.mtx"])
    limit = smallest_limit(folder) + ROOM
    (folder / "A.mtx").rename(folder / "A0.mtx")
    tally = collections.defaultdict(collections.Counter)
    for seed in range(options.seed, options.seed + options.files):
        try:
            name, code = try_file(seed, folder, limit)
        except Finding as finding:
            print(f"seed {seed}: {finding}\nrepeat with: {sys.argv[0]} --seed {seed} --files 1; "
                  f"the file is in {folder}")
            return 1
        tally[name][code] += 1
    print(f"{options.files} files, {limit >> 20} MiB to map; exit codes:")
    for name, codes in sorted(tally.items()):
        print(f"  {name:<10}" + "".join(f"  {code}: {codes[code]:>4}" for code in range(4)))
    (folder / "A0.mtx").unlink()
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
