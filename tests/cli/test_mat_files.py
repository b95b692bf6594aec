"""Files of MATLAB as matrices and as right-hand sides."""

import unittest

from mat_writer import Writer
from support import BIN, CliTest, INPUT, SOLVED

# [ 2 0 1 ]
# [ 0 4 0 ]   of which x = (1, 1, 1) makes b = (3, 4, 6)
# [ 1 0 5 ]
SPARSE = dict(rows=3, columns=3, offsets=(0, 2, 3, 5), indices=(0, 2, 1, 0, 2),
              numbers=(2.0, 1.0, 4.0, 1.0, 5.0))
FULL = (3, 3, (2, 0, 1, 0, 4, 0, 1, 0, 5))


class MatFiles(CliTest):
    def write_bytes(self, name, content):
        (self.folder / name).write_bytes(content)

    def solved(self, *arguments):
        """x as numbers."""
        result = self.run_program(BIN / "spsolve", *arguments, "--set", "output.solution=x.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        lines = [line for line in (self.folder / "x.mtx").read_text().splitlines()
                 if not line.startswith("%")]
        return [[float(each) for each in line.split()] for line in lines[1:]]

    def assert_ones(self, x, count=3):
        self.assertEqual(len(x), count)
        for each in x:
            self.assertAlmostEqual(each[0], 1, delta=1e-14)

    def refused(self, name, words):
        result = self.run_program(BIN / "spsolve", name, "b.mat")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn(words, result.err)
        self.assertIn(name.split(":")[0], result.err)

    def test_matrices_and_right_hand_sides(self):
        for order in "<>":
            for packs in (False, True):
                writer = Writer(order, packs)
                self.write_bytes("A.mat", writer.file(writer.text("note", "a text"),
                                                      writer.sparse("A", **SPARSE)))
                self.write_bytes("F.mat", writer.file(writer.full("F", *FULL)))
                self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3.0, 4.0, 6.0))))
                self.write_bytes("s.mat", writer.file(writer.sparse(
                    "b", 3, 1, (0, 3), (0, 1, 2), (3.0, 4.0, 6.0))))
                for a in ("A.mat", "F.mat", "A.mat:A"):
                    for b in ("b.mat", "s.mat", "b.mat:b"):
                        with self.subTest(order=order, packs=packs, a=a, b=b):
                            self.assert_ones(self.solved(a, b))

    def test_complex_numbers(self):
        for order in "<>":
            writer = Writer(order, True)
            self.write_bytes("A.mat", writer.file(writer.sparse("A", **SPARSE, imaginary=(0, 1, 2, -1, 0))))
            self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3, 4, 6), (-1.0, 2.0, 1.0))))
            x = self.solved("A.mat", "b.mat")
            for re, im in x:
                self.assertAlmostEqual(re, 1, delta=1e-14)
                self.assertAlmostEqual(im, 0, delta=1e-14)

    def test_one_of_several_is_named(self):
        writer = Writer()
        whole = writer.file(
            writer.sparse("A", **SPARSE), writer.full("b", 3, 1, (3, 4, 6)),
            writer.structure("Problem", A=writer.sparse("", **SPARSE), id=writer.full("", 1, 1, (7,)),
                             name=writer.text("", "HB/x")))
        self.write_bytes("all.mat", whole)
        self.write_bytes("b.mat", whole)
        self.assert_ones(self.solved("all.mat:A", "all.mat:b"))
        self.assert_ones(self.solved("all.mat:Problem.A", "all.mat:b"))
        self.write("c.yaml", "matrix: all.mat:A\nright_hand_side: all.mat:b\n")
        self.assert_ones(self.solved("c.yaml"))
        self.refused("all.mat", "holds 4 matrices, A, b, Problem.A, Problem.id: name one of them, as "
                                "all.mat:A")
        self.refused("all.mat:B", "holds no matrix of that name, but A, b, Problem.A, Problem.id")

    def test_spmtx_knows_them(self):
        writer = Writer()
        self.write_bytes("A.mat", writer.file(writer.sparse("A", **SPARSE)))
        info = self.run_program(BIN / "spmtx", "info", "A.mat:A")
        self.assertEqual(info.code, SOLVED, info.text)
        self.assertIn("5", info.out)
        made = self.run_program(BIN / "spmtx", "convert", "A.mat", "A.npz")
        self.assertEqual(made.code, SOLVED, made.text)
        written = self.run_program(BIN / "spmtx", "convert", "A.npz", "B.mat")
        self.assertEqual(written.code, INPUT)
        self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3, 4, 6))))
        self.assert_ones(self.solved("A.npz", "b.mat"))

    def test_ranks(self):
        writer = Writer()
        self.write_bytes("A.mat", writer.file(writer.sparse("A", **SPARSE)))
        self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3, 4, 6))))
        ran = self.spsolve("A.mat", "b.mat", ranks=3)
        self.assertEqual(ran.code, SOLVED, ran.text)
        result = self.run_program(BIN / "spsolve", "A.mat", "b.mat", "--method", "cg",
                                  "--set", "matrix.reader=parallel")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("parallel reads no files of MATLAB", result.err)

    def test_bad_ones_are_refused(self):
        writer, packer = Writer(), Writer("<", True)
        good = writer.file(writer.sparse("A", **SPARSE))
        packed = packer.file(packer.sparse("A", **SPARSE))
        self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3, 4, 6))))
        changed = dict(SPARSE)

        def with_(**others):
            return writer.file(writer.sparse("A", **{**changed, **others}))
        damaged = bytearray(packed)
        damaged[150] ^= 0x55
        for name, content, words in (
                ("hdf.mat", writer.file(version=0x200), "version 7.3"),
                ("none.mat", writer.file(), "holds no matrix of numbers"),
                ("text.mat", writer.file(writer.text("t", "hello")), "holds no matrix of numbers"),
                ("cube.mat", writer.file(writer.matrix("c", 6, (1, 1, 2), writer.doubles((1, 2)))),
                 "holds no matrix of numbers"),
                ("cut.mat", good[:-12], "cut off or damaged"),
                ("cut2.mat", good[:150], "cut off or damaged"),
                ("cut3.mat", packed[:-9], "cut off or damaged"),
                ("sum.mat", bytes(damaged), "cut off or damaged"),
                ("few.mat", with_(numbers=(1.0, 2.0)), "values are 2, and there should be 5"),
                ("index.mat", with_(indices=(0, 3, 1, 0, 2)), "row index 3"),
                ("below.mat", with_(indices=(0, -1, 1, 0, 2)), "row index -1"),
                ("offsets.mat", with_(offsets=(0, 4, 3, 5)), "offsets must ascend"),
                ("count.mat", with_(offsets=(0, 2, 5)), "3 offsets for 3 columns"),
                ("size.mat", with_(rows=-3), "cannot be"),
                ("nan.mat", with_(numbers=(float("nan"),) * 5), "not finite"),
                ("full.mat", writer.file(writer.matrix("F", 6, (3, 3), writer.doubles((1, 2)))),
                 "values are 2, and there should be 9"),
                ("flags.mat", writer.file(writer.element(14, writer.doubles((1, 2)))), "flags"),
                ("wide.mat", writer.file(writer.full("F", 1, 3, (1, 2, 3))), "square")):
            with self.subTest(name):
                self.write_bytes(name, content)
                self.refused(name, words)
        for cut in range(1, len(packed) - 128, 7):
            self.write_bytes("p.mat", packed[:-cut])
            result = self.run_program(BIN / "spsolve", "p.mat", "b.mat", "--check")
            self.assertEqual(result.code, INPUT, result.text)

    def test_a_check_looks_into_them(self):
        writer = Writer()
        self.write_bytes("A.mat", writer.file(writer.sparse("A", **SPARSE)))
        self.write_bytes("b.mat", writer.file(writer.full("b", 3, 1, (3, 4, float("inf")))))
        checked = self.run_program(BIN / "spsolve", "A.mat", "b.mat", "--check")
        self.assertEqual(checked.code, INPUT, checked.text)
        self.assertIn("not finite", checked.text)


if __name__ == "__main__":
    unittest.main()
