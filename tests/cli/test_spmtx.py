"""spmtx: info, generate, convert."""

import re
import unittest

from support import CliTest, INPUT, RESOURCES, SOLVED


class Colours(CliTest):
    def test_both_second_passes_by_name(self):
        counts = {}
        for words, name in (((), "balanced"), (("--second-pass", "balanced"), "balanced"),
                            (("--second-pass", "published"), "published")):
            result = self.spmtx("color", "grid3d:12", *words)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertRegex(result.out, rf"second pass +{name}\n")
            counts[name] = int(re.search(r"colours +(\d+)", result.out).group(1))
        self.assertGreater(counts["published"], counts["balanced"])
        self.assertEqual(self.spmtx("color", "grid3d:5", "--second-pass", "third").code, INPUT)


class Info(CliTest):
    def test_of_a_generator(self):
        result = self.spmtx("info", "grid2d:10")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("100 x 100", result.out)
        self.assertIn("460 after mirroring", result.out)
        self.assertRegex(result.out, r"symmetry +symmetric")
        self.assertIn("10 below, 10 above", result.out)

    def test_of_a_file_with_timing(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n")
        result = self.spmtx("info", "a.mtx", "--timing")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("coordinate real symmetric, 2 entries", result.out)
        self.assertIn("MB/s", result.out)
        self.assertIn("1 zero or missing", result.out)

    def test_wrong_names(self):
        self.assertEqual(self.spmtx("info", "none.mtx").code, INPUT)
        result = self.spmtx("info", "grid2:10")
        self.assertEqual(result.code, INPUT)
        self.assertIn("did you mean", result.err)


class Colouring(CliTest):
    def test_of_a_grid(self):
        result = self.spmtx("color", "grid2d:100")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertRegex(result.out, r"colou?rs +4")

    def test_needs_a_symmetric_pattern(self):
        result = self.spmtx("color", "gfpp:5")
        self.assertEqual(result.code, INPUT)


class Writing(CliTest):
    def test_generate_and_convert_round_trip(self):
        self.assertEqual(self.spmtx("generate", "random_sparse:50:40:5", "a.mtx").code, SOLVED)
        self.assertEqual(self.spmtx("convert", "a.mtx", "b.mtx.gz").code, SOLVED)
        self.assertEqual(self.spmtx("convert", "b.mtx.gz", "c.mtx").code, SOLVED)

        def entries(name):
            return [line for line in (self.folder / name).read_text().splitlines()
                    if not line.startswith("%")]

        self.assertEqual(entries("a.mtx"), entries("c.mtx"))
        self.assertEqual(entries("a.mtx")[0].split()[:2], ["50", "40"])

    def test_seeds_differ(self):
        for seed in (1, 2):
            self.spmtx("generate", f"random_dense:5:seed={seed}", f"{seed}.mtx")
        self.assertNotEqual((self.folder / "1.mtx").read_text().splitlines()[3:],
                            (self.folder / "2.mtx").read_text().splitlines()[3:])

    def test_refusals(self):
        result = self.spmtx("generate", "grid2d:-1", "a.mtx")
        self.assertEqual(result.code, INPUT)
        self.assertIn("N of 'grid2d:-1'", result.err)
        self.assertFalse((self.folder / "a.mtx").exists())
        result = self.spmtx("generate", "grid2d:3", "no/folder/a.mtx")
        self.assertEqual(result.code, RESOURCES)
        self.assertEqual(self.spmtx().code, INPUT)


if __name__ == "__main__":
    unittest.main()
