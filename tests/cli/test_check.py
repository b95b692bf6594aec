"""--check reads the entries of every file that a configuration names, and tells what is wrong."""

import gzip
import struct
import unittest
import zipfile

from support import CliTest, BIN, INPUT, SOLVED

ORDER = 6
BANNER = "%%MatrixMarket matrix coordinate real general\n"
ARRAY = "%%MatrixMarket matrix array real general\n"
GOOD = BANNER + f"{ORDER} {ORDER} {ORDER}\n" + "".join(f"{k} {k} 2\n" for k in range(1, ORDER + 1))


def array(rows, columns, values=None):
    values = values or [str(k + 1) for k in range(rows * columns)]
    return ARRAY + f"{rows} {columns}\n" + "\n".join(values) + "\n"


def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def doubles(values, order="<"):
    return struct.pack(f"{order}{len(values)}d", *values)


def integers(values, order="<"):
    return struct.pack(f"{order}{len(values)}i", *values)


NAN = float("nan")
DIAGONAL = {"indices": npy("<i4", f"({ORDER},)", integers(range(ORDER))),
            "indptr": npy("<i4", f"({ORDER + 1},)", integers(range(ORDER + 1))),
            "format": npy("|S3", "()", b"csr"),
            "shape": npy("<i8", "(2,)", struct.pack("<2q", ORDER, ORDER)),
            "data": npy("<f8", f"({ORDER},)", doubles([2.0] * ORDER))}
LIST = {"row": DIAGONAL["indices"], "col": DIAGONAL["indices"], "data": DIAGONAL["data"],
        "shape": DIAGONAL["shape"], "format": npy("|S3", "()", b"coo")}


def petsc(lengths=(1,) * ORDER, indices=range(ORDER), values=(2.0,) * ORDER):
    return (integers([1211216, ORDER, ORDER, ORDER], ">") + integers(lengths, ">") +
            integers(list(indices), ">") + doubles(list(values), ">"))


def petsc_vector(values):
    return integers([1211214, ORDER], ">") + doubles(values, ">")


def changed(line, text):
    """GOOD with another line, from 1."""
    lines = GOOD.splitlines()
    lines[line - 1] = text
    return "\n".join(lines) + "\n"


# Texts that are wrong as a coordinate file, and where.
BROKEN_TEXTS = {
    "letter": (changed(5, "3 3 x"), 5), "nan": (changed(6, "4 4 nan"), 6),
    "overflow": (changed(4, "2 2 1e400"), 4), "row0": (changed(3, "0 1 2"), 3),
    "row_large": (changed(8, "7 1 2"), 8), "column_large": (changed(8, "1 7 2"), 8),
    "two_fields": (changed(7, "5 5"), 7), "four_fields": (changed(7, "5 5 2 1"), 7),
    "surplus": (GOOD + "1 2 3\n", 9), "cut": (GOOD[:-6], 7), "cut_in_line": (GOOD[:-2], 8),
    "nul": (changed(5, "3 3 2\0"), 5), "bare_return": (changed(5, "3 3 2\r4 4 2"), 5),
    "comma": (changed(5, "3,3,2"), 5), "decimal_comma": (changed(5, "3 3 2,5"), 5),
    "real_index": (changed(5, "3.5 3 2"), 5), "negative": (changed(5, "-3 3 2"), 5),
    "hex": (changed(5, "3 3 0x2"), 5), "complex": (changed(5, "3 3 2+1i"), 5),
    "long_line": (changed(5, "3 3 " + "1" * 2**20), 5)}

BROKEN_ARRAYS = {
    "letter": (array(ORDER, 1, ["1", "2", "x", "4", "5", "6"]), 5),
    "inf": (array(ORDER, 1, ["1", "2", "3", "4", "5", "-inf"]), 8),
    "cut": (array(ORDER, 1, ["1", "2", "3", "4", "5"]), 7),
    "surplus": (array(ORDER, 1, ["1"] * 7), 9),
    "two_numbers": (array(ORDER, 1, ["1", "2", "3 3", "4", "5", "6"]), 5)}

