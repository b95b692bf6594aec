"""What is called solved: only what has digits that are right, as far as bound and estimate tell; all else
is uncertain, by exit code, status and notes, with x written all the same."""

import itertools
import math
import random
import unittest

from support import BIN, CliTest, NOT_TRUSTWORTHY, SOLVED
from solve.test_singular import Systems, empty, grown, rank

CIRCUITS = ("add32", "adder_dcop_05", "rajat05", "rajat19", "oscil_dcop_01", "oscil_dcop_15",
            "oscil_dcop_41", "oscil_dcop_57", "fs_183_6", "west0479", "memplus")
DENSE = ("lu", "gauss", "gauss_jordan")
SPARSE = ("sparse_cholesky", "sparse_ldlt", "sparse_lu")
KRYLOV = ("cg", "block_cg", "minres", "cocr", "gmres", "bicgstab", "idr")


class Statuses(CliTest):
    def run_one(self, *settings):
        self.write("c.yaml", 'matrix: "hilbert:15"\noutput: {solution: x.mtx, report: report.json, '
                             "html: report.html}\n")
        (self.folder / "x.mtx").unlink(missing_ok=True)
        words = [word for setting in settings for word in ("--set", setting)]
        result = self.run_program(BIN / "spsolve", "c.yaml", "--quiet", *words)
        self.assertEqual(result.out, "")
        self.assertEqual(len((self.folder / "x.mtx").read_text().splitlines()), 3 + 15)
        return result, self.report()

    def test_no_certain_digit_is_no_success(self):
        for settings in ((), ("solve.condition=false",), ("solve.refinement=0",),
                         ("solve.condition=false", "solve.refinement=0"),
                         ("solve.precision=float",), ("solve.method=sparse_lu",),
                         ("solve.method=gauss", "solve.pivoting=complete")):
            with self.subTest(settings):
                result, report = self.run_one(*settings)
                self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                self.assertEqual(report["status"], "uncertain")
                self.assertIn("status: uncertain", result.err)
                self.assertIn("certain", result.err)
                for note in report["notes"]:
                    self.assertEqual(result.err.count("note: " + note), 1, result.err)
                self.assertNotIn("estimate", report.get("forward_error", {}))
                self.assertIn('badge uncertain">uncertain', (self.folder / "report.html").read_text())

    def test_the_residual_may_decide(self):
        for settings in ((), ("solve.condition=false",)):
            doubted = self.run_one(*settings)[1]
            x = (self.folder / "x.mtx").read_text()
            result, report = self.run_one("solve.accept=residual", *settings)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertEqual(report["status"], "solved")
            self.assertEqual(report["notes"], doubted["notes"])
            self.assertEqual((self.folder / "x.mtx").read_text(), x)
            for note in report["notes"]:
                self.assertIn("note: " + note, result.err)

    def test_notes_of_a_solved_system_are_told(self):
        self.write("c.yaml", 'matrix: "hilbert:9"\n')
        for arguments in ((), ("--quiet",)):
            result = self.run_program(BIN / "spsolve", "c.yaml", *arguments)
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn("note: the system is ill-conditioned", result.err)
            self.assertNotIn("status:", result.err)

    def test_an_earlier_report_goes_when_a_run_begins(self):
        self.needs_faults()
        self.write("c.yaml", 'matrix: "hilbert:5"\noutput: {report: report.json, html: r.html}\n')
        # A launcher ends the other rank, by SIGTERM if there is time for that: its last words then.
        for ranks, statuses in ((1, ("running",)), (2, ("running", "stopped"))):
            self.assertEqual(self.spsolve("c.yaml", ranks=ranks).code, SOLVED)
            self.assertEqual(self.report()["status"], "solved")
            result = self.spsolve("c.yaml", ranks=ranks,
                                  environment={"SPSOLVE_FAULT": "phase=eliminate:kill"})
            self.assertNotEqual(result.code, SOLVED, result.text)
            report = self.report()
            self.assertIn(report["status"], statuses)
            self.assertIsNone(report["matrix"]["rows"])
            page = (self.folder / "r.html").read_text()
            self.assertTrue(any(f'badge {status}">{status}' in page for status in statuses), page)


