"""Every real square matrix, solved with three ranks, against what is known of it.

SPSOLVE_LARGEST_ORDER (default 6000) bounds the order; all of them take a minute or two:
SPSOLVE_LARGEST_ORDER=700 python3 -m unittest -v test_real_matrices
"""

import csv
import os
import unittest

from support import CliTest, MATRICES, NOT_TRUSTWORTHY, SOLVED

LARGEST = int(os.environ.get("SPSOLVE_LARGEST_ORDER", "6000"))


def real_square_matrices():
    """Rows of the manifest for real square matrices of moderate order, smallest first."""
    with (MATRICES / "MANIFEST.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t")
                if row["rows"] == row["cols"] and 0 < int(row["rows"]) <= LARGEST
                and row["header"].startswith("matrix ")
                and "complex" not in row["header"]]
    return sorted(rows, key=lambda row: int(row["rows"]))


class RealMatrices(CliTest):
    def test_backward_error_or_a_named_singularity(self):
        self.real_matrices("MANIFEST.tsv")
        matrices = real_square_matrices()
        self.assertGreater(len(matrices), 0, f"none up to order {LARGEST}")
        print(f"{'matrix':<44} {'n':>6} {'backward error':>14} {'L2 error':>10} {'seconds':>8}")
        for row in matrices:
            with self.subTest(row["file"]):
                self.write("c.yaml", f"matrix: {{file: {MATRICES / row['file']}}}\nright_hand_side: row_sums\n"
                                     "output: {report: report.json, progress: off}\n")
                result = self.spsolve("c.yaml", ranks=3)
                if result.code == SOLVED:
                    report = self.report()
                    print(f"{row['file']:<44} {row['rows']:>6} {report['backward_error']:>14.2e} "
                          f"{report['squared_error']:>10.2e} {report['seconds']['total']['max']:>8.2f}",
                          flush=True)
                    self.assertLess(report["backward_error"], 1e-12)
                elif (report := self.report())["status"] == "uncertain":
                    print(f"{row['file']:<44} {row['rows']:>6} {report['backward_error']:>14.2e} "
                          f"no digit is certain", flush=True)
                    self.assertLess(report["backward_error"], 1e-12)
                    self.assertIn("singular", " ".join(report["notes"]))
                else:
                    reason = (result.err.strip() or result.out).splitlines()[0]
                    print(f"{row['file']:<44} {row['rows']:>6} {reason}", flush=True)
                    self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                    self.assertIn("singular", result.err)
                    self.assertNotEqual(row["dense_lu"], "ok", "LAPACK solves this one")
        print(f"{len(matrices)} real matrices tried", flush=True)


if __name__ == "__main__":
    unittest.main()
