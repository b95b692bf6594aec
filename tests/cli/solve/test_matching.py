"""solve.matching: rows that are matched by values before sparse elimination."""

import unittest

from support import BIN, CliTest, INPUT, SOLVED


class Matching(CliTest):
    def solve(self, *arguments, ranks=1):
        result = self.spsolve(*arguments, "--report", "report.json", ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        return result, self.report()

    def ldlt(self, matrix, *keys, ranks=1):
        sets = [word for key in ("solve.method=sparse_ldlt", *keys) for word in ("--set", key)]
        return self.solve(matrix, *sets, ranks=ranks)

    def systems(self, generator, steps):
        for step in steps:
            result = self.run_program(BIN / "spmtx", "generate", f"{generator}:{step}",
                                      f"A-{step}.mtx")
            self.assertEqual(result.code, SOLVED, result.text)
        return f"A-{steps[0]}.mtx"

    def test_pairs_leave_no_small_pivots(self):
        for ranks, keys in ((1, ()), (3, ("solve.ranks=all",))):
            result, report = self.ldlt("ipm_band:3000:100", "solve.matching=on", *keys, ranks=ranks)
            self.assertEqual(report["sparse"]["matched_pairs"], 1000)
            self.assertEqual(report["sparse"]["perturbed_pivots"], 0)
            self.assertEqual(report["sparse"]["delayed_pivots"], 0)
            self.assertEqual(report["inertia"],
                             {"certainty": "certain", "positive": 3000, "negative": 1000, "zero": 0})
            self.assertIn(", 1000 pairs matched", result.out)
            result, report = self.ldlt("ipm_band:3000:100", "solve.matching=off", *keys, ranks=ranks)
            self.assertEqual(report["sparse"]["matched_pairs"], 0)
            self.assertNotIn("matched", result.out)

    def test_a_sequence_comes_to_them(self):
        first = self.systems("ipm_control:60", range(30, 34))
        for ranks, keys in ((1, ()), (1, ("solve.precision=mixed",)), (2, ("solve.ranks=all",))):
            for matching, matches in (("auto", "mixed" not in str(keys)), ("on", True), ("off", False)):
                with self.subTest(ranks=ranks, keys=keys, matching=matching):
                    _, report = self.ldlt(first, "matrix.values=A-*.mtx",
                                          f"solve.matching={matching}", *keys, ranks=ranks)
                    self.assertEqual(report["sparse"]["matched_pairs"] > 0, matches)
                    self.assertEqual([step["status"] for step in report["steps"]], ["solved"] * 4)

    def test_checkpoints_go_with_a_matching_that_was_asked_for(self):
        for matching, pairs in (("auto", 0), ("on", 1000)):
            _, report = self.ldlt("ipm_band:3000:100", f"solve.matching={matching}",
                                  f"checkpoint.directory={matching}", "checkpoint.interval=0")
            self.assertEqual(report["sparse"]["matched_pairs"], pairs)

    def test_lu_has_it_or_not(self):
        for matching in ("auto", "on", "off"):
            self.solve("circuit:900", "--set", "solve.method=sparse_lu", "--set",
                       f"solve.matching={matching}")

    def test_an_analysis_of_another_matching_is_made_anew(self):
        keys = ("solve.analysis_file=a.analysis",)
        for matching, pairs in (("off", 0), ("auto", 0), ("on", 1000), ("auto", 1000), ("off", 0)):
            _, report = self.ldlt("ipm_band:3000:1", f"solve.matching={matching}", *keys)
            self.assertEqual(report["sparse"]["matched_pairs"], pairs, matching)

    def test_it_is_refused_with_an_order_of_a_file(self):
        self.write("order.txt", "".join(f"{row}\n" for row in range(1, 401)))
        result = self.spsolve("ipm_band:300:100", "--set", "solve.method=sparse_ldlt", "--set",
                              "solve.matching=on", "--set", "solve.ordering=order.txt")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("solve.matching=on of L D L^T orders matched rows together", result.err)
        _, report = self.ldlt("ipm_band:300:100", "solve.ordering=order.txt")
        self.assertEqual(report["sparse"]["ordering"], "file")

    def test_other_methods_say_that_they_match_no_rows(self):
        for method in ("sparse_cholesky", "lu", "cg"):
            _, report = self.solve("grid2d:9", "--method", method, "--set", "solve.matching=on")
            self.assertIn("solve.matching changed nothing", " ".join(report["notes"]))
        result = self.spsolve("grid2d:9", "--set", "solve.matching=maybe")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("'solve.matching' must be one of auto, on, off", result.err)


if __name__ == "__main__":
    unittest.main()
