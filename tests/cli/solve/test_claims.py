"""What spsolve claims of its digits, against exact numbers."""

import math
import random
import unittest
from fractions import Fraction

from support import BIN, CliTest, NOT_TRUSTWORTHY, SOLVED

ITERATIONS = ("gmres", "bicgstab", "idr", "minres", "cg", "block_cg")
OF_SYMMETRIC = ("sparse_ldlt", "sparse_cholesky", "minres", "cg", "block_cg")


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
