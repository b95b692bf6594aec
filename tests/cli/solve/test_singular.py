"""Singular and badly scaled matrices by the hundred: nothing is solved in silence that has no solution,
or more than one, and nothing is doubted that is right. Ranks are exact, modulo a prime of 61 bits: a
regular matrix of small integers is taken for a singular one with a chance of about order / 2^61."""

import concurrent.futures
import json
import pathlib
import random
import tempfile
import unittest

from support import BIN, CliTest, NOT_TRUSTWORTHY, SOLVED

PRIME = 2**61 - 1
DOUBTS = ("none of its digits is certain", "none of the digits of x is certain",
          "its digits are not certain")


def rank(matrix):
    """The rank of a matrix of integers, by elimination modulo PRIME."""
    rows = [[value % PRIME for value in row] for row in matrix]
    found = 0
    for column in range(len(matrix)):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        top = rows[found]
        inverse = pow(top[column], -1, PRIME)
        for i in range(found + 1, len(rows)):
            if rows[i][column]:
                factor = rows[i][column] * inverse % PRIME
                rows[i] = [(a - factor * b) % PRIME if b else a for a, b in zip(rows[i], top)]
        found += 1
    return found


def empty(order):
    return [[0] * order for _ in range(order)]


def grown(draw, order, links, directed=False):
    """0/1 adjacency matrix of a graph that grew by preferential attachment (Barabasi, Albert)."""
    matrix = empty(order)
    ends = list(range(links))
    for node in range(links, order):
        for other in {draw.choice(ends) for _ in range(links)}:
            if not directed or draw.random() < 0.7:
                matrix[node][other] = 1
            if not directed or draw.random() < 0.7:
                matrix[other][node] = 1
            ends += [node, other]
    return matrix


def drawn(draw, order, mean):
    """Of a graph whose edges were drawn one by one (Erdos, Renyi)."""
    matrix = empty(order)
    for i in range(order):
        for j in range(i):
            if draw.random() < mean / order:
                matrix[i][j] = matrix[j][i] = 1
    return matrix


def with_twins(draw, matrix):
    """Two rows, and the columns of the same numbers, made equal."""
    a, b = draw.sample(range(len(matrix)), 2)
    matrix[a] = list(matrix[b])
    for row in matrix:
        row[a] = row[b]
    return matrix


def laplacian(matrix):
    return [[sum(row) if i == j else -row[j] for j in range(len(matrix))]
            for i, row in enumerate(matrix)]


def of_low_rank(draw, order, rank_at_most):
    left = [[draw.randint(-3, 3) for _ in range(rank_at_most)] for _ in range(order)]
    right = [[draw.randint(-3, 3) for _ in range(order)] for _ in range(rank_at_most)]
    return [[sum(a * row[j] for a, row in zip(line, right)) for j in range(order)]
            for line in left]


def beside(a, b):
    """diag(a, b)"""
    return [row + [0] * len(b) for row in a] + [[0] * len(a) + row for row in b]


def dominant(draw, order):
    """Regular, and well-conditioned."""
    return [[40 if i == j else draw.randint(-2, 2) for j in range(order)] for i in range(order)]


def scaled(draw, matrix, most):
    """The matrix with rows and columns times powers of two, and those of the columns."""
    order = len(matrix)
    rows = [2.0**draw.randint(-most, most) for _ in range(order)]
    columns = [2.0**draw.randint(-most, most) for _ in range(order)]
    return [[r * value * c for value, c in zip(row, columns)]
            for r, row in zip(rows, matrix)], columns


def file_of(matrix):
    entries = [f"{i + 1} {j + 1} {value!r}\n" for i, row in enumerate(matrix)
               for j, value in enumerate(row) if value]
    return (f"%%MatrixMarket matrix coordinate real general\n{len(matrix)} {len(matrix)} "
            f"{len(entries)}\n" + "".join(entries))


def file_of_vector(values):
    return (f"%%MatrixMarket matrix array real general\n{len(values)} 1\n" +
            "".join(f"{value!r}\n" for value in values))


