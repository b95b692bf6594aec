"""The analysis of a pattern that is kept in a file: used again, made anew, refused."""

import unittest

from support import CliTest, INPUT, RESOURCES, SOLVED

CONFIG = """matrix: "{}"
solve: {{method: sparse_cholesky, analysis_file: {}}}
output: {{report: report.json}}
"""


class Analysis(CliTest):
    def solve(self, matrix, file="a.analysis"):
        self.write("c.yaml", CONFIG.format(matrix, file))
        return self.spsolve("c.yaml", ranks=2)

    def test_is_kept_and_used_again(self):
        def seconds(matrix):
            result = self.solve(matrix)
            self.assertEqual(result.code, SOLVED, result.text)
            return self.report()["sparse"]["analysis_seconds"]

        first = seconds("grid2d:20")
        kept = (self.folder / "a.analysis").read_bytes()
        self.assertEqual(seconds("grid2d:20"), first)
        self.assertEqual((self.folder / "a.analysis").read_bytes(), kept)
        seconds("grid2d:21")
        self.assertNotEqual((self.folder / "a.analysis").read_bytes(), kept)

    def test_other_files_are_refused_and_left(self):
        self.assertEqual(self.solve("grid2d:20").code, SOLVED)
        good = (self.folder / "a.analysis").read_bytes()
        damaged = bytearray(good)
        damaged[1000] ^= 1
        for name, text, said in (
                ("b.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n",
                 "b.mtx: is no checkpoint or analysis; name another solve.analysis_file, or "),
                ("a.analysis", bytes(damaged), "a.analysis: is damaged"),
                ("cut", good[:5000], f"cut: is truncated: it has 5000 bytes, not {len(good)}; name"),
                ("empty", "", "empty: is no checkpoint or analysis, or is truncated: it has 0")):
            with self.subTest(name):
                path = self.write(name, text)
                before = path.read_bytes()
                result = self.solve("grid2d:20", name)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertEqual(result.err.count(said), 1, result.err)
                self.assertEqual(path.read_bytes(), before)

    def test_one_that_cannot_be_written_is_a_note(self):
        for file, why in (("none/a.analysis", "No such file or directory"),
                          ("/proc/a.analysis", "No such file"),
                          ("n" * 300, "File name too long")):
            with self.subTest(file):
                result = self.solve("grid2d:20", file)
                self.assertEqual(result.code, SOLVED, result.text)
                note = f"the analysis is not kept: {file}: cannot be written ({why}"
                self.assertEqual(sum(text.startswith(note) for text in self.report()["notes"]), 1,
                                 self.report()["notes"])
                self.assertEqual(result.err.count("note: " + note), 1, result.err)

    def test_a_missing_folder_is_told_by_a_check(self):
        self.write("c.yaml", CONFIG.format("grid2d:20", "none/a.analysis"))
        result = self.spsolve("c.yaml", "--check")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("none/a.analysis: there is no folder none to write it into", result.err)


if __name__ == "__main__":
    unittest.main()
