"""Factors in a file, where memory has no room for them or solve.factors says so."""

import json
import signal
import unittest

from support import BIN, CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, SOLVED

CONFIGURATION = """
matrix: {matrix}
solve: {{method: {method}, factors: {factors}, factors_folder: kept}}
threads: {threads}
device: host
right_hand_side: {{kind: random, columns: 20}}
output: {{solution: x.npy, report: r.json}}
"""

KILLED = 128 + signal.SIGKILL


class FactorsOnDisk(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "kept").mkdir()

    def configure(self, matrix="grid3d:14", method="sparse_lu", factors="disk", threads=2):
        self.write("c.yaml", CONFIGURATION.format(matrix=matrix, method=method, factors=factors,
                                                  threads=threads))

    def solution(self, *words, **settings):
        self.configure(**settings)
        result = self.spsolve("c.yaml", *words)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(list((self.folder / "kept").iterdir()), [], "gone at the end")
        return (self.folder / "x.npy").read_bytes()

    def test_the_same_bits_as_in_memory(self):
        for matrix, method in (("grid3d:14", "sparse_cholesky"), ("helmholtz2d:50", "sparse_ldlt"),
                               ("convdiff3d:12", "sparse_lu"), ("circuit:3000", "sparse_lu"),
                               ("network:4000:500", "sparse_lu"), ("zhelm2d:40", "sparse_lu"),
                               ("magnetic2d:30", "sparse_cholesky")):
            with self.subTest(matrix):
                case = {"matrix": matrix, "method": method}
                in_memory = self.solution(factors="memory", **case)
                for threads in (1, 3):
                    self.assertEqual(self.solution(threads=threads, **case), in_memory)

    def test_precisions(self):
        for precision in ("float", "mixed"):
            words = ("--set", f"solve.precision={precision}")
            self.assertEqual(self.solution(*words), self.solution(*words, factors="memory"))

    def test_a_plan_tells_their_bytes(self):
        self.configure(matrix="grid3d:30")
        plan = self.spsolve("c.yaml", "--dry-run")
        self.assertEqual(plan.code, SOLVED, plan.text)
        self.assertRegex(plan.out, r"Factors on disk: [\d.]+ MiB")
        self.configure(matrix="grid3d:30", factors="memory")
        self.assertNotIn("Factors on disk", self.spsolve("c.yaml", "--dry-run").out)

    def test_auto_takes_what_fits_first(self):
        self.needs_faults()
        for settings in ({}, {"method": "auto", "matrix": "convdiff3d:26"}):
            settings = {"matrix": "grid3d:26", "threads": 1, **settings}
            in_memory = self.solution(factors="memory", **settings)
            # Factors take some 33 MiB, stacks 7; on disk 16 MiB of them are in memory.
            for free, said in ((300, ""), (45, "the factors are on disk, ")):
                with self.subTest(settings, free=free):
                    self.configure(factors="auto", **settings)
                    result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": f"memory={free}"})
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertEqual((self.folder / "x.npy").read_bytes(), in_memory)
                    notes = " ".join(json.loads((self.folder / "r.json").read_text())["notes"])
                    self.assertIn(said, notes)
                    self.assertEqual("on disk" in notes, bool(said), notes)
                    self.assertNotIn("Krylov", notes)

    def test_an_iteration_that_fails_is_followed_by_the_elimination_that_fits(self):
        # Two steps are too few for either. Factors of the first take 116 MiB, of the second 130.
        self.needs_faults()
        tried = ("grid3d:40", "sparse_cholesky", "auto took cg first, and eliminated after all")
        in_place = ("convdiff3d:36", "sparse_lu", "auto took gmres first, and eliminated after all")
        on_disk, in_float = "the factors are on disk, ", " eliminated in float, as it needs more memory"
        # Where checkpoints are wanted, none at first are on disk.
        checkpoints = ("--set", "checkpoint.directory=checkpoints")
        for (matrix, method, note), free, how, words in (
                (tried, 1000, "", ()), (tried, 110, on_disk, ()), (tried, 85, in_float, ()),
                (tried, 85, in_float, ("--set", "solve.factors=memory")),
                (in_place, 80, on_disk, checkpoints)):
            with self.subTest(matrix, free=free, words=words):
                self.write("c.yaml", f"matrix: {matrix}\nsolve: {{factors_folder: kept, iterations: 2, "
                           "condition: false}\nthreads: 1\ndevice: host\noutput: {report: r.json}\n")
                result = self.spsolve("c.yaml", *words, environment={"SPSOLVE_FAULT": f"memory={free}"})
                self.assertEqual(result.code, SOLVED, result.text)
                report = json.loads((self.folder / "r.json").read_text())
                self.assertEqual(report["method"], method)
                self.assertEqual(report["precision"], "mixed" if how == in_float else "double")
                notes = " ".join(report["notes"])
                self.assertIn(note, notes)
                self.assertIn("took all of its steps", notes)
                for said in (on_disk, in_float):
                    self.assertEqual(said in notes, said == how, notes)
                self.assertNotIn("on a GPU", notes)
                self.assertEqual(list((self.folder / "kept").iterdir()), [])

    def test_an_iteration_that_fails_stays_where_no_elimination_fits(self):
        self.needs_faults()
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.write("c.yaml", "matrix: convdiff3d:36\nsolve: {factors: memory, iterations: 2, "
                           "condition: false}\nthreads: 1\ndevice: host\noutput: {report: r.json}\n")
                result = self.spsolve("c.yaml", ranks=ranks,
                                      environment={"SPSOLVE_FAULT": f"memory={60 * ranks}"})
                self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                report = json.loads((self.folder / "r.json").read_text())
                self.assertEqual(report["method"], "gmres")
                self.assertEqual(report["krylov"]["steps"], 2)
                self.assertRegex(" ".join(report["notes"]),
                                 r"no elimination followed gmres, which failed: sparse_lu needs \S+ MiB of the "
                                 r"\S+ MiB that are free")
        # A trial of some steps is no answer.
        self.write("c.yaml", "matrix: grid3d:26\nsolve: {factors: memory, iterations: 2, condition: false}\n"
                   "threads: 1\ndevice: host\n")
        result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": "memory=15"})
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.err, "took all of its steps: .* and its elimination does not fit into memory")

    def test_none_where_addresses_are_short(self):
        self.needs_limits()
        self.configure(matrix="grid3d:40", factors="auto", threads=1)
        room = self.taken_by_libraries() + 170 * 2**20
        result = self.limited(room, "--dry-run")
        self.assertNotIn("Factors on disk", result.out)

    def test_refusals(self):
        self.configure()
        cases = (((), 2, INPUT, "solve.factors=disk goes with one rank"),
                 (("--set", "checkpoint.directory=c"), 1, INPUT, "solve.factors=disk keeps no checkpoints"),
                 (("--set", "solve.factors_folder=gone"), 1, RESOURCES,
                  r"gone: no file can be made there .*solve\.factors_folder"))
        for words, ranks, code, said in cases:
            with self.subTest(said):
                result = self.spsolve("c.yaml", *words, ranks=ranks)
                self.assertEqual(result.code, code, result.text)
                self.assertRegex(result.err, said)

    def test_a_full_disk(self):
        self.configure(matrix="grid3d:20")
        full = "mount -t tmpfs -o size=1m none kept && "
        if self.run_program("unshare", "-m", "bash", "-c", full + "true").code != 0:
            self.skipTest("this needs: unshare -m and mount")
        result = self.run_program("unshare", "-m", "bash", "-c",
                                  full + f"{BIN / 'spsolve'} c.yaml && false; code=$?; ls kept; exit $code")
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.err, r"kept: has no room for \S+ GB .*solve\.factors_folder")
        self.assertFalse((self.folder / "x.npy").exists())

    def test_a_file_that_cannot_be_read(self):
        self.needs_faults()
        self.configure()
        for phase in ("eliminate:step=3", "check", "condition"):
            with self.subTest(phase):
                result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": f"phase={phase}:unreadable"})
                self.assertEqual(result.code, RESOURCES, result.text)
                self.assertRegex(result.err, r"kept: its file cannot be read .*solve\.factors_folder")
                self.assertFalse((self.folder / "x.npy").exists())
                self.assertEqual(list((self.folder / "kept").iterdir()), [])

    def test_a_bound_below_the_least(self):
        self.needs_faults()
        self.configure(matrix="grid3d:26", threads=1)
        result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": "memory=10"})
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertRegex(result.err, "does not fit into memory; .*rank 0 needs")
        self.assertEqual(list((self.folder / "kept").iterdir()), [])

    def test_nothing_is_left_by_who_is_killed(self):
        self.needs_faults()
        self.configure(matrix="grid3d:20")
        for phase in ("eliminate:step=20", "check", "condition"):
            with self.subTest(phase):
                result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": f"phase={phase}:kill"})
                self.assertEqual(result.code, KILLED, result.text)
                self.assertFalse((self.folder / "x.npy").exists())
                self.assertEqual(list((self.folder / "kept").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
