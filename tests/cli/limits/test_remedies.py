"""What a plan proposes for what does not fit into the memory that is free, which nothing else may take
meanwhile."""

import re
import unittest

from support import CliTest, INPUT, MIB, RESOURCES, SOLVED, UNITS


class Remedies(CliTest):
    def dry_run(self, text, ranks=1, **options):
        self.write("c.yaml", text)
        return self.spsolve("c.yaml", "--dry-run", ranks=ranks, **options)

    def test_names_ranks_precision_and_method(self):
        # 4 n^2 bytes are just above, or just below, what is free; 8 n^2 are far above.
        free = self.free_bytes()
        n = int((free * 0.9 / 4) ** 0.5)
        result = self.dry_run(f"matrix: tridiagonal:{n}\ndevice: host\nsolve: {{method: gauss}}\n")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.out, r"use at least 2 ranks on 2 hosts like this one")
        self.assertIn("solve.precision=float, with which it fits", result.out)
        self.assertEqual(self.dry_run(f"matrix: tridiagonal:{4 * n}\ndevice: host\n").code, SOLVED,
                         "sparse elimination needs no n^2 bytes")
        larger = self.dry_run(f"matrix: tridiagonal:{4 * n}\ndevice: host\nsolve: {{method: lu}}\n")
        self.assertRegex(larger.out, r"use at least (2[89]|3\d) ranks")
        self.assert_in_order(larger.out, "fit: solve.method=auto (sparse_cholesky), with which it fits",
                             "or solve.method=cg (minres where", "or use at least")
        self.assertNotIn("float", larger.out.split("It does not fit")[1])

    def assert_in_order(self, text, *words):
        places = [text.find(word) for word in words]
        self.assertNotIn(-1, places, text)
        self.assertEqual(places, sorted(places), text)

    def test_what_would_do_comes_before_more_hosts(self):
        n = int((self.free_bytes() * 2 / 8) ** 0.5)
        for matrix, sparse, krylov in ((f"circuit:{n}", "sparse_lu", "gmres"),
                                       (f"tridiagonal:{n}", "auto (sparse_cholesky)", "cg")):
            self.write("c.yaml", f"matrix: {matrix}\ndevice: host\nsolve: {{method: gauss, "
                                 "pivoting: partial}\ncheckpoint: {directory: kept}\n")
            for words, said in (((), "err"), (("--dry-run",), "out")):
                with self.subTest(matrix, words=words):
                    result = self.spsolve("c.yaml", *words)
                    self.assertEqual(result.code, RESOURCES, result.text)
                    self.assert_in_order(
                        getattr(result, said).split("It does not fit")[-1],
                        f"solve.method={sparse} with solve.pivoting=auto",
                        f"solve.method={krylov} with solve.pivoting=auto", "or use at least")
            proposed = ("--set", f"solve.method={sparse.split()[0]}", "--set", "solve.pivoting=auto")
            self.assertEqual(self.spsolve("c.yaml", *proposed).code, SOLVED)

    def test_of_an_iteration_no_precision_that_it_does_not_take(self):
        side = min(1200, int((self.free_bytes() / 150) ** (1 / 3)))
        for method in ("cg", "gmres"):
            with self.subTest(method):
                result = self.dry_run(f"matrix: grid3d:{side}\ndevice: host\nsolve: {{method: {method}}}\n")
                self.assertEqual(result.code, RESOURCES, result.text)
                self.assertIn("use at least", result.out)
                self.assertNotIn("solve.precision", result.text)

    def test_predicts_seconds(self):
        for setting, words in (("solve.method=gauss", r"Prediction: gauss, 6.67e\+08 flops, about \S+ s\n"),
                               ("solve.method=sparse_lu", r"Prediction: sparse_lu, \S+ flops, about"),
                               ("solve.method=gmres", r"Prediction: gmres, about \S+ s for 100 steps"),
                               ("task=multiply", r"Prediction: \S+ bytes a product, about \S+ s\n")):
            self.write("c.yaml", "matrix: tridiagonal:1000\ndevice: host\n")
            result = self.spsolve("c.yaml", "--dry-run", "--set", setting)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertRegex(result.out, words)

    def test_a_right_hand_side_of_another_length(self):
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n")
        self.write("c.yaml", "matrix: tridiagonal:5\nright_hand_side: b.mtx\nmultiply: {x: b.mtx}\n")
        for words in (("--check",), ("--dry-run",), ()):
            for task, said in (("solve", "b.mtx: the right-hand side has 4 rows, but the matrix has 5"),
                               ("multiply", "b.mtx: X has 4 rows, but the matrix has 5 columns")):
                with self.subTest(words=words, task=task):
                    result = self.spsolve("c.yaml", *words, "--set", f"task={task}")
                    self.assertEqual(result.code, INPUT, result.text)
                    self.assertEqual(result.err.count(said), 1, result.text)

    def test_names_the_reader_of_a_product(self):
        rows = int(self.free_bytes() / 60)  # five non-zeros a row, 12 bytes each: all of it
        result = self.dry_run(f"task: multiply\nmatrix: power_law:{rows}:5\ndevice: host\n", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)

    def test_float_that_does_not_do_and_double_that_does_not_fit(self):
        self.needs_limits()
        # A pivot that float takes for zero, at once. Float takes 256 MB, double 512.
        n = 8000
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n"
                   + "".join(f"{i} {i} {'1e-60' if i == 7 else 1}\n" for i in range(1, n + 1)))
        self.write("c.yaml", "matrix: a.mtx\ndevice: host\n"
                   "solve: {method: gauss, precision: mixed, equilibrate: off}\n")
        large = 2**33
        need, left = self.planned_under(large)
        # Libraries and threads reserve address space in addition to the plan.
        result = self.limited(large - left + need + 128 * MIB)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertEqual(result.err.count("its elimination in double does not fit"), 1, result.text)
        self.assertIn("the elimination in float failed", result.err)
        self.assertRegex(result.err, r"use at least \d+ ranks")

    def free_bytes(self):
        result = self.dry_run("matrix: tridiagonal:10\ndevice: host\n")
        number, unit = re.search(r"of ([\d.]+) (\w+) free to it", result.out).groups()
        return float(number) * UNITS[unit]

    def test_plans_for_gpus_that_are_not_here(self):
        result = self.dry_run("matrix: tridiagonal:20000\ndevice: cuda\nsolve: {method: lu}\n")
        if "without CUDA" in result.err:
            self.assertEqual(result.code, RESOURCES, result.text)
            self.skipTest("this spsolve has no GPU part")
        self.assertIn(result.code, (SOLVED, RESOURCES), result.text)
        self.assertRegex(result.out, r"dense rows, 20000 x 20000 in double, on the GPU")
        self.assertRegex(result.out, r"its GPU +(2\.9|3\.)\d+ GiB ")

    def test_plans_sparse_factors_on_gpus_that_are_not_here(self):
        for method in ("sparse_cholesky", "sparse_ldlt", "sparse_lu"):
            with self.subTest(method):
                result = self.dry_run(f"matrix: grid3d:40\ndevice: cuda\nsolve: {{method: {method}}}\n")
                if "without CUDA" in result.err:
                    self.assertEqual(result.code, RESOURCES, result.text)
                    self.skipTest("this spsolve has no GPU part")
                self.assertIn(result.code, (SOLVED, RESOURCES), result.text)
                self.assertIn("sparse factors, on the GPU", result.out)
                self.assertIn("on a GPU", result.out)


if __name__ == "__main__":
    unittest.main()
