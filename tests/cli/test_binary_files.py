"""Files of numpy, scipy and PETSc compared with those of Matrix Market."""

import io
import importlib.util
import struct
import subprocess
import unittest
import zipfile

from support import BIN, CliTest, INPUT, SMALL_MATRIX, SOLVED, TIME_LIMIT, variables

HAS_SCIPY = bool(importlib.util.find_spec("numpy")) and bool(importlib.util.find_spec("scipy"))


def array(numbers, code="d", order="<", descr="<f8", shape=None, fortran=False):
    """An .npy file."""
    shape = shape or (len(numbers),)
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
            + struct.pack(f"{order}{len(numbers)}{code}", *numbers))


def text_array(text):
    front = array([], descr=f"|S{len(text)}", shape="()")
    return front + text.encode()


def archive(packing=zipfile.ZIP_STORED, **arrays):
    """An .npz file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as members:
        for name, content in arrays.items():
            members.writestr(name + ".npy", content)
    return file.getvalue()


def integers(*numbers):
    return array(numbers, "i", descr="<i4")


def wide(*numbers):
    return array(numbers, "q", descr="<i8")


CSR = {"format": text_array("csr"), "shape": wide(3, 3), "indptr": integers(0, 2, 3, 5),
       "indices": integers(0, 2, 1, 0, 2), "data": array([2, 1, 4, 1, 5])}


class Binary(CliTest):
    def setUp(self):
        super().setUp()
        self.write("A.mtx", SMALL_MATRIX)
        self.write("b.npy", array([3, 4, 6]))

    def run_alone(self, *arguments, **options):
        return self.run_program(BIN / "spsolve", *arguments, **options)

    def numbers(self, name):
        """What is in an array file that spsolve or spmtx wrote, column by column."""
        data = (self.folder / name).read_bytes()
        length = struct.unpack("<H", data[8:10])[0]
        self.assertIn(b"'descr': '<f8'", data[:10 + length])
        self.assertEqual((10 + length) % 64, 0)
        return list(struct.unpack(f"<{(len(data) - 10 - length) // 8}d", data[10 + length:]))

    def solve(self, matrix, *arguments, ranks=0):
        run = self.spsolve if ranks else self.run_alone
        more = {"ranks": ranks} if ranks else {}
        result = run(matrix, *arguments, "-o", "x.npy", "--quiet", **more)
        self.assertEqual(result.code, SOLVED, result.text)
        return self.numbers("x.npy")

    def test_right_hand_sides_of_every_type_and_order(self):
        for content, columns in (
                (array([3, 4, 6]), 1), (array([3, 4, 6], "f", descr="<f4"), 1),
                (array([3, 4, 6], "d", ">", ">f8"), 1), (array([3, 4, 6], "i", descr="<i4"), 1),
                (array([3, 6, 4, 8, 6, 12], shape="(3, 2)"), 2),
                (array([3, 4, 6, 6, 8, 12], shape="(3, 2)", fortran=True), 2),
                (array([3, 4, 6], shape="(3, 1)"), 1),
                (struct.pack(">2i3d", 1211214, 3, 3, 4, 6), 1),
                (struct.pack(">2q3d", 1211214, 3, 3, 4, 6), 1),
                (struct.pack(">4i6d", 1211216, 3, 2, -1, 3, 6, 4, 8, 6, 12), 2)):
            for ranks in (0, 2):
                with self.subTest(content=content[:90], ranks=ranks):
                    self.write("B", content)
                    self.assertEqual(self.solve("A.mtx", "B", ranks=ranks),
                                     [1, 1, 1, 2, 2, 2][:3 * columns])

    def test_matrices_of_every_kind(self):
        csc = dict(CSR, format=text_array("csc"))  # which is symmetric
        entries = {"format": text_array("coo"), "shape": wide(3, 3), "row": wide(0, 1, 2, 0, 2, 2),
                   "col": wide(0, 1, 2, 2, 0, 2), "data": array([2, 4, 2, 1, 1, 3])}
        unordered = dict(CSR, indices=integers(2, 0, 1, 0, 2), data=array([1, 2, 4, 1, 5]))
        petsc = struct.pack(">4i3i5i5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 2, 1, 4, 1, 5)
        for content in (archive(**CSR), archive(zipfile.ZIP_DEFLATED, **CSR), archive(**csc),
                        archive(**entries), archive(**unordered),
                        archive(**dict(CSR, data=array([2, 1, 4, 1, 5], "f", descr="<f4"))), petsc,
                        struct.pack(">4q3q5q5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 2, 1, 4,
                                    1, 5),
                        array([2, 0, 1, 0, 4, 0, 1, 0, 5], shape="(3, 3)")):
            for ranks in (0, 2):
                with self.subTest(content=content[:60], ranks=ranks):
                    self.write("A", content)
                    self.assertEqual(self.solve("A", "b.npy", ranks=ranks), [1, 1, 1])
            self.assertEqual(self.run_alone("A", "--check").code, SOLVED)

    def test_a_file_that_rank_0_alone_has(self):
        """The standard input: other ranks get their rows from rank 0."""
        process = subprocess.run(
            ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", "3", str(BIN / "spsolve"),
             "A.mtx", "-", "-o", "x.npy", "--quiet"], cwd=self.folder, env=variables(),
            input=array([3, 6, 4, 8, 6, 12], shape="(3, 2)"), timeout=TIME_LIMIT,
            capture_output=True, check=False)
        self.assertEqual(process.returncode, SOLVED, process.stderr)
        self.assertEqual(self.numbers("x.npy"), [1, 1, 1, 2, 2, 2])

    def test_product(self):
        self.write("X.npy", array([1, 1, 2, 0, 3, 0], shape="(3, 2)"))
        for ranks in (0, 3):
            run = self.spsolve if ranks else self.run_alone
            result = run("A.mtx", "X.npy", "--multiply", "-o", "Y.npy",
                         **({"ranks": ranks} if ranks else {}))
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(self.numbers("Y.npy"), [5, 8, 16, 2, 0, 1])

    def test_vectors_without_a_column_are_refused(self):
        self.write("none.npy", array([], shape="(3, 0)"))
        for arguments, what in ((("A.mtx", "none.npy"), "the right-hand side"),
                                (("A.mtx", "none.npy", "--check"), "the right-hand side"),
                                (("A.mtx", "none.npy", "--multiply"), "X")):
            for ranks in (0, 2):
                run = self.spsolve if ranks else self.run_alone
                result = run(*arguments, **({"ranks": ranks} if ranks else {}))
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(f"none.npy: {what} has no column; it needs one at least", result.err)

    def test_a_generated_matrix_is_written_as_its_file_ends(self):
        for name, words in (("g.npy", "g.npy: 3 x 3"), ("g.npz", "g.npz: 3 x 3, 7 non-zeros")):
            result = self.run_program(BIN / "spmtx", "generate", "tridiagonal:3", name)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(result.out, words + "\n")
        self.assertEqual(self.numbers("g.npy"), [2, -1, 0, -1, 2, -1, 0, -1, 2])

    def test_unknown_endings_are_refused(self):
        for command, source in (("generate", "tridiagonal:3"), ("convert", "A.mtx")):
            result = self.run_program(BIN / "spmtx", command, source, "g.foo")
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn("g.foo: a matrix is written as .mtx, .mtx.gz, .npz or .petsc, or as an "
                          "array, .npy", result.err)
            self.assertFalse((self.folder / "g.foo").exists())

    def test_convert_between_all(self):
        self.write("A.npz", archive(zipfile.ZIP_DEFLATED, **CSR))
        names = ["A.mtx", "A.npz", "c.mtx.gz", "d.petsc", "e.npz", "f.npy", "g.npz", "h.mtx"]
        for source, target in zip(names, names[1:]):
            if target == "A.npz":
                continue
            result = self.spmtx("convert", source, target)
            self.assertEqual((result.code, result.err), (SOLVED, ""), result.text)
        self.assertEqual(self.numbers("f.npy"), [2, 0, 1, 0, 4, 0, 1, 0, 5])
        lines = (self.folder / "h.mtx").read_text().splitlines()
        self.assertEqual(lines[-5:], ["1 1 2", "1 3 1", "2 2 4", "3 1 1", "3 3 5"])
        for source, target in (("b.npy", "b1.petsc"), ("b1.petsc", "b2.mtx"), ("b2.mtx", "b3.npy")):
            self.assertEqual(self.spmtx("convert", source, target).code, SOLVED)
        self.assertEqual(self.numbers("b3.npy"), [3, 4, 6])
        self.assertEqual((self.folder / "b1.petsc").read_bytes(),
                         struct.pack(">2i3d", 1211214, 3, 3, 4, 6))
        self.assertEqual((self.folder / "d.petsc").read_bytes(),
                         struct.pack(">4i3i5i5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 2, 1,
                                     4, 1, 5))
        result = self.spmtx("info", "A.npz", "--timing")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("binary,", result.out)

    def test_what_is_wrong_is_said(self):
        def without(name):
            return archive(**{key: value for key, value in CSR.items() if key != name})

        petsc = struct.pack(">4i3i5i5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 2, 1, 4, 1, 5)
        damaged = bytearray(archive(**CSR))
        damaged[damaged.index(array([2, 1, 4, 1, 5])) + 130] ^= 1
        bent = bytearray(archive(zipfile.ZIP_DEFLATED, **CSR))
        bent[45] ^= 0xff
        for content, words in (
                (archive(**CSR)[:-40], "A: is cut off or damaged: it begins as a zip archive"),
                (bytes(damaged), "A: its member 'data.npy' is damaged, as its check sum differs"),
                (bytes(bent), "A: its member 'format.npy' is damaged"),
                (without("indptr"), "A: holds no array 'indptr', but format.npy, shape.npy"),
                (archive(**dict(CSR, format=text_array("bsr"))), "csr, csc and coo are read"),
                (archive(**dict(CSR, indices=integers(0, 3, 1, 0, 2))),
                 "A: entry 1 has the column index 3, which must be from 0 to 2"),
                (archive(**dict(CSR, indices=integers(0, -1, 1, 0, 2))),
                 "A: entry 1 has the column index -1, which must be from 0 to 2"),
                (archive(**dict(CSR, indptr=integers(0, 2, 1, 5))),
                 "A: offsets must ascend from 0 to 5, the number of entries"),
                (archive(**dict(CSR, indptr=integers(0, 2, 5))),
                 "A: there are 3 offsets, and 3 rows need 4"),
                (archive(**dict(CSR, indices=integers(0, 2, 1, 0))),
                 "A: there are 5 values for 4 column indices"),
                (archive(**dict(CSR, indices=array([0, 2, 1, 0, 2]))),
                 "A: indices of columns are of type float64; they must be integers"),
                (archive(**dict(CSR, data=array([2, 1, float("nan"), 1, 5]))),
                 "A: the value of entry 2, counted from 0, is not finite"),
                (archive(**dict(CSR, data=array([1] * 9 + [float("nan")], descr="<c16",
                                                shape="(5,)"))),
                 "A: the value of entry 4, counted from 0, is not finite"),
                (archive(**dict(CSR, shape=wide(3, 3, 3))), "should be two integers"),
                (petsc[:-8], "A: is cut off: its header stands for more numbers than"),
                (petsc + b"12345678", "A: holds 8 bytes more than its header stands for"),
                (petsc[:16] + struct.pack(">i", 9) + petsc[20:],
                 "A: row 0, counted from 0, has 9 entries, which do not add up to the 5"),
        ):
            with self.subTest(words):
                self.write("A", content)
                result = self.run_alone("A", "--check")
                if result.code == SOLVED:  # headers alone do not tell
                    result = self.run_alone("A", "b.npy")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
                self.assertEqual(len(result.err.splitlines()), 1, result.err)
        right = array([3, 4, 6])
        for content, words in (
                (right[:-1], "B: is cut off: its header stands for 24 bytes of numbers, and 23"),
                (right + b"1", "B: holds 1 bytes more than its header stands for"),
                (right[:20], "B: is cut off within its header"),
                (right[:6] + b"\x07" + right[7:], "of version 7, and 1 to 3 are read"),
                (right.replace(b"'shape'", b"'shave'"), "B: its header cannot be understood"),
                (array([3, 4, 6], shape="(3, 1, 1)"), "B: an array of 3 dimensions"),
                (array([3, 4], shape="(2,)"), "B: the right-hand side has 2 rows"),
                (array([1] * 5 + [float("inf")], descr="<c16", shape="(3,)"),
                 "B: the element at row 2, column 0, counted from 0, is not finite"),
                (array([3, float("inf"), 6]),
                 "B: the element at row 1, column 0, counted from 0, is not finite"),
                (struct.pack(">2i2d", 1211214, 3, 3, 4), "B: is cut off"),
                (struct.pack(">2i2d", 1211214, -3, 3, 4), "B: is cut off")):
            with self.subTest(words):
                self.write("B", content)
                runs = [self.run_alone("A.mtx", "B")]
                if "finite" in words or "23" in words:
                    runs.append(self.spsolve("A.mtx", "B", ranks=2))
                for result in runs:
                    self.assertEqual(result.code, INPUT, result.text)
                    self.assertEqual(result.err.count(words), 1, result.err)
        self.write("B", array([3, 6, 4, 8, 6, 12], shape="(3, 2)"))
        result = self.run_alone("A.mtx", "B", "-o", "x.petsc")
        self.assertEqual(result.code, INPUT)
        self.assertIn("x.petsc: a vector of PETSc has one column, not 2", result.err)
        self.write("c.yaml", "task: multiply\nmatrix: {file: A.npz, reader: parallel}\n")
        for content, words in (
                (archive(zipfile.ZIP_DEFLATED, **CSR), "csr that are not compressed"),
                (archive(**dict(CSR, format=text_array("csc"))), "csr that are not compressed"),
                (array([2, 0, 0, 4], shape="(2, 2)"), "and this is an array")):
            self.write("A.npz", content)
            result = self.run_alone("c.yaml")
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(words, result.err)

    def test_every_rank_reads_its_rows(self):
        self.write("X.npy", array([1, 1, 2, 0, 3, 0], shape="(3, 2)"))
        petsc = struct.pack(">4i3i5i5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 2, 1, 4, 1, 5)
        unordered = dict(CSR, indices=integers(2, 0, 1, 0, 2), data=array([1, 2, 4, 1, 5]))
        for content in (archive(**CSR), archive(**unordered), petsc):
            for ranks in (1, 2, 3):
                with self.subTest(content=content[:20], ranks=ranks):
                    self.write("A", content)
                    result = self.spsolve("A", "X.npy", "--multiply", "-o", "Y.npy", "--set",
                                          "matrix.reader=parallel", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertEqual(self.numbers("Y.npy"), [5, 8, 16, 2, 0, 1])

    @unittest.skipUnless(HAS_SCIPY, "numpy and scipy are not here: python3-scipy")
    def test_what_scipy_writes_and_reads(self):
        import numpy
        import scipy.sparse
        random = numpy.random.default_rng(5)
        a = scipy.sparse.random(200, 200, 0.05, random_state=5) + 10 * scipy.sparse.eye(200)
        b = random.standard_normal((200, 3))
        numpy.save(self.folder / "B.npy", b)
        numpy.save(self.folder / "F.npy", numpy.asfortranarray(b))
        for kind in ("csr", "csc", "coo"):
            for compressed in (False, True):
                scipy.sparse.save_npz(self.folder / "S.npz", a.asformat(kind), compressed)
                for right in ("B.npy", "F.npy"):
                    self.solve("S.npz", right)
                    x = numpy.load(self.folder / "x.npy")
                    self.assertEqual(x.shape, b.shape)
                    self.assertLess(abs(a @ x - b).max(), 1e-13)
        self.assertEqual(self.spmtx("convert", "S.npz", "T.npz").code, SOLVED)
        back = scipy.sparse.load_npz(self.folder / "T.npz")
        self.assertEqual((back != a.tocsr()).nnz, 0)
        self.assertEqual(self.spmtx("convert", "S.npz", "T.npy").code, SOLVED)
        self.assertTrue((numpy.load(self.folder / "T.npy") == a.toarray()).all())

    @unittest.skipUnless(HAS_SCIPY, "numpy and scipy are not here: python3-scipy")
    def test_right_hand_sides_in_archives(self):
        import numpy
        import scipy.sparse
        a = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(60, 60)).tocsr()
        scipy.sparse.save_npz(self.folder / "A.npz", a)
        b = numpy.zeros((60, 2))
        b[7, 0], b[40, 1], b[41, 1] = 2, -1, 3
        for factor in (1, 1 + 2j):
            numpy.save(self.folder / "B.npy", factor * b)
            self.assertEqual(self.spsolve("A.npz", "B.npy", "-o", "x.npy", "--quiet").code, SOLVED)
            x = numpy.load(self.folder / "x.npy")
            scipy.sparse.save_npz(self.folder / "sparse.npz", scipy.sparse.coo_matrix(factor * b))
            numpy.savez(self.folder / "stored.npz", factor * b)
            numpy.savez_compressed(self.folder / "deflated.npz", b=numpy.asfortranarray(factor * b))
            for right in ("sparse.npz", "stored.npz", "deflated.npz"):
                for ranks in (1, 2):
                    with self.subTest(right=right, ranks=ranks, factor=factor):
                        (self.folder / "x.npy").unlink()
                        result = self.spsolve("A.npz", right, "-o", "x.npy", "--quiet", ranks=ranks)
                        self.assertEqual(result.code, SOLVED, result.text)
                        self.assertTrue((numpy.load(self.folder / "x.npy") == x).all())
        scipy.sparse.save_npz(self.folder / "row.npz", scipy.sparse.csr_matrix(b[:, :1].T))
        self.solve("A.npz", "row.npz")
        self.assertEqual(self.spmtx("convert", "stored.npz", "back.npy").code, SOLVED)
        self.assertTrue((numpy.load(self.folder / "back.npy") == factor * b).all())
        numpy.savez(self.folder / "two.npz", b, b)
        numpy.savez(self.folder / "short.npz", b[1:])
        whole = (self.folder / "stored.npz").read_bytes()
        self.write("damaged.npz", whole[:200] + b"\0\1\2" + whole[203:])
        for name, words in (("two.npz", "two.npz: holds 2 arrays (arr_0.npy, arr_1.npy), and one is"),
                            ("short.npz", "short.npz: the right-hand side has 59 rows"),
                            ("damaged.npz", "damaged.npz")):
            self.write("c.yaml", f"matrix: A.npz\nright_hand_side: {name}\n")
            result = self.spsolve("c.yaml")
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(words, result.text)


if __name__ == "__main__":
    unittest.main()
