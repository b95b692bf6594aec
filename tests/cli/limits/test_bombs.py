"""Small files that stand for gigabytes, or are made to look so, are refused in a sentence, and in
memory that what they announce accounts for."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

from support import CliTest, BIN, INPUT, MIB, ROOT, SOLVED, variables

BANNER = b"%%MatrixMarket matrix coordinate real general\n"
ARRAY = b"%%MatrixMarket matrix array real general\n"
ENTRIES = b"3 3 3\n1 1 2\n2 2 2\n3 3 2\n"
LARGE = 200  # MiB that a bomb has
CHECK = ("--check", "--check-seconds", "inf")
ROOM = 150 * MIB  # that a run may take beyond one with a small good file


def gzipped(head, fill):
    """`head` and then LARGE MiB of `fill` as gzip data: a member that is there many times."""
    def member(data):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    return member(head) + member(fill * (MIB // len(fill))) * LARGE


def npy_front(descr, shape):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


GOOD = {"indices": npy_front("<i4", "(3,)") + struct.pack("<3i", 0, 1, 2),
        "indptr": npy_front("<i4", "(4,)") + struct.pack("<4i", 0, 1, 2, 3),
        "format": npy_front("|S3", "()") + b"csr",
        "shape": npy_front("<i8", "(2,)") + struct.pack("<2q", 3, 3),
        "data": npy_front("<f8", "(3,)") + struct.pack("<3d", 2, 2, 2)}


class Bombs(CliTest):
    def setUp(self):
        super().setUp()
        self.needs_limits()
        self.write("A.mtx", BANNER + ENTRIES)
        code, _, self.usual = self.peak("A.mtx")
        self.assertEqual(code, SOLVED)

    def peak(self, *words):
        """Exit code, words on the standard error and most bytes of memory of spsolve."""
        with tempfile.TemporaryFile() as told:
            process = subprocess.Popen([BIN / "spsolve", *words], cwd=self.folder, env=variables(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=told)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            told.seek(0)
            return process.returncode, told.read().decode(), usage.ru_maxrss * 1024

    def refuse(self, file, said, *words):
        """Each of both refuses the file in one sentence, and in little memory."""
        for more in ((), CHECK):
            with self.subTest(file=file, words=(*words, *more)):
                code, told, bytes_taken = self.peak(*(words or (file,)), *more)
                self.assertEqual(code, INPUT, told)
                self.assertTrue(told.startswith(f"spsolve: {file}:"), told)
                self.assertEqual(len(told.splitlines()), 1, told)
                self.assertIn(said, told)
                self.assertLess(len(told), 500)
                self.assertLess(bytes_taken, self.usual + ROOM)

    def test_compressed_text(self):
        blank = "64 MiB of comments and blank lines"
        for name, head, fill, said in (
                ("newlines", BANNER + ENTRIES, b"\n", blank),
                ("comments", BANNER + ENTRIES, b"% more\n ", blank),
                ("claims", BANNER + b"3 3 99999999\n1 1 1\n", b"\n", blank),
                ("no_size", BANNER, b"%\n", blank),
                ("no_banner", b"x", b"x", "'%%MatrixMarket matrix ...'"),
                ("long_size", BANNER, b" ", blank),
                ("long_line", BANNER + ENTRIES[:-1], b"0", "a line of at most 1048576 characters"),
                ("long_comment", BANNER + b"%", b"%", blank),
                ("nul", BANNER + ENTRIES, b"\0", "the end of the file after the 3 entries"),
                ("surplus", BANNER + ENTRIES, b"1 1 1 \n ", "the end of the file after the 3 entries"),
                ("claimed_entries", BANNER + b"3 3 9999999999\n", b"1 1 1 \n ",
                 "more than its")):
            self.write(f"{name}.mtx.gz", gzipped(head, fill))
            self.refuse(f"{name}.mtx.gz", said)

    def test_files_with_holes(self):
        for name, head, said in (("no_banner.mtx", b"x", "'%%MatrixMarket matrix ...'"),
                                 ("data.mtx", BANNER + ENTRIES, "the end of the file after the 3"),
                                 ("in_line.mtx", BANNER + ENTRIES[:-2], "a line of at most"),
                                 ("packed.mtx.gz", zlib.compress(BANNER + ENTRIES, wbits=31),
                                  "are no gzip data")):
            path = self.write(name, head)
            os.truncate(path, 2**32)
            self.refuse(name, said)
        self.refuse("in_line.mtx", "a line of at most", "in_line.mtx", "--method", "cg", "--set",
                    "matrix.reader=parallel")

    def test_other_doors(self):
        bomb = gzipped(ARRAY + b"3 1\n1\n2\n3\n", b"\n")
        cg = ("A.mtx", "--method", "cg", "--set")
        for name, words in (("v.mtx.gz", ("A.mtx", "./v.mtx.gz")),
                            ("X.mtx.gz", ("A.mtx", "./X.mtx.gz", "--multiply")),
                            ("x0.mtx.gz", (*cg, "solve.initial_guess=x0.mtx.gz")),
                            ("null.mtx.gz", (*cg, "solve.null_space=./null.mtx.gz"))):
            self.write(name, bomb)
            self.refuse(name if name[0] in "x" else f"./{name}", "64 MiB of comments", *words)
        self.write("values.mtx.gz", gzipped(BANNER + ENTRIES, b"\n"))
        self.refuse("values.mtx.gz", "64 MiB of comments", "A.mtx", "--set",
                    "matrix.values=values.mtx.gz")
        self.write("nodes.mtx.gz", gzipped(ARRAY + b"2 2\n1\n2\n3\n4\n", b"%"))
        self.refuse("nodes.mtx.gz", "a line of at most", "grid2d:2", "--method", "cg", "--set",
                    "solve.coordinates=nodes.mtx.gz")
        for name, fill in (("order.txt.gz", b"\n"), ("long.txt.gz", b"1")):
            self.write(name, gzipped(b"1\n2\n3\n", fill))
            self.refuse(f"./{name}", "64 MiB of comments" if fill == b"\n" else "a line of at most",
                        "A.mtx", "--method", "sparse_lu", "--set", f"solve.ordering=./{name}")

    def test_archives(self):
        elements = LARGE * MIB // 8
        for name, array, front, said in (
                ("format", "format", npy_front("|S3", "()") + b"csr", "more than its header"),
                ("text", "format", npy_front("|S1", f"({LARGE * MIB},)"), "should be one short text"),
                ("shape", "shape", npy_front("<i8", f"({elements},)"), "should be two integers"),
                ("data", "data", npy_front("<f8", f"({elements},)"), "values for 3 column indices"),
                ("offsets", "indptr", npy_front("<i8", f"({elements},)"), "3 rows need 4")):
            with zipfile.ZipFile(self.folder / f"{name}.npz", "w", zipfile.ZIP_DEFLATED,
                                 compresslevel=1) as archive:
                for member, content in GOOD.items():
                    with archive.open(f"{member}.npy", "w") as file:
                        file.write(front if member == array else content)
                        for _ in range(LARGE if member == array else 0):
                            file.write(bytes(MIB))
            path = f"{name}.npz"
            for more in ((), CHECK):
                with self.subTest(path, more=more):
                    code, told, bytes_taken = self.peak(path, *more)
                    self.assertEqual(code, INPUT, told)
                    self.assertIn(said, told)
                    self.assertLess(bytes_taken, self.usual + ROOM)

    def test_sizes_that_are_not_there(self):
        for name, content in (
                ("a.npy", npy_front("<f8", "(1099511627776, 1048576)") + bytes(64)),
                ("b.npy", npy_front("<f8", "(300000000, 1)") + bytes(64)),
                ("c.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + bytes(64)),
                ("d.petsc", struct.pack(">4i", 1211216, 2**31 - 1, 2**31 - 1, 2**31 - 1)),
                ("e.petsc", struct.pack(">4i", 1211216, 2**31 - 1, 2**31 - 1, -1)),
                ("f.petsc", struct.pack(">2i", 1211214, 2**31 - 1))):
            self.write(name, content)
            self.refuse(name, "")

    def test_many_members_are_read(self):
        packed = b"".join(zlib.compress(line, wbits=31)
                          for line in (BANNER + ENTRIES).splitlines(keepends=True))
        self.write("m.mtx.gz", packed + zlib.compress(b"", wbits=31) * 100000 + bytes(10240))
        self.assertEqual(self.peak("m.mtx.gz")[0], SOLVED)

    def test_mutated_files(self):
        result = self.run_program(sys.executable, ROOT / "tests" / "soak" / "mutated_files.py",
                                  "--files", 100, environment={"SPSOLVE_BIN": str(BIN)})
        self.assertEqual(result.code, SOLVED, result.text)


if __name__ == "__main__":
    unittest.main()
