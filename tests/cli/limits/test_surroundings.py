"""What surrounds a run: little stack, names of files that no terminal and no message can bear, links of
others. Each ends in one sentence."""

import os
import re
import unittest

from support import BIN, CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, SMALL_MATRIX, SOLVED

UNSYMMETRIC = SMALL_MATRIX.replace("1 3 1", "1 3 7")
SINGULAR = SMALL_MATRIX.replace("2 2 4", "2 3 4")
MEGABYTE = "y" * 1_000_000


class Stack(CliTest):
    def check(self, shell, said):
        for program in ("spsolve grid3d:8 --quiet", "spmtx info grid2d:20 --orderings",
                        "spbench --list-kernels"):
            with self.subTest(program):
                result = self.run_program("bash", "-c", f"{shell} {BIN}/{program}")
                self.assertEqual(result.code, RESOURCES, result.text)
                self.assertIn(said, result.err)
                self.assertEqual(result.err.count("\n"), 1, result.err)

    def test_little(self):
        self.check("ulimit -s 64; exec", "the limit of the stack (ulimit -s) leaves 64 KiB of stack "
                                         "to a thread, and 256 KiB are wanted; raise it")
        self.check("OMP_STACKSIZE=64k exec", "OMP_STACKSIZE in the environment leaves 64 KiB")

    def test_enough(self):
        for shell in ("ulimit -s 256; exec", "OMP_STACKSIZE='1 M' exec", "OMP_STACKSIZE=512 exec"):
            result = self.run_program("bash", "-c", f"{shell} {BIN}/spsolve grid3d:8 --quiet",
                                      environment={"OMP_NUM_THREADS": "2"})
            self.assertEqual(result.code, SOLVED, result.text)


