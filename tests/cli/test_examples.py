"""Every configuration of configs/ runs as it stands, and is in the guide."""

import unittest

from support import CliTest, ROOT, SOLVED

EXAMPLES = sorted((ROOT / "configs").glob("*.yaml"))


class Examples(CliTest):
    def test_each_with_two_ranks(self):
        self.assertGreater(len(EXAMPLES), 8)
        for file in EXAMPLES:
            with self.subTest(file.name):
                result = self.spsolve(file, ranks=2)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertEqual(report["status"], "solved")
                written = [path for path in report["configuration"]["output"].items()
                           if path[0] != "progress" and path[1]]
                for _, path in written:
                    self.assertTrue((self.folder / path).stat().st_size > 0, path)
                    if path != "report.json":
                        (self.folder / path).unlink()

    def test_examples_show_what_they_say(self):
        self.spsolve(ROOT / "configs" / "hard_matrix.yaml")
        self.assertLess(self.report()["pivot_growth"], 10)
        self.spsolve(ROOT / "configs" / "hard_matrix.yaml", "--set", "solve.pivoting=partial")
        self.assertGreater(self.report()["pivot_growth"], 1e30)
        self.spsolve(ROOT / "configs" / "single_precision.yaml", ranks=2)
        self.assertLess(self.report()["backward_error"], 1e-15)

    def test_each_is_in_the_guide(self):
        guide = (ROOT / "configs" / "README.md").read_text()
        for file in EXAMPLES:
            self.assertIn(f"`{file.name}`", guide)
            self.assertIn(f"configs/{file.name}", file.read_text(), "its own call is missing")


if __name__ == "__main__":
    unittest.main()