BROKEN_NPZ = {
    "index": {**DIAGONAL, "indices": npy("<i4", f"({ORDER},)", integers([0, 1, 2, 3, 4, ORDER]))},
    "negative_index": {**DIAGONAL, "indices": npy("<i4", f"({ORDER},)",
                                                  integers([0, 1, -2, 3, 4, 5]))},
    "nan": {**DIAGONAL, "data": npy("<f8", f"({ORDER},)", doubles([1, 2, NAN, 4, 5, 6]))},
    "offsets": {**DIAGONAL, "indptr": npy("<i4", f"({ORDER + 1},)", integers([0, 1, 3, 2, 4, 5, 6]))},
    "first_offset": {**DIAGONAL, "indptr": npy("<i4", f"({ORDER + 1},)",
                                               integers([1, 1, 2, 3, 4, 5, 6]))},
    "last_offset": {**DIAGONAL, "indptr": npy("<i4", f"({ORDER + 1},)",
                                              integers([0, 1, 2, 3, 4, 5, 5]))},
    "real_indices": {**DIAGONAL, "indices": npy("<f4", f"({ORDER},)", b"\0" * 4 * ORDER)},
    "few_indices": {**DIAGONAL, "indices": npy("<i4", "(2,)", integers([0, 1]))},
    "complex_nan": {**DIAGONAL, "data": npy("<c16", f"({ORDER},)", doubles([1] * 11 + [NAN]))},
    "no_offsets": {k: v for k, v in DIAGONAL.items() if k != "indptr"},
    "list_row": {**LIST, "row": npy("<i4", f"({ORDER},)", integers([0, 1, 2, 9, 4, 5]))},
    "list_column": {**LIST, "col": npy("<i4", f"({ORDER},)", integers([0, 1, 2, 9, 4, 5]))},
    "list_inf": {**LIST, "data": npy("<f8", f"({ORDER},)", doubles([1, 2, 3, 4, 5, 1e308 * 10]))},
    "sums": {**LIST, "row": npy("<i4", f"({ORDER},)", integers([0] * ORDER)),
             "col": npy("<i4", f"({ORDER},)", integers([0] * ORDER)),
             "data": npy("<f8", f"({ORDER},)", doubles([1e308] * ORDER))}}

BROKEN_PETSC = {
    "index": petsc(indices=[0, 1, 2, 3, 4, ORDER]), "negative_index": petsc(indices=[0, 1, -2, 3, 4, 5]),
    "nan": petsc(values=[1, 2, NAN, 4, 5, 6]), "lengths": petsc(lengths=[1, 1, 1, 1, 1, 2]),
    "negative_length": petsc(lengths=[1, 1, -1, 1, 1, 3]), "cut": petsc()[:-4],
    "surplus": petsc() + b"\0" * 8}


def damaged(data, place):
    return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1:]


