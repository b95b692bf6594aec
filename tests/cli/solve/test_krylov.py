"""Krylov methods as a user meets them: words, exit codes, bad input, what auto takes."""

import json
import random
import re
import unittest

from support import CliTest, INPUT, MIB, NOT_TRUSTWORTHY, SOLVED


class Krylov(CliTest):
    def solve(self, matrix, *settings, ranks=1, **options):
        self.write("c.yaml", f"matrix: {matrix}\noutput: {{report: report.json, html: report.html}}\n")
        words = [word for setting in settings for word in ("--set", setting)]
        return self.spsolve("c.yaml", *words, ranks=ranks, **options)

    def test_the_report_and_its_picture_show_every_step(self):
        result = self.solve("grid2d:70", "solve.method=cg")
        self.assertEqual(result.code, SOLVED, result.text)
        krylov = self.report()["krylov"]
        self.assertEqual(krylov["preconditioner"], "multigrid")
        self.assertTrue(krylov["converged"])
        self.assertEqual(len(krylov["history"]), krylov["steps"] + 1)
        self.assertLess(krylov["steps"], 25)
        self.assertEqual(krylov["levels"][0]["rows"], 4900)
        self.assertRegex(result.out, r"krylov +multigrid, \d+ steps, \d+ levels")
        self.assertNotIn("GFLOP/s", result.text)
        page = (self.folder / "report.html").read_text()
        self.assertIn("Backward error by step", page)

    def test_every_method_gives_the_same_answer_on_one_rank_and_on_three(self):
        for method in ("cg", "block_cg", "minres", "cocr", "gmres", "bicgstab", "idr"):
            for ranks in (1, 3):
                result = self.solve("grid2d:40", f"solve.method={method}", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertLess(self.report()["squared_error"], 1e-8, method)

    def test_it_stops_at_the_tolerance_and_says_which(self):
        result = self.solve("grid2d:50", "solve.method=cg", "solve.tolerance=1e-6",
                            "solve.preconditioner=jacobi")
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertLess(report["backward_error"], 1e-6)
        self.assertGreater(report["backward_error"], 1e-11)
        self.assertEqual(report["krylov"]["asked"], 1e-6)

    def test_a_correction_tells_how_far_x_is_off_where_the_condition_is_known(self):
        words = ("grid2d:50", "solve.method=cg", "solve.tolerance=1e-8")
        result = self.solve(*words, "solve.condition=false")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertNotIn("forward_error", self.report())
        self.assertNotIn("digit,", self.report()["summary"])
        result = self.solve(*words)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        root_mean_square = (report["squared_error"] / 2500) ** 0.5
        self.assertLess(root_mean_square, 10 * report["forward_error"]["estimate"])
        self.assertLess(report["forward_error"]["estimate"], 1e-3)

    def test_steps_that_do_not_suffice_are_exit_code_1_with_what_to_try(self):
        result = self.solve("grid2d:60", "solve.method=cg", "solve.preconditioner=none",
                            "solve.iterations=5")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertIn("took all of its steps: after 5 steps the backward error was", result.text)
        self.assertIn("solve.preconditioner", result.text)
        self.assertFalse(self.report()["krylov"]["converged"])

    def test_the_column_that_falls_short_is_named(self):
        order = 400
        # gmres takes eight right-hand sides at a time.
        for method, columns, bad in (("cg", 3, 2), ("gmres", 9, 9)):
            rows = "".join(f"{int(column == bad)}\n" for column in range(1, columns + 1)
                           for _ in range(order))
            self.write("b.mtx",
                       f"%%MatrixMarket matrix array real general\n{order} {columns}\n{rows}")
            result = self.solve("grid2d:20", f"solve.method={method}", "solve.preconditioner=none",
                                "solve.iterations=5", "right_hand_side=b.mtx")
            self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
            self.assertIn(f"the backward error of column {bad} of {columns} was", result.text)

    def test_what_methods_and_preconditioners_are_not_for_is_named(self):
        cases = (
            ("convdiff3d:6", ("solve.method=cg",), INPUT, "wants a symmetric matrix"),
            ("convdiff3d:6", ("solve.method=minres",), INPUT, "wants a symmetric matrix"),
            ("helmholtz2d:20", ("solve.method=cg", "solve.preconditioner=none"), NOT_TRUSTWORTHY,
             "not positive definite"),
            ("kkt:300", ("solve.method=gmres", "solve.preconditioner=jacobi"), INPUT,
             "wants a diagonal without zeros"),
            ("grid2d:20", ("solve.method=cg", "solve.precision=float"), INPUT,
             "computes in double"),
            ("grid2d:20", ("solve.method=cg", "solve.pivoting=partial"), INPUT, "pivoting"),
            ("grid2d:20", ("solve.method=cg", "solve.tolerance=-1"), INPUT, "solve.tolerance"),
            ("grid2d:20", ("solve.method=cg", "solve.tolerance=nan"), INPUT, "solve.tolerance"),
            ("grid2d:20", ("solve.method=cg", "solve.time_limit=0"), INPUT, "solve.time_limit"),
            ("grid2d:20", ("solve.method=cg", "solve.time_limit=nan"), INPUT, "solve.time_limit"),
            ("grid2d:20", ("solve.method=gmres", "solve.restart=0"), INPUT, "solve.restart"),
            ("grid2d:20", ("solve.method=cg", "solve.preconditioner=amg"), INPUT, "multigrid"),
        )
        for matrix, settings, code, words in cases:
            with self.subTest(settings=settings):
                for ranks in (1, 2):
                    result = self.solve(matrix, *settings, ranks=ranks)
                    self.assertEqual(result.code, code, result.text)
                    self.assertIn(words, result.err)
        # One rank alone has the pair that is furthest apart.
        alone = self.spsolve("convdiff3d:6", "--method", "cg")
        self.assertEqual(alone.code, INPUT, alone.text)
        self.assertIn("and this one is not, by more than rounding: a(1, 2) = ", alone.err)
        self.assertIn("numbered from 1", alone.err)

    def test_time_that_is_up_is_exit_code_1_and_x_is_written(self):
        for method in ("cg", "gmres"):
            for ranks in (1, 3):
                result = self.solve("grid2d:40", f"solve.method={method}",
                                    "solve.preconditioner=jacobi", "solve.time_limit=1e-6",
                                    "output.solution=x.mtx", ranks=ranks)
                self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                self.assertIn("took all of its time, 1e-06 s: after 1 steps the backward error was",
                              result.text)
                self.assertEqual(self.report()["status"], "not trustworthy")
                self.assertEqual(self.report()["krylov"]["steps"], 1)
                x = (self.folder / "x.mtx").read_text().splitlines()
                self.assertGreater(max(abs(float(line)) for line in x[3:]), 0)
                (self.folder / "x.mtx").unlink()

    def test_a_first_guess_from_a_file(self):
        for ranks in (1, 3):
            told = ("solve.method=cg", "solve.preconditioner=jacobi", "right_hand_side=random",
                    "right_hand_side.columns=2")
            result = self.solve("grid2d:30", *told, "output.solution=x.npy", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            steps = self.report()["krylov"]["steps"]
            result = self.solve("grid2d:30", *told, "solve.initial_guess=x.npy", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertLess(self.report()["krylov"]["steps"], steps / 4)

    def test_first_guesses_that_are_none_are_refused(self):
        self.array("short.mtx", [(1,)] * 399)
        self.array("wide.mtx", [(1, 2)] * 400)
        self.array("nan.mtx", [(1,)] * 399 + [("nan",)])
        self.write("b-1.mtx", "x")
        cases = (("short.mtx", (), "the first guess has 399 rows, but the matrix has 400"),
                 ("wide.mtx", (), "the first guess has 2 columns, and there are 1 right-hand sides"),
                 ("nan.mtx", (), "nan"),
                 ("none.mtx", (), "none.mtx"),
                 ("wide.mtx", ("right_hand_side=./b-*.mtx",), "goes with one system"))
        for file, more, words in cases:
            for ranks in (1, 2):
                result = self.solve("grid2d:20", "solve.method=cg", f"solve.initial_guess={file}",
                                    *more, ranks=ranks)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
        result = self.spsolve("c.yaml", "--check", "--set", "solve.initial_guess=short.mtx")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("399 rows", result.err)
        self.array("zeros.mtx", [(0,)] * 400)
        result = self.solve("grid2d:20", "solve.method=lu", "solve.initial_guess=zeros.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("solve.initial_guess changed nothing", result.text)

    def path(self, n=60):
        """The Laplacian of a path in path.mtx: constants are its null space."""
        entries = []
        for i in range(1, n + 1):
            entries.append((i, i, 1 if i in (1, n) else 2))
            if i > 1:
                entries += [(i, i - 1, -1), (i - 1, i, -1)]
        self.write("path.mtx", "%%MatrixMarket matrix coordinate real general\n"
                   f"{n} {n} {len(entries)}\n" + "".join(f"{i} {j} {v}\n" for i, j, v in entries))

    def test_a_null_space_makes_a_singular_system_one_that_is_solved(self):
        n = 60
        self.path(n)
        self.array("b.mtx", [(1,)] + [(0,)] * (n - 2) + [(-1,)])
        self.array("ones.mtx", [(3,)] * n)
        for null_space in ("constants", "./ones.mtx"):
            for method in ("cg", "minres", "gmres"):
                for ranks in (1, 3):
                    result = self.solve("path.mtx", f"solve.method={method}",
                                        "right_hand_side=b.mtx", f"solve.null_space={null_space}",
                                        "output.solution=x.mtx", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertIn("A is singular: x is the solution that is orthogonal to its null "
                                  "space, ", result.text)
                    lines = (self.folder / "x.mtx").read_text().splitlines()
                    x = [float(line) for line in lines[-n:]]
                    self.assertLess(abs(sum(x)), 1e-9)
                    for i in range(n):  # x falls by 1 from node to node
                        self.assertAlmostEqual(x[i], (n - 1) / 2 - i, 9)
                    self.assertIn("null_space", self.report()["krylov"])

    def test_auto_iterates_beside_boundary_conditions_in_rows(self):
        n, lines = 40, []
        steps = (1, n, n * n)
        for node in range(n**3):
            row, place = node + 1, (node % n, node // n % n, node // n**2)
            if min(place) == 0 or max(place) == n - 1:
                lines.append(f"{row} {row} 1")
                continue
            lines.append(f"{row} {row} 6")
            lines += [f"{row} {row + sign * step} -1" for step in steps for sign in (-1, 1)]
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{n**3} {n**3} "
                            f"{len(lines)}\n" + "\n".join(lines) + "\n")
        result = self.spsolve("a.mtx", "row_sums", "--device", "host", "--report", "report.json")
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["method"], "cg")
        self.assertIn("rows that hold their diagonal alone", result.text)
        self.assertLess(report["squared_error"], 1e-18)

    def test_boundary_conditions_in_rows_leave_the_rest_symmetric(self):
        n, lines = 30, []  # a Laplacian whose outermost nodes have rows of their diagonal alone
        for i in range(n):
            for j in range(n):
                row = i * n + j + 1
                if min(i, j) == 0 or max(i, j) == n - 1:
                    lines.append(f"{row} {row} {2 + i % 3}")
                    continue
                lines.append(f"{row} {row} 4")
                lines += [f"{row} {row + step} -1" for step in (-n, -1, 1, n)]
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{n * n} {n * n} "
                            f"{len(lines)}\n" + "\n".join(lines) + "\n")
        for method, preconditioner in (("cg", "multigrid"), ("cg", "jacobi"), ("minres", "none"),
                                       ("block_cg", "ic0")):
            for ranks in (1, 2):
                with self.subTest(method, preconditioner=preconditioner, ranks=ranks):
                    result = self.spsolve("a.mtx", "--set", "right_hand_side.kind=row_sums",
                                          "--set", f"solve.method={method}", "--set",
                                          f"solve.preconditioner={preconditioner}", "--report",
                                          "report.json", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertIn("rows that hold their diagonal alone", result.text)
                    self.assertLess(self.report()["squared_error"], 1e-20)
        self.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 2 3\n"
                            "3 3 4\n2 1 -1\n3 2 -1\n")
        result = self.spsolve("b.mtx", "--method", "cg")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("wants a symmetric matrix", result.err)

    def test_null_spaces_that_are_none_and_systems_without_solution(self):
        n = 60
        self.path(n)
        self.array("b.mtx", [(1,)] * n)
        self.array("short.mtx", [(1,)] * (n - 1))
        self.array("square.mtx", [tuple([1] * n)] * n)
        cg = ("solve.method=cg", "right_hand_side=b.mtx")
        cases = (("path.mtx", (*cg, "solve.null_space=constants"), NOT_TRUSTWORTHY,
                  "the system has no solution: A x is orthogonal to the null space of A, constants"),
                 ("grid2d:20", ("solve.method=cg", "solve.null_space=constants"), INPUT,
                  "A does not take the constants to zero"),
                 ("path.mtx", (*cg, "solve.null_space=./short.mtx"), INPUT,
                  "the null space has 59 rows, but the matrix has 60"),
                 ("path.mtx", (*cg, "solve.null_space=./square.mtx"), INPUT,
                  "a null space of 60 vectors of a matrix of order 60"),
                 ("path.mtx", (*cg, "solve.null_space=zeros"), INPUT, "solve.null_space"),
                 ("path.mtx", ("solve.method=lu", "solve.null_space=constants"), INPUT,
                  "solve.null_space goes with Krylov methods"))
        for matrix, settings, code, words in cases:
            for ranks in (1, 2):
                result = self.solve(matrix, *settings, ranks=ranks)
                self.assertEqual(result.code, code, result.text)
                self.assertIn(words, result.err)

    def test_matrices_of_one_pattern_keep_what_multigrid_found_in_it(self):
        for seed in (1, 2):
            self.spmtx("generate", f"elastic3d:8:seed={seed}", f"A-{seed}.npz")
        for ranks in (1, 2):
            result = self.solve("{file: A-1.npz, values: A-*.npz}", "solve.method=cg",
                                "solve.preconditioner=multigrid", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIs(self.report()["krylov"]["renewed"], True)
            self.assertRegex(result.out, r"krylov +multigrid, .* renewed in ")
            self.assertLess(max(step["backward_error"] for step in self.report()["steps"]), 1e-13)

    def elastic(self, side):
        """Linear elasticity in a file, which tells nothing of nodes, and where they are."""
        self.spmtx("generate", f"elastic3d:{side}", "body.mtx")
        width = side + 1
        return [(node % width, node // width % width, node // width // width)
                for node in range(side * width * width)]

    def array(self, name, rows):
        values = "".join(f"{row[axis]}\n" for axis in range(len(rows[0])) for row in rows)
        self.write(name, "%%MatrixMarket matrix array real general\n"
                   f"{len(rows)} {len(rows[0])}\n{values}")

    def test_coordinates_take_multigrid_fewer_steps(self):
        self.array("places.mtx", self.elastic(8))
        settings = ("solve.method=cg", "solve.preconditioner=multigrid", "solve.tolerance=1e-8",
                    "right_hand_side=random")
        for ranks in (1, 2, 3):
            steps = []
            for more in ((), ("solve.coordinates=places.mtx",)):
                result = self.solve("body.mtx", *settings, *more, ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertLess(self.report()["backward_error"], 1e-8)
                steps.append(self.report()["krylov"]["steps"])
            self.assertLess(steps[1], steps[0])
            self.assertEqual(self.report()["krylov"]["near_null_space"], "rigid-body modes")
            self.assertRegex(result.out, "krylov +multigrid, .* rigid-body modes")
            by_generator = self.solve("elastic3d:8", *settings, ranks=ranks)
            self.assertEqual(by_generator.code, SOLVED, by_generator.text)
            self.assertEqual(self.report()["krylov"]["steps"], steps[1])

    def test_coordinates_that_are_none_are_refused(self):
        places = self.elastic(2)
        self.array("few.mtx", places[:-1])
        self.array("line.mtx", [place[:1] for place in places])
        self.array("plane.mtx", [place[:2] for place in places])
        self.array("nan.mtx", places[:-1] + [("nan", 0, 0)])
        cases = (("few.mtx", "coordinates of 17 nodes in 3 dimensions go with a matrix of 51 rows"),
                 ("line.mtx", "the coordinates are 18 x 1; give a row of 2 or 3 numbers"),
                 ("plane.mtx", "coordinates of 18 nodes in 2 dimensions go with a matrix of 36"),
                 ("nan.mtx", "nan"),
                 ("none.mtx", "none.mtx"))
        for file, words in cases:
            for ranks in (1, 2):
                result = self.solve("body.mtx", "solve.method=cg", f"solve.coordinates={file}",
                                    "solve.preconditioner=multigrid", ranks=ranks)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
        result = self.solve("body.mtx", "solve.coordinates=few.mtx", "solve.method=lu")
        self.assertEqual(result.code, INPUT, "whatever the method: " + result.text)
        result = self.spsolve("c.yaml", "--check", "--set", "solve.coordinates=few.mtx")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("17 nodes", result.err)

    def test_coordinates_that_change_nothing_are_named(self):
        self.array("places.mtx", self.elastic(2))
        for method, words in (("sparse_cholesky", "sparse_cholesky, and multigrid alone knows"),
                              ("cg", "the preconditioner was jacobi, and multigrid alone")):
            result = self.solve("body.mtx", f"solve.method={method}",
                                "solve.preconditioner=jacobi", "solve.coordinates=places.mtx")
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn(f"solve.coordinates changed nothing: {words}", result.text)

    def test_a_singular_matrix_is_not_called_solved(self):
        # The right-hand side is no sum of its columns.
        n = 60
        self.path(n)
        self.write("b.mtx", f"%%MatrixMarket matrix array real general\n{n} 1\n" + "1\n" * n)
        for method in ("cg", "block_cg", "minres", "gmres", "bicgstab", "idr"):
            result = self.solve("path.mtx", f"solve.method={method}", "right_hand_side=b.mtx",
                                "solve.iterations=400")
            self.assertEqual(result.code, NOT_TRUSTWORTHY, method + result.text)

    def test_auto_iterates_at_once_where_that_converges_soon(self):
        # For one system; more of them are worth an analysis, which is what a dry run of ranks shows.
        self.spmtx("generate", "random_sparse:900:2:1", "two.mtx")
        for words, method in (((), "bicgstab"), (("right_hand_side=two.mtx",), "sparse_lu"),
                              (("solve.ordering=amd",), "sparse_lu")):
            result = self.solve("cage:900", "solve.method=auto", "device=host", *words)
            self.assertEqual(result.code, SOLVED, result.text)
            report = self.report()
            self.assertEqual(report["method"], method, words)
            self.assertEqual("krylov" in report, method == "bicgstab")
            self.assertEqual(report["status"], "solved")
        result = self.spsolve("cage:900", "--dry-run", "--ranks", "2", "--device", "host")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("Analysis:", result.out)

    def test_auto_says_what_it_took_where_elimination_does_not_fit(self):
        self.needs_limits()
        self.write("c.yaml", "matrix: convdiff3d:44\nsolve: {condition: false}\nthreads: 1\n"
                   "output: {report: report.json}\n")
        # Elimination needs 500 MiB.
        result = self.limited(self.taken_by_libraries() + 250 * MIB)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["method"], "gmres")
        self.assertRegex(" ".join(report["notes"]), "auto took gmres, as sparse_lu needs more memory")

    def test_help_names_every_preconditioner(self):
        text = self.spsolve("--help", "preconditioners").out
        words = re.findall(r"^(\w+)$", text, re.MULTILINE)
        schema = json.loads(self.spsolve("--generate", "configuration-schema").out)
        choices = schema["properties"]["solve"]["anyOf"][1]["properties"]["preconditioner"]["enum"]
        self.assertEqual(sorted(words + ["auto"]), sorted(choices))


if __name__ == "__main__":
    unittest.main()
