"""What spsolve claims of its digits, against exact numbers."""

import functools
import math
import random
import unittest
from fractions import Fraction

from support import BIN, CliTest, NOT_TRUSTWORTHY, SOLVED

ITERATIONS = ("gmres", "bicgstab", "idr", "minres", "cocr", "cg", "block_cg")
OF_SYMMETRIC = ("sparse_ldlt", "sparse_cholesky", "minres", "cocr", "cg", "block_cg")


def solution(rows, right):
    """The columns of A^-1 B, exactly."""
    table = [[Fraction(value) for value in (*row, *b)] for row, b in zip(rows, right)]
    order = len(table)
    for k in range(order):
        pivot = next(i for i in range(k, order) if table[i][k])
        table[k], table[pivot] = table[pivot], table[k]
        for i in range(order):
            if i != k and table[i][k]:
                factor = table[i][k] / table[k][k]
                table[i] = [a - factor * b for a, b in zip(table[i], table[k])]
    return [[table[i][c] / table[i][i] for i in range(order)]
            for c in range(order, len(table[0]))]


def graph_with_a_weak_tie(draw, order):
    """A Laplacian of edges from 1e-3 to 1e3, held at one node by next to nothing."""
    rows = [[0.0] * order for _ in range(order)]
    for i in range(order):
        for j in draw.sample(range(order), 3):
            if i == j:
                continue
            weight = draw.uniform(0.1, 1) * 10.0 ** draw.randint(-3, 3)
            rows[i][j] -= weight
            rows[j][i] -= weight
            rows[i][i] += weight
            rows[j][j] += weight
    rows[0][0] += 10.0 ** -draw.randint(0, 17)
    return rows


def augmented(draw, order):
    """[a I, B; B^T, 0] with two columns of B that are next to multiples of each other."""
    columns = order // 2
    b = [[draw.uniform(-1, 1) * (draw.random() < 0.4) for _ in range(columns)] for _ in range(order)]
    near = 10.0 ** -draw.randint(3, 17)
    times = draw.uniform(1, 2)
    for row in b:
        row[-1] = row[0] * times + draw.uniform(-1, 1) * near
    a = 10.0 ** draw.randint(-8, 8)
    upper = [[a * (i == j) for j in range(order)] + b[i] for i in range(order)]
    return upper + [[row[c] for row in b] + [0.0] * columns for c in range(columns)]


def with_an_eigenvalue_of_round_off(draw, order):
    shift = -2 * math.cos(draw.randint(1, order) * math.pi / (order + 1))
    return [[shift if i == j else float(abs(i - j) == 1) for j in range(order)]
            for i in range(order)]


def weakly_coupled(draw, order):
    """Two blocks, of which one is next to singular."""
    half = order // 2
    rows = [[0.0] * (2 * half) for _ in range(2 * half)]
    for first in (0, half):
        for i in range(half):
            for j in range(half):
                rows[first + i][first + j] = draw.uniform(-1, 1)
    near = 10.0 ** -draw.randint(5, 17)
    for j in range(half, 2 * half):
        rows[-1][j] = rows[half][j] + rows[half + 1][j] + draw.uniform(-1, 1) * near
    rows[0][half] = rows[half][0] = 10.0 ** -draw.randint(1, 17)
    return rows


def beside_one(rows, *ones):
    """The block diagonal matrix of a diagonal and another matrix."""
    order = len(ones) + len(rows)
    whole = [[0.0] * order for _ in range(order)]
    for i, one in enumerate(ones):
        whole[i][i] = one
    for i, row in enumerate(rows):
        whole[len(ones) + i][len(ones):] = row
    return whole


def hilbert(order):
    return [[1 / (i + j + 1) for j in range(order)] for i in range(order)]


def with_eigenvalues(draw, eigenvalues):
    """H D H for a reflection H, symmetric to the last bit."""
    v = [draw.uniform(-1, 1) for _ in eigenvalues]
    size = sum(value * value for value in v)
    h = [[float(i == j) - 2 * a * b / size for j, b in enumerate(v)] for i, a in enumerate(v)]
    rows = [[sum(left * e * right for left, e, right in zip(a, eigenvalues, b)) for b in h]
            for a in h]
    return [[rows[max(i, j)][min(i, j)] for j in range(len(v))] for i in range(len(v))]