class Systems(CliTest):
    def solve(self, matrix, right_hand_side, settings=()):
        """One system, in a folder of its own: the program's result and its report."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "a.mtx").write_text(file_of(matrix))
        if not isinstance(right_hand_side, str):
            (folder / "b.mtx").write_text(file_of_vector(right_hand_side))
            right_hand_side = folder / "b.mtx"
        (folder / "c.yaml").write_text(
            f'matrix: "{folder}/a.mtx"\nright_hand_side: "{right_hand_side}"\n'
            f'output: {{solution: "{folder}/x.mtx", report: "{folder}/report.json"}}\n')
        words = [word for setting in settings for word in ("--set", setting)]
        result = self.run_program(BIN / "spsolve", folder / "c.yaml", "--quiet", *words)
        return result, json.loads((folder / "report.json").read_text())

    def solve_all(self, systems):
        """Hands back what solve() does for each (matrix, right-hand side, settings)."""
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            jobs = [threads.submit(self.solve, *system) for system in systems]
            return [job.result() for job in jobs]

    def assert_doubted(self, result, report):
        """The matrix is refused, or every digit of x is doubted: no x of it is called solved."""
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        if report["status"] == "failed":
            return
        self.assertEqual(report["status"], "uncertain")
        notes = " ".join(report["notes"])
        self.assertTrue(any(words in notes for words in DOUBTS), notes)
        self.assertIsNone(report.get("forward_error", {}).get("bound"))
        self.assertNotIn("estimate", report.get("forward_error", {}))

    def assert_certain(self, result, report, exact):
        """x is solved to its last digit, and said to be."""
        self.assertEqual(result.code, SOLVED, result.text)
        notes = " ".join(report["notes"])
        self.assertFalse(any(words in notes for words in DOUBTS), notes)
        lines = (self.folder / report["configuration"]["output"]["solution"]).read_text()
        x = [float(line) for line in lines.splitlines() if line[0] != "%" and " " not in line]
        error = max(abs(a - b) for a, b in zip(x, exact)) / max(map(abs, exact))
        self.assertLess(error, 3e-16)
        self.assertLess(report["forward_error"]["estimate"], 3e-16)


class Singular(Systems):
    def right_hand_side(self, draw, matrix):
        """One of all kinds: named ones, in the range of the matrix, any, few non-zeros, zeros."""
        order = len(matrix)
        kind = draw.choice(("row_sums", "ones", "random", "in range", "any", "few", "zeros"))
        if kind == "in range":
            x = [draw.randint(-3, 3) for _ in range(order)]
            return [float(sum(a * b for a, b in zip(row, x))) for row in matrix]
        if kind == "any":
            return [draw.uniform(-1, 1) for _ in range(order)]
        if kind in ("few", "zeros"):
            b = [0.0] * order
            b[draw.randrange(order)] = 1.0 if kind == "few" else 0.0
            return b
        return kind

    def check(self, matrices, draw, least_singular, settings=()):
        """Singular ones are refused or doubted; of regular ones, x is not wrong in silence."""
        systems = [(matrix, self.right_hand_side(draw, matrix), settings) for matrix in matrices]
        singular = doubted = 0
        for system, (result, report) in zip(systems, self.solve_all(systems)):
            matrix, right_hand_side, _ = system
            if rank(matrix) == len(matrix):
                continue
            singular += 1
            doubted += report["status"] != "failed"
            with self.subTest(order=len(matrix), right_hand_side=right_hand_side):
                self.assert_doubted(result, report)
        self.assertGreaterEqual(singular, least_singular)
        return doubted

    def test_graphs_that_grew(self):
        draw = random.Random(1)
        doubted = self.check([grown(draw, draw.randint(20, 75), draw.choice((2, 2, 3)))
                             for _ in range(80)], draw, 40)
        self.assertGreater(doubted, 10, "all refused: these graphs do not try what they are for")

    def test_directed_graphs(self):
        draw = random.Random(2)
        self.check([grown(draw, draw.randint(20, 60), draw.choice((2, 3, 4)), directed=True)
                    for _ in range(20)], draw, 10)

    def test_other_singular_matrices(self):
        draw = random.Random(3)
        matrices = []
        for _ in range(5):
            order = draw.randint(20, 50)
            matrices += [drawn(draw, order, 3), with_twins(draw, drawn(draw, order, 6)),
                         with_twins(draw, grown(draw, order, 3)), laplacian(drawn(draw, order, 8)),
                         laplacian(grown(draw, order, 2)), of_low_rank(draw, order, order - 1),
                         of_low_rank(draw, order, order // 2),
                         beside(dominant(draw, 10), grown(draw, order, 2)),
                         beside(dominant(draw, 10), laplacian(grown(draw, order, 2)))]
        self.check(matrices, draw, 30)

    def test_every_method_and_precision(self):
        draw = random.Random(4)
        for settings in (["solve.method=gauss"], ["solve.method=gauss_jordan"],
                         ["solve.method=gauss", "solve.pivoting=complete"],
                         ["solve.precision=float"], ["solve.precision=mixed"],
                         ["solve.refinement=0"]):
            with self.subTest(settings):
                self.check([grown(draw, draw.randint(20, 50), 2) for _ in range(6)], draw, 3,
                           settings)

    def test_without_a_condition_factors_are_asked_for_a_known_solution(self):
        draw = random.Random(8)
        for settings in (["solve.method=lu"], ["solve.method=sparse_lu"],
                         ["solve.method=gauss", "solve.precision=mixed"],
                         ["solve.method=sparse_ldlt", "solve.refinement=1"]):
            with self.subTest(settings):
                systems = []
                for _ in range(6):
                    matrix = with_twins(draw, grown(draw, draw.randint(20, 50), 2))
                    systems.append((matrix, draw.choice(("ones", "row_sums")),
                                    ["solve.condition=false", *settings]))
                for result, report in self.solve_all(systems):
                    self.assert_doubted(result, report)

    def test_without_a_condition_iterations_are_asked_for_a_known_solution(self):
        draw = random.Random(9)
        for method in ("gmres", "bicgstab", "idr", "minres", "cg", "block_cg"):
            graph = grown(draw, 20, 2)
            result, report = self.solve(laplacian(graph), [0.0] * 20,
                                        ["solve.condition=false", f"solve.method={method}"])
            with self.subTest(method):
                self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                self.assertIn("a random solution, known beforehand", " ".join(report["notes"]))
        # Not where less is asked for; but that is said.
        result, report = self.solve(laplacian(grown(draw, 20, 2)), [0.0] * 20,
                                    ["solve.condition=false", "solve.method=gmres",
                                     "solve.tolerance=1e-10"])
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("nor whether the matrix is singular and x one of many solutions", " ".join(report["notes"]))

    def test_badly_scaled_singular_matrices(self):
        draw = random.Random(5)
        systems = []
        for i in range(15):
            matrix = with_twins(draw, grown(draw, draw.randint(20, 50), 2))
            systems.append((scaled(draw, matrix, (10, 60, 200)[i % 3])[0],
                            draw.choice(("ones", "random")), ()))
        for result, report in self.solve_all(systems):
            self.assert_doubted(result, report)


class Regular(Systems):
    def test_scale_alone_is_no_doubt(self):
        draw = random.Random(6)
        systems, solutions = [], []
        for i in range(18):
            matrix = dominant(draw, draw.randint(10, 40))
            whole = [draw.randint(-9, 9) or 1 for _ in matrix]
            b = [sum(a * x for a, x in zip(row, whole)) for row in matrix]
            # diag(r) A diag(c) y = diag(r) b for y_j = x_j / c_j: all exact
            stretched, columns = scaled(draw, matrix, (20, 100, 200)[i % 3])
            rows = [next(s / a for s, a in zip(line, row) if a) /
                    next(c for a, c in zip(row, columns) if a)
                    for line, row in zip(stretched, matrix)]
            systems.append((stretched, [r * value for r, value in zip(rows, b)], ()))
            solutions.append([x / c for x, c in zip(whole, columns)])
        for (result, report), exact in zip(self.solve_all(systems), solutions):
            self.assert_certain(result, report, exact)

    def test_a_condition_that_overflows_is_no_doubt(self):
        # ||A|| ||A^-1|| is above 1e308; by components the condition is 2.
        for diagonal in ([1e200, 1e-200], [1e300, 1e-300, 1.0, 1e-5]):
            matrix = [[value if i == j else 0 for j in range(len(diagonal))]
                      for i, value in enumerate(diagonal)]
            for method in ("auto", "lu", "sparse_cholesky", "sparse_ldlt", "sparse_lu"):
                with self.subTest(diagonal=diagonal, method=method):
                    result, report = self.solve(matrix, "row_sums", [f"solve.method={method}"])
                    self.assert_certain(result, report, [1.0] * len(diagonal))
                    self.assertIsNone(report["condition"]["normwise"])
                    self.assertAlmostEqual(report["condition"]["componentwise"], 2)

    def test_regular_graphs_are_not_doubted(self):
        draw = random.Random(7)
        systems, solutions = [], []
        while len(systems) < 12:
            matrix = drawn(draw, draw.randint(20, 40), 12)
            if rank(matrix) < len(matrix):
                continue
            x = [draw.randint(-9, 9) for _ in matrix]
            systems.append((matrix, [sum(a * b for a, b in zip(row, x)) for row in matrix], ()))
            solutions.append(x)
        for (result, report), exact in zip(self.solve_all(systems), solutions):
            self.assert_certain(result, report, exact)


if __name__ == "__main__":
    unittest.main()