class Circuits(CliTest):
    def test_what_is_solved_in_float_is_right(self):
        solved = 0
        for path in self.real_matrices(*(name + ".mtx" for name in CIRCUITS)):
            for precision, sweeps in itertools.product(("float", "mixed", "double"), (0, 10)):
                with self.subTest(path.name, precision=precision, sweeps=sweeps):
                    self.write("c.yaml", f"matrix: {path}\nsolve: {{precision: {precision}, "
                                         f"refinement: {sweeps}}}\noutput: {{report: report.json}}\n")
                    result = self.run_program(BIN / "spsolve", "c.yaml", "--quiet")
                    report = self.report()
                    self.assertEqual(result.code == SOLVED, report["status"] == "solved")
                    if result.code != SOLVED:
                        continue
                    solved += 1
                    # x is ones: the largest component may be off by the norm of all at most.
                    error = math.sqrt(report["squared_error"])
                    known = min(value for value in report["forward_error"].values()
                                if value is not None)
                    self.assertLess(known, 0.1)
                    self.assertLess(error, 0.1 * math.sqrt(report["matrix"]["rows"]))
        self.assertGreater(solved, 10)


class Structures(Systems):
    def truss(self, draw, joints, spread):
        """Stiffnesses of bars between random joints in the plane, without supports: rigid motions are
        its null space, 3 dimensions; values are rounded, so that its stored form may be regular."""
        places = [(draw.uniform(0, 10), draw.uniform(0, 10)) for _ in range(joints)]
        matrix = empty(2 * joints)
        for i, j in itertools.combinations(range(joints), 2):
            length = math.dist(places[i], places[j])
            if j != i + 1 and length > 5:
                continue
            stiffness = 10.0**draw.uniform(0, spread) / length
            along = [(a - b) / length for a, b in zip(places[i], places[j])]
            for p, q in itertools.product((0, 1), repeat=2):
                part = stiffness * (along[p] * along[q])
                matrix[2 * i + p][2 * i + q] += part
                matrix[2 * j + p][2 * j + q] += part
                matrix[2 * i + p][2 * j + q] -= part
                matrix[2 * j + p][2 * i + q] -= part
        return matrix

    def test_without_supports_nothing_is_certain(self):
        draw = random.Random(8)
        systems = []
        for k in range(60):
            matrix = self.truss(draw, draw.randint(6, 25), (0, 2, 6)[k % 3])
            method = (("auto",) + DENSE + SPARSE)[k % 7]
            systems.append((matrix, draw.choice(("row_sums", "ones", "random")),
                            [f"solve.method={method}"]))
        for (_, right_hand_side, settings), (result, report) in zip(systems,
                                                                    self.solve_all(systems)):
            with self.subTest(right_hand_side=right_hand_side, settings=settings):
                self.assertEqual(result.code, NOT_TRUSTWORTHY,
                                 [report[key] for key in report if key != "configuration"])
                self.assertIn(report["status"], ("uncertain", "not trustworthy", "failed"))

    def test_singular_for_krylov_methods_too(self):
        draw = random.Random(9)
        systems = []
        while len(systems) < 40:
            matrix = grown(draw, draw.randint(20, 50), 2)
            if rank(matrix) == len(matrix):
                continue
            systems.append((matrix, draw.choice(("row_sums", "ones", "random")),
                            [f"solve.method={KRYLOV[len(systems) % 5]}",
                             "solve.preconditioner=none"]))
        for result, report in self.solve_all(systems):
            self.assertNotEqual(report["status"], "solved", report)
            self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)


class Scales(Systems):
    def test_a_factor_of_the_whole_matrix_is_no_doubt(self):
        draw = random.Random(10)
        order = 30
        matrix = empty(order)
        for i in range(order):
            matrix[i][i] = 8
            for j in draw.sample(range(i), min(i, 3)):
                matrix[i][j] = matrix[j][i] = -1
        methods = ("auto",) + DENSE + SPARSE + KRYLOV
        systems = [([[value * 2.0**power for value in row] for row in matrix], "row_sums",
                    [f"solve.method={method}"]) for power in (-200, 200) for method in methods]
        for (_, _, settings), (result, report) in zip(systems, self.solve_all(systems)):
            with self.subTest(settings):
                self.assert_certain(result, report, [1.0] * order)


if __name__ == "__main__":
    unittest.main()