FAMILIES = (graph_with_a_weak_tie, augmented, with_an_eigenvalue_of_round_off, weakly_coupled)


class Claims(CliTest):
    def write_dense(self, name, rows):
        numbers = "".join(f"{row[k]!r}\n" for k in range(len(rows[0])) for row in rows)
        self.write(name, "%%MatrixMarket matrix array real general\n"
                         f"{len(rows)} {len(rows[0])}\n{numbers}")

    def solve(self, rows, right, method, *settings):
        """The error of every column by exact numbers, and what is claimed of it; or two times nothing
        where x is not called solved."""
        self.write_dense("a.mtx", rows)
        self.write_dense("b.mtx", right)
        words = [word for setting in settings for word in ("--set", setting)]
        result = self.run_program(BIN / "spsolve", "a.mtx", "b.mtx", "-o", "x.mtx", "--method", method,
                                  "--report", "report.json", *words)
        self.assertIn(result.code, (SOLVED, NOT_TRUSTWORTHY), result.text)
        if result.code != SOLVED:
            return [], {}
        lines = [line for line in (self.folder / "x.mtx").read_text().split("\n")
                 if line and not line.startswith("%")]
        values = [Fraction(float(line)) for line in lines[1:]]
        errors = []
        for column, truth in enumerate(solution(rows, right)):
            found = values[column * len(rows):(column + 1) * len(rows)]
            error = max(abs(a - b) for a, b in zip(found, truth)) / max(map(abs, truth))
            errors.append(float(error))
        return errors, self.report()["forward_error"]

    def check_answer(self, rows, right, method):
        """An answer that is called solved is as near as its estimate says."""
        errors, claims = self.solve(rows, right, method)
        for column, error in enumerate(errors):
            self.assertLess(error, 10 * claims["estimate"], f"{method}, column {column}")
        return bool(errors)

    def check_bound(self, rows, right, method, *settings):
        """The same of its bound, which holds but for estimates of norms; without one, or by factors, of
        its estimate, which next to singular systems is one correction's."""
        errors, claims = self.solve(rows, right, method, *settings)
        limit = 0.1
        if "bound" in claims:
            limit = min(limit, 3 * max(claims["bound"], 2**-52))
        if "estimate" in claims and ("bound" not in claims or method not in ITERATIONS):
            limit = min(limit, 100 * claims["estimate"])
        for column, error in enumerate(errors):
            self.assertLess(error, limit, f"{method}, column {column}, {claims}")
        return bool(errors)

    def test_systems_next_to_singular_ones(self):
        draw = random.Random(6)
        solved = 0
        for family in FAMILIES:
            for round_ in range(5):
                rows = family(draw, draw.randint(6, 14))
                right = [[draw.uniform(-1, 1)] for _ in rows]
                symmetric = family is not weakly_coupled
                for method in ("lu", "sparse_lu", "sparse_ldlt", *ITERATIONS):
                    if method in OF_SYMMETRIC and not symmetric:
                        continue
                    for settings in ((), ("solve.condition=false",)):
                        with self.subTest(family=family.__name__, round=round_, method=method,
                                          settings=settings):
                            solved += self.check_bound(rows, right, method, *settings)
        self.assertGreater(solved, 50)

    def test_a_small_part_of_x_that_converges_slowly(self):
        near = [[-7.285714285714286, -11.0], [-11.714285714285714, -17.686274509803933]]
        three = (beside_one(near, 1.0), [[1.0], [-6.689815424627285e-08], [-1.0756173819988969e-07]])
        rows = beside_one(hilbert(12), 1.0)
        z = [1.0] + [1e-8 * math.cos(3 * i) for i in range(12)]
        hidden = (rows, [[sum(a * b for a, b in zip(row, z))] for row in rows])
        for name, (rows, right) in (("three", three), ("hidden", hidden)):
            for method in ("auto", "lu", "gauss_jordan", "sparse_lu", "sparse_ldlt", "gmres"):
                for precision in ("double", "mixed"):
                    if name == "three" and method == "sparse_ldlt":
                        continue  # is not symmetric
                    if precision == "mixed" and method in ("gauss_jordan", "gmres"):
                        continue  # is for others
                    with self.subTest(name, method=method, precision=precision):
                        errors, claims = self.solve(rows, right, method,
                                                    f"solve.precision={precision}")
                        for error in errors:
                            self.assertLess(error, 10 * claims["estimate"])

    def test_corrections_in_float_that_round_off_by_the_same_again_and_again(self):
        rows = beside_one([[-10.285714285714286, 0.0], [30.857142857142872, -1.5509314158312165e-14]],
                          3.0, 3.0)
        right = [[-4.044539080037633], [4.00551412357769], [4.5571032309129155e-05],
                 [-0.00013671309692738745]]
        for method in ("auto", "lu", "sparse_lu"):
            for settings in ((), ("solve.condition=false",)):
                with self.subTest(method=method, settings=settings):
                    errors, claims = self.solve(rows, right, method, "solve.precision=float", *settings)
                    for error in errors:
                        self.assertLess(error, 10 * claims["estimate"])

    def test_what_a_krylov_method_leaves_where_it_stops_early(self):
        for order in (10, 40):
            diagonal = [.5 + .5 * i / (order - 1) for i in range(order)]
            c = 1 / sum(1 / (value - 1e-9) for value in diagonal)
            rows = [[(diagonal[i] if i == j else 0.0) - c for j in range(order)]
                    for i in range(order)]
            right = [[math.cos(i * i)] for i in range(order)]
            for method in ("minres", "cg", "gmres"):
                for tolerance in ("1e-6", "1e-10"):
                    with self.subTest(order=order, method=method, tolerance=tolerance):
                        errors, claims = self.solve(rows, right, method,
                                                    f"solve.tolerance={tolerance}",
                                                    "solve.preconditioner=none")
                        for error in errors:
                            self.assertLess(error, 10 * claims["estimate"])

    def test_a_krylov_method_that_hardly_sees_two_tiny_eigenvalues(self):
        draw = random.Random(4)
        for _ in range(6):
            tiny = [10.0 ** -draw.uniform(12, 15), 10.0 ** -draw.uniform(12, 15)]
            rows = with_eigenvalues(draw, [1.0] * 18 + tiny)
            right = [[draw.uniform(-1, 1)] for _ in rows]
            for method in ("minres", "cg"):
                with self.subTest(tiny=tiny, method=method):
                    errors, claims = self.solve(rows, right, method, "solve.preconditioner=none")
                    for error in errors:
                        self.assertLess(error, 10 * claims["estimate"])

    def test_nothing_is_claimed_that_nothing_tells(self):
        order = 30
        rows = [[float((abs(i - j) == 1) * -1) for j in range(order)] for i in range(order)]
        for i, row in enumerate(rows):
            row[i] = -sum(row)
        self.write_dense("path.mtx", rows)
        self.write_dense("b.mtx", [[float(i == 0) - float(i == order - 1)] for i in range(order)])
        result = self.run_program(BIN / "spsolve", "path.mtx", "b.mtx", "-o", "x.mtx", "--method",
                                  "minres", "--report", "report.json", "--set",
                                  "solve.condition=false", "--set", "solve.tolerance=1e-8", "--set",
                                  "solve.preconditioner=none")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertNotIn("digit", self.report()["summary"])
        self.assertNotIn("estimate", self.report().get("forward_error", {}))
        self.assertIn("nothing tells how many digits of x are right", result.err)

    def test_the_first_line_says_what_the_notes_say(self):
        rows = hilbert(9)
        self.write_dense("a.mtx", rows)
        result = self.run_program(BIN / "spsolve", "a.mtx", "--method", "lu", "--report",
                                  "report.json")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertRegex(self.report()["summary"],
                         r"about 1[56] digits \(4 if A and b are rounded\), ")
        self.assertRegex(result.err, "if A and b were rounded .* about 12 of its 16 digits are lost")

    def test_signs_of_pivots_that_were_made_larger_are_no_inertia(self):
        rows = [[-4, 0, -4, -1], [0, -2.0 ** -8, 4, 1], [-4, 4, -2.0 ** -24, 0],
                [-1, 1, 0, -2.0 ** -32]]
        self.write_dense("a.mtx", rows)
        self.write_dense("b.mtx", [[-4.0], [4.0], [1.0], [2.0]])
        for precision in ("double", "mixed", "float"):
            with self.subTest(precision):
                result = self.run_program(BIN / "spsolve", "a.mtx", "b.mtx", "--method",
                                          "sparse_ldlt", "--precision", precision, "--report",
                                          "report.json")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                told, inertia = report["sparse"]["negative_pivots"], report["inertia"]
                self.assertIn(told, (None, 3))
                self.assertEqual(told, inertia["negative"])
                self.assertEqual(inertia["positive"], None if told is None else 1)
                self.assertEqual(told is None, inertia["certainty"] == "unknown")
                self.assertEqual(told is None,
                                 "the number of negative eigenvalues is not told" in result.err)

    def test_a_null_space_that_is_larger_than_the_one_that_was_named(self):
        self.write_dense("a.mtx", [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]])
        self.write_dense("b.mtx", [[-1.0], [1.0], [0.0], [0.0]])
        self.write_dense("n.mtx", [[1, 0], [1, 0], [0, 1], [0, 1]])
        for method in ("cg", "minres", "gmres"):
            for ranks in (0, 2):
                with self.subTest(method, ranks=ranks):
                    words = ("a.mtx", "b.mtx", "--method", method, "--report", "report.json",
                             "-o", "x.mtx")
                    solve = self.spsolve if ranks else functools.partial(self.run_program,
                                                                         BIN / "spsolve")
                    more = {"ranks": ranks} if ranks else {}
                    result = solve(*words, "--set", "solve.null_space=constants", **more)
                    self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                    self.assertIn("A takes more vectors to zero than solve.null_space names",
                                  result.err)
                    self.assertRegex(result.err, "(positive in 2 rows, row 1 the first, negative in "
                                                 "2 rows, row 3|positive in 2 rows, row 3 the first, "
                                                 "negative in 2 rows, row 1)")
                    result = solve(*words, "--set", "solve.null_space=./n.mtx", **more)
                    self.assertEqual(result.code, SOLVED, result.text)

    def test_scales_as_far_apart_as_double_goes_come_to_an_end(self):
        chance = random.Random(5)
        for power in (100, 300, 500):
            left, right = ([chance.randint(-power, power) for _ in range(6)] for _ in range(2))
            rows = [[chance.uniform(-1, 1) * 2.0 ** i * 2.0 ** j for j in right] for i in left]
            b = [[chance.uniform(-1, 1) * 2.0 ** i] for i in left]
            for method in ("gmres", "bicgstab", "idr"):
                with self.subTest(power=power, method=method):
                    self.check_answer(rows, b, method)

    def test_digits_that_corrections_cannot_tell_are_not_promised(self):
        order, chance = 12, random.Random(2)
        rows = [[1 / (i + j + 1) for j in range(order)] for i in range(order)]
        for b in ([[chance.uniform(-1, 1)] for _ in rows], [[float(i == 0)] for i in range(order)]):
            for method in ("cg", "block_cg", "minres"):
                with self.subTest(method):
                    self.check_answer(rows, b, method)

    def test_right_hand_sides_of_very_different_sizes(self):
        order, chance = 9, random.Random(3)
        rows = [[chance.uniform(-1, 1) + 4 * (i == j) for j in range(order)] for i in range(order)]
        b = [[chance.uniform(-1, 1) * size for size in (1e150, 1e-150, 1e300, 1e-290, 1)]
             for _ in rows]
        for method in ("gmres", "bicgstab", "idr"):
            with self.subTest(method):
                self.assertTrue(self.check_answer(rows, b, method))


if __name__ == "__main__":
    unittest.main()