class Names(CliTest):
    def assert_plain(self, text):
        self.assertIsNone(re.search(r"[^\n\t\x20-\x7e]", text), repr(text[:500]))

    def test_escape_codes_are_shown(self):
        name = "e\x1b[31mred.mtx"
        for text, code in ((None, INPUT), ("", INPUT), (SMALL_MATRIX, SOLVED),
                           (SINGULAR, NOT_TRUSTWORTHY)):
            if text is not None:
                self.write(name, text)
            for program in ("spsolve", "spmtx info"):
                with self.subTest(program, text=text):
                    words = program.split()
                    result = self.run_program(BIN / words[0], *words[1:], name)
                    if program == "spsolve":
                        self.assertEqual(result.code, code, result.text)
                    if program == "spsolve" or code == INPUT:
                        self.assertIn(r"e\x1b[31mred.mtx", result.text)
                    self.assert_plain(result.text)

    def test_bytes_that_are_no_text(self):
        name = os.fsdecode(b"latin-\xe4.mtx")
        self.write(name, SMALL_MATRIX)
        result = self.run_program(BIN / "spsolve", name, "--report", "report.json", "--set",
                                  "output.html=r.html")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn(r"latin-\xe4.mtx", result.text)
        self.assert_plain(result.text)
        self.assertEqual(self.report()["matrix"]["source"], "latin-\ufffd.mtx")

    def test_zero_bytes_end_no_name(self):
        self.write("a", SMALL_MATRIX)
        for config in ('matrix: "a\\0b.mtx"\n', 'matrix: a\noutput: {solution: "x\\0.mtx"}\n',
                       'matrix: a\nright_hand_side: "a\\0b.mtx"\n',
                       'matrix: a\ncheckpoint: {directory: "kept\\0"}\n'):
            with self.subTest(config):
                self.write("c.yaml", config)
                result = self.run_program(BIN / "spsolve", "c.yaml")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn("which holds a zero byte", result.err)
                self.assertRegex(result.err, r"^spsolve: c.yaml:\d:\d+: '")
                self.assert_plain(result.err)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a", "c.yaml"})

    def test_values_of_a_megabyte(self):
        for setting, code in (("matrix: {}", INPUT), ("matrix: 'a:{}'", INPUT),
                              ("matrix: grid2d:3\nright_hand_side: ./{}", INPUT),
                              ("matrix: grid2d:3\ncheckpoint: {{directory: {}}}", RESOURCES),
                              ("matrix: grid2d:3\nsolve: {{coordinates: {}}}", INPUT),
                              ("matrix: grid2d:3\nsolve: {{method: gmres, initial_guess: {}}}", INPUT),
                              ("matrix: grid2d:3\nsolve: {{method: sparse_lu, ordering: ./{}}}", INPUT),
                              ("matrix: grid2d:3\nsolve: {{method: sparse_lu, analysis_file: {}}}", SOLVED),
                              ("matrix: grid2d:3\nsolve: {{method: {}}}", INPUT),
                              ("matrix: grid2d:3\noutput: {{solution: {}.mtx}}", RESOURCES),
                              ("matrix: 'grid2d:{}'", INPUT)):
            with self.subTest(setting):
                self.write("c.yaml", setting.format(MEGABYTE))
                result = self.run_program(BIN / "spsolve", "c.yaml", "--quiet")
                self.assertEqual(result.code, code, result.text[:2000])
                self.assertLess(len(result.text), 2000)
                self.assertGreater(len(result.text), 80)
                self.assertNotIn("unexpected failure", result.text)

    def test_refusals_name_the_file(self):
        self.write("a.mtx", UNSYMMETRIC)
        self.write("s.mtx", SINGULAR)
        for name, method, code, said in (
                ("a.mtx", "cg", INPUT, "solve.method=cg wants a symmetric matrix"),
                ("a.mtx", "sparse_cholesky", INPUT, ""),
                ("s.mtx", "lu", NOT_TRUSTWORTHY, "the matrix is singular"),
                ("s.mtx", "sparse_lu", NOT_TRUSTWORTHY, "the matrix is structurally singular")):
            with self.subTest(method):
                self.write("c.yaml", f"matrix: {name}\nsolve: {{method: {method}}}\n"
                                     "output: {report: report.json}\n")
                result = self.spsolve("c.yaml", ranks=2)
                self.assertEqual(result.code, code, result.text)
                told = f"{name}: {said}"
                self.assertEqual(result.err.count(told), 1, result.err)
                self.assertTrue(self.report()["failure"]["message"].startswith(told))

    def test_what_does_not_fit_names_the_file(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                            "500000000 500000000 1\n1 1 1\n")
        for task in ("solve", "multiply"):
            self.write("c.yaml", f"matrix: a.mtx\ntask: {task}\n")
            result = self.run_program(BIN / "spsolve", "c.yaml", "--set", "threads=1")
            if result.code == RESOURCES:  # a machine may be as large as that
                self.assertIn("spsolve: a.mtx: this task does not fit into memory; ", result.err)


class Links(CliTest):
    def test_those_of_others_are_not_followed_where_anyone_may_put_them(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a link of somebody else's")
        folder = self.folder / "sticky"
        folder.mkdir()
        for key, name, to in (("report", "report.json", "victim"), ("solution", "x.mtx", "victim"),
                              ("html", "r.html", "none")):
            (self.folder / "victim").write_text("untouched")
            link = folder / name
            link.symlink_to(self.folder / to)
            os.lchown(link, 65534, 65534)
            self.write("c.yaml", f"matrix: grid2d:3\noutput: {{{key}: sticky/{name}}}\n")
            for mode, code in ((0o1777, RESOURCES), (0o755, SOLVED)):
                with self.subTest(name, mode=oct(mode)):
                    folder.chmod(mode)
                    result = self.run_program(BIN / "spsolve", "c.yaml")
                    self.assertEqual(result.code, code, result.text)
                    if code == SOLVED:
                        continue
                    self.assertIn("is a link of another user in a folder that anyone may write to, and "
                                  "is not followed", result.err)
                    self.assertEqual((self.folder / "victim").read_text(), "untouched")
                    self.assertFalse((self.folder / "none").exists())
            link.unlink()

    def test_own_ones_are_followed(self):
        folder = self.folder / "sticky"
        folder.mkdir()
        folder.chmod(0o1777)
        (folder / "x.mtx").symlink_to(self.folder / "elsewhere.mtx")
        result = self.run_program(BIN / "spsolve", "grid2d:3", "-o", "sticky/x.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertTrue((self.folder / "elsewhere.mtx").exists())
        self.assertTrue((folder / "x.mtx").is_symlink())


if __name__ == "__main__":
    unittest.main()