class Check(CliTest):
    def pack(self, name, arrays, compression=zipfile.ZIP_STORED):
        with zipfile.ZipFile(self.folder / name, "w", compression) as archive:
            for member, content in arrays.items():
                archive.writestr(f"{member}.npy", content)

    def check(self, *words, seconds="inf"):
        return self.run_program(BIN / "spsolve", *words, "--check", "--check-seconds", seconds)

    def broken(self):
        """(the words of a command line, the file that is wrong, its wrong line or None)."""
        for name, (text, line) in BROKEN_TEXTS.items():
            self.write(f"{name}.mtx", text)
            yield (f"{name}.mtx",), f"{name}.mtx", line
            self.write(f"{name}.mtx.gz", gzip.compress(text.encode()))
            yield (f"{name}.mtx.gz",), f"{name}.mtx.gz", line
        for name, arrays in BROKEN_NPZ.items():
            self.pack(f"{name}.npz", arrays)
            yield (f"{name}.npz",), f"{name}.npz", None
            self.pack(f"{name}-d.npz", arrays, zipfile.ZIP_DEFLATED)
            yield (f"{name}-d.npz",), f"{name}-d.npz", None
        for name, content in BROKEN_PETSC.items():
            self.write(f"{name}.petsc", content)
            yield (f"{name}.petsc",), f"{name}.petsc", None
        self.write("A.mtx", GOOD)
        for name, (text, line) in BROKEN_ARRAYS.items():
            for key in ("right_hand_side.file", "solve.initial_guess", "solve.null_space"):
                self.write(f"b-{name}.mtx", text)
                yield (("A.mtx", "--method", "cg", "--set", f"{key}=./b-{name}.mtx"),
                       f"b-{name}.mtx", line)
        self.write("X.mtx", array(ORDER, 2, ["1"] * 11 + ["?"]))
        yield ("A.mtx", "./X.mtx", "--multiply"), "X.mtx", 14
        self.write("nodes.mtx", array(ORDER // 2, 2, ["1", "2", "3", "4", "5", "1e999"]))
        yield ("A.mtx", "--method", "cg", "--set", "solve.coordinates=nodes.mtx"), "nodes.mtx", 8
        self.write("c.npy", npy("<f8", f"({ORDER},)", doubles([1, 2, 3, 4, 5, NAN])))
        yield ("A.mtx", "./c.npy"), "c.npy", None
        self.write("c.petsc", petsc_vector([1, 2, 3, NAN, 5, 6]))
        yield ("A.mtx", "./c.petsc"), "c.petsc", None
        self.write("A.npy", npy("<f8", f"({ORDER}, {ORDER})", doubles([1] * 35 + [NAN])))
        yield ("A.npy",), "A.npy", None
        for name, text, line in (("twice", "1\n2\n3\n3\n5\n6\n", 4), ("few", "1\n2\n3\n", 3),
                                 ("word", "1\n2\nx\n4\n5\n6\n", 3)):
            self.write(f"{name}.txt", text)
            yield (("A.mtx", "--method", "sparse_lu", "--set", f"solve.ordering=./{name}.txt"),
                   f"{name}.txt", line)
        values = (("pattern.mtx", changed(8, "6 5 2"), None), ("letter-v.mtx", changed(8, "6 6 x"), 8),
                  ("few.npy", npy("<f8", "(5,)", doubles([1] * 5)), None),
                  ("nan.npy", npy("<f8", f"({ORDER},)", doubles([1] * 5 + [NAN])), None))
        for name, content, line in values:
            self.write(name, content)
            yield ("A.mtx", "--set", f"matrix.values={name}"), name, line
        packed = gzip.compress(GOOD.encode())
        for name, content in (("sum.mtx.gz", damaged(packed, len(packed) - 6)),
                              ("cut.mtx.gz", packed[:-9]), ("tail.mtx.gz", packed + b"tail")):
            self.write(name, content)
            yield (name,), name, None
        self.pack("sum.npz", DIAGONAL)
        content = (self.folder / "sum.npz").read_bytes()
        self.write("sum.npz", damaged(content, content.index(doubles([2.0])) + 6))
        yield ("sum.npz",), "sum.npz", None
        self.write("wide.mtx", BANNER + "2 3 1\n1 1 1\n")
        yield ("wide.mtx",), "wide.mtx", None

    def test_broken_files_are_refused_with_file_and_line(self):
        count = refused = 0
        for words, file, line in self.broken():
            count += 1
            with self.subTest(" ".join(words)):
                result = self.check(*words)
                refused += result.code == INPUT
                self.assertEqual(result.code, INPUT, result.text)
                place = f"{file}:{line}: expected" if line else file
                self.assertEqual(result.err.count(place), 1, result.err)
                self.assertEqual(len(result.err.splitlines()), 1, result.err)
        self.assertGreaterEqual(count, 100)
        print(f"{refused} of {count} broken files refused", flush=True)

    def test_it_says_what_it_read(self):
        self.write("A.mtx", GOOD)
        self.write("b.mtx", array(ORDER, 1))
        self.write("p.txt", "".join(f"{k}\n" for k in range(1, ORDER + 1)))
        self.pack("v.npz", DIAGONAL, zipfile.ZIP_DEFLATED)
        result = self.check("A.mtx", "b.mtx", "--method", "sparse_lu", "--set",
                            "solve.ordering=./p.txt", "--set", "matrix.values=v.npz")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(result.out.splitlines(),
                         ["the command line: the configuration is valid",
                          "  matrix             A.mtx: checked all 6 entries",
                          "  right-hand side    b.mtx: checked all 6 entries",
                          "  ordering           ./p.txt: checked all 6 entries",
                          "  values             v.npz: checked all 6 entries"])

    def test_every_file_is_told(self):
        self.write("A.mtx", changed(5, "3 3 x"))
        self.write("b.mtx", BROKEN_ARRAYS["inf"][0])
        self.write("x.npy", npy("<f8", f"({ORDER},)", doubles([NAN] * ORDER)))
        result = self.check("A.mtx", "b.mtx", "--method", "cg", "--set", "solve.initial_guess=x.npy")
        self.assertEqual(result.code, INPUT, result.text)
        told = result.err.splitlines()
        self.assertEqual(len(told), 3, result.err)
        for line, place in zip(told, ("A.mtx:5: ", "b.mtx:8: ", "x.npy: ")):
            self.assertIn(place, line)

    def test_without_time_it_says_how_far_it_came(self):
        # More than is read between two looks at the clock; wrong at its end.
        rows = 200000
        lines = [f"{k} {k} {k}.5" for k in range(1, rows + 1)]
        text = BANNER + f"{rows} {rows} {rows}\n" + "\n".join(lines[:-1]) + f"\n{rows} {rows} x\n"
        self.write("A.mtx", text)
        self.write("A.mtx.gz", gzip.compress(text.encode(), 1))
        self.write("b.npy", npy("<f8", f"({rows},)", doubles([1.0] * (rows - 1) + [NAN])))
        self.write("p.txt", "\n".join(str(k) for k in range(1, rows)) + "\n1\n")
        self.pack("B.npz", {
            "indices": npy("<i4", f"({rows},)", integers([*range(rows - 1), rows])),
            "indptr": npy("<i4", f"({rows + 1},)", integers(range(rows + 1))),
            "format": DIAGONAL["format"], "shape": npy("<i8", "(2,)", struct.pack("<2q", rows, rows)),
            "data": npy("<f8", f"({rows},)", doubles([1.0] * rows))})
        order = ("--method", "sparse_lu", "--set", "solve.ordering=./p.txt")
        for words, file in ((("A.mtx",), "A.mtx"), (("A.mtx.gz",), "A.mtx.gz"),
                            ((f"tridiagonal:{rows}", "./b.npy"), "b.npy"),
                            ((f"tridiagonal:{rows}", *order), "p.txt"), (("B.npz",), "B.npz")):
            with self.subTest(file):
                result = self.check(*words, seconds=0)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertRegex(result.out, rf"{file}: checked the first \d+ of {rows} entries in "
                                 "the time that there was; --check-seconds")
                result = self.check(*words)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(file, result.err)


if __name__ == "__main__":
    unittest.main()
