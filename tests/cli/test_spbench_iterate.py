"""spbench iterate: Krylov methods with their preconditioners, compared with other houses'."""

import json
import unittest

from support import BIN, CliTest, INPUT, SOLVED


class Iterate(CliTest):
    def iterate(self, *arguments, ranks=1):
        """The result, and the rows of i.csv."""
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks] if ranks > 1 else []
        result = self.run_program(*launcher, BIN / "spbench", "iterate", "--threads", 1, "--no-triad",
                                  "--samples", 2, "--csv", "i.csv", *arguments)
        return result, self.rows("i.csv") if result.code == SOLVED else []

    def here(self):
        """Peers that this spbench finds."""
        text = self.run_program(BIN / "spbench", "iterate", "--help").out
        return [name for name in ("hypre", "petsc") if f"  {name}" in text and
                "not here" not in next(line for line in text.splitlines()
                                       if line.startswith(f"  {name}"))]

    def test_a_row_for_each_method_preconditioner_and_peer(self):
        result, rows = self.iterate("--matrix", "grid2d:20,elastic3d:3", "--methods", "cg,minres",
                                    "--preconditioners", "jacobi,multigrid", "--json", "i.json")
        self.assertEqual(result.code, SOLVED, result.text)
        own = [f"{method}+{kind}" for method in ("cg", "minres") for kind in ("jacobi", "multigrid")]
        self.assertEqual([row["contender"] for row in rows], (own + self.here()) * 2)
        for row in rows:
            with self.subTest(row["contender"], matrix=row["matrix"]):
                self.assertEqual(row["converged"], "true")
                # A backward error that the tolerance comes to holds in another norm.
                self.assertLess(float(row["residual"]), 2e-8)
                self.assertGreater(int(row["steps"]), 0)
                self.assertGreater(float(row["setup_s"]), 0)
                self.assertAlmostEqual(float(row["step_ms"]),
                                       1e3 * float(row["solve_s"]) / int(row["steps"]))
                self.assertEqual(row["levels"] != "", "multigrid" in row["contender"])
                self.assertEqual(row["floor_bytes"] != "", row["peer"] == "false")
                self.assertEqual(row["speedup_total"] != "",
                                 row["peer"] == "false" and bool(self.here()))
        cg = rows[0]
        n, z = 400, 5 * 400 - 4 * 20
        self.assertEqual(float(cg["floor_bytes"]), 12 * z + 4 * n + 16 * n + 72 * n)
        data = json.loads((self.folder / "i.json").read_text())
        self.assertEqual(len(data["rows"]), len(rows))

    def test_over_ranks_and_columns(self):
        for ranks in (2, 3):
            result, rows = self.iterate("--matrix", "grid3d:8", "--matrix", "convdiff3d:6",
                                        "--methods", "gmres", "--preconditioners", "none,ilu0",
                                        "--columns", 3, ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(len(rows), 2 * (2 + len(self.here())))
            for row in rows:
                self.assertEqual((row["ranks"], row["columns"]), (str(ranks), "3"))
                self.assertLess(float(row["residual"]), 2e-8)

    def test_who_refuses_is_named(self):
        result, rows = self.iterate("--matrix", "convdiff3d:5", "--methods", "cg,gmres",
                                    "--preconditioners", "none", "--peers", "none")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("refused: cg+none: solve.method=cg wants a symmetric matrix", result.out)
        self.assertEqual([row["setup_s"] == "" for row in rows], [True, False])
        result, rows = self.iterate("--matrix", "grid2d:9", "--methods", "none", "--peers",
                                    "hypre,petsc")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual([row["contender"] for row in rows if not row["refused"]], self.here())

    def test_complex_systems(self):
        for ranks in (1, 2):
            result, rows = self.iterate("--matrix", "zhelm2d:12,magnetic2d:13", "--methods",
                                        "gmres,cocr,cg", "--preconditioners", "jacobi,multigrid",
                                        "--columns", 2, ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn("zhelm2d:12: n = 144, 672 non-zeros, complex", result.out)
            self.assertIn("magnetic2d:13: n = 169, 793 non-zeros, Hermitian", result.out)
            for row in rows:
                with self.subTest(row["contender"], matrix=row["matrix"], ranks=ranks):
                    if row["peer"] == "true":
                        self.assertEqual(row["refused"], "it is called for real matrices, and this "
                                         "one is complex")
                        continue
                    other = {"zhelm2d:12": "cg+", "magnetic2d:13": "cocr+"}[row["matrix"]]
                    if row["contender"].startswith(other):
                        self.assertIn(" matrix", row["refused"])
                        continue
                    self.assertEqual((row["refused"], row["converged"]), ("", "true"))
                    self.assertLess(float(row["residual"]), 2e-8)
                    self.assertEqual(row["floor_bytes"], "")

    def test_bad_input_is_told(self):
        for words, text in (((), "--matrix is required"),
                            (("--matrix", "grid2d:9", "--methods", "lu"), "lu does not iterate"),
                            (("--matrix", "grid2d:9", "--methods", "gc"), "'gc' is none of"),
                            (("--matrix", "grid2d:9", "--preconditioners", "amg"), "'amg' is none of"),
                            (("--matrix", "grid2d:9", "--peers", "hyper"),
                             "there is no peer 'hyper'"),
                            (("--matrix", "grid2d:9", "--methods", "none", "--peers", "none"),
                             "leaves nothing to be measured"),
                            (("--matrix", "nothing.mtx"), "nothing.mtx"),
                            (("--matrix", "grid2d:9", "--tolerance", "2"), "--tolerance")):
            with self.subTest(words):
                for ranks in (1, 2):
                    result, _ = self.iterate(*words, ranks=ranks)
                    self.assertEqual(result.code, INPUT, result.text)
                    self.assertEqual(result.err.count(text), 1, result.text)

    def test_the_triad_gives_a_part_of_the_floor(self):
        result = self.run_program(BIN / "spbench", "iterate", "--matrix", "grid2d:30", "--samples", 1,
                                  "--preconditioners", "none", "--peers", "none", "--threads", 1,
                                  "--csv", "i.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        row, = self.rows("i.csv")
        seconds = float(row["floor_bytes"]) / (1e9 * float(row["triad_gb_s"]))
        self.assertAlmostEqual(float(row["of_floor"]) * float(row["step_ms"]) / 1e3 / seconds, 1)
        self.assertIn("of floor", result.out)


if __name__ == "__main__":
    unittest.main()
