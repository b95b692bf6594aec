"""What the programs print where it cannot be written: told once, with an exit code, by all ranks."""

import pathlib
import unittest

from support import BIN, CliTest, RESOURCES, SOLVED

FULL = pathlib.Path("/dev/full")
LOST = ("{}: the text cannot be written to the standard output ({}); no other file is affected\n")
QUICK = ("--samples", 1, "--sample-ms", 0)
MULTIPLY = ("multiply", "--matrix", "grid2d:10", "--kernels", "csr_balanced", "--columns", 1,
            "--threads", 1, "--triad", -1, *QUICK)

# All that ends in order with a text on the standard output; the last one's is longer than a buffer.
TEXTS = {
    "spsolve": (("c.yaml",), ("--print-config", "c.yaml"), ("--check", "c.yaml"),
                ("--dry-run", "c.yaml"), ("--version",), ("--help", "solve.method"), ("--help",)),
    "spbench": (MULTIPLY, (*MULTIPLY, "--in-bands"), ("--list-kernels",), ("kernels",),
                ("convert", "--matrix", "grid2d:5", *QUICK),
                ("eliminate", "--n", 20, "--samples", 1, "--threads", 1), ("--version",),
                ("--help", "convert"), ("--help",)),
    "spmtx": (("info", "grid2d:10"), ("info", "a.mtx"), ("color", "grid2d:10"),
              ("generate", "grid2d:10", "b.mtx"), ("convert", "a.mtx", "b.mtx"),
              ("plot", "a.mtx", "b.svg"), ("--version",), ("--help", "info"), ("--help",)),
}


@unittest.skipUnless(FULL.exists(), f"there is no {FULL}")
class Lost(CliTest):
    def setUp(self):
        super().setUp()
        self.write("c.yaml", 'matrix: "tridiagonal:20"\noutput: {report: report.json}\n')
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n")

    def run_into(self, where, name, *arguments, ranks=0):
        """A program whose own standard output goes to `where`: mpirun would stand in between."""
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks] if ranks else []
        return self.run_program(*launcher, "bash", "-c", f'exec "$0" "$@" >{where}', BIN / name,
                                *arguments)

    def check_lost(self, result, name, reason="No space left on device"):
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertEqual(result.err.count(LOST.format(name, reason)), 1, result.text)

    def test_every_text_of_every_program(self):
        for name, texts in TEXTS.items():
            generated = (("--generate", what) for what in ("man", "bash"))
            for arguments in (*texts, *generated):
                with self.subTest(program=name, arguments=arguments):
                    self.check_lost(self.run_into(FULL, name, *arguments), name)

    def test_closed(self):
        for name, texts in TEXTS.items():
            with self.subTest(program=name):
                self.check_lost(self.run_into("&-", name, *texts[-1]), name, "Bad file descriptor")

    def test_files_are_written(self):
        self.run_into(FULL, "spsolve", "c.yaml")
        self.assertEqual(self.report()["status"], "solved")
        self.run_into(FULL, "spbench", *MULTIPLY, "--csv", "a.csv", "--matrix", "grid2d:5")
        lines = (self.folder / "a.csv").read_text().splitlines()
        self.assertEqual(len(lines), 3, "a heading and both matrices")

    def test_words_remain_where_the_report_cannot_be_written(self):
        """Files may not grow beyond what a report of a run that is under way takes."""
        result = self.run_program("bash", "-c",
                                  f"ulimit -S -f 3; exec {BIN / 'spsolve'} c.yaml -o x.mtx")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("report.json: cannot be written (File too large)", result.err)
        self.assertRegex(result.out, r"^solved: x in x\.mtx, about 16 digits")
        self.assertRegex(result.out, r"written +x\.mtx\n")
        self.assertNotRegex(result.out, r"written +report\.json")
        self.assertFalse((self.folder / "report.json").exists())
        self.assertTrue((self.folder / "x.mtx").exists())

    def test_what_prints_nothing_ends_well(self):
        self.assertEqual(self.run_into(FULL, "spsolve", "--quiet", "c.yaml").code, SOLVED)

    def test_no_rank_waits(self):
        for name, arguments in (("spsolve", ("c.yaml",)), ("spsolve", ("--dry-run", "c.yaml")),
                                ("spsolve", ("--print-config", "c.yaml")),
                                ("spsolve", ("--help", "solve.method")), ("spsolve", ("--help",)),
                                ("spbench", MULTIPLY), ("spbench", ("--help", "multiply")),
                                ("spbench", ("--help",)), ("spbench", ("--list-kernels",))):
            with self.subTest(program=name, arguments=arguments):
                self.check_lost(self.run_into(FULL, name, *arguments, ranks=3), name)


class OverRanks(CliTest):
    def test_one_rank_prints(self):
        for arguments in (("--help", "multiply"), ("--generate", "bash"), ("--list-kernels",)):
            with self.subTest(arguments):
                alone = self.spbench(*arguments)
                both = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                        BIN / "spbench", *arguments)
                self.assertEqual((both.code, both.out), (SOLVED, alone.out))

    def test_an_unknown_text_is_told_once(self):
        result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
                                  BIN / "spbench", "--generate", "poem")
        self.assertEqual(result.text.count("man, bash"), 1, result.text)


if __name__ == "__main__":
    unittest.main()
