"""Krylov methods that are stopped and go on: their steps are compared one by one by
tests/mpi/krylov/checkpointed_iteration_test.cpp."""

import re
import signal
import unittest

from checkpointed_runs import at, Checkpoint, HOUR, ORDER, SYSTEM
from support import BIN, INPUT, INTERRUPTED, SOLVED


class Iterations(Checkpoint):
    STEP = 40

    def configure(self, method="cg", preconditioner="none", interval=0):
        self.write("c.yaml", SYSTEM.format(order=ORDER, method=method, interval=interval)
                   .replace(f"random_dense:{ORDER}:seed=3", "grid2d:35")
                   .replace("block: 32", f"preconditioner: {preconditioner}"))

    def iterates(self, ranks=1):
        """The solution and the steps of a run without a break."""
        return self.undisturbed(ranks), self.report()["krylov"]["steps"]

    def test_a_kill_loses_what_came_after_the_last_checkpoint(self):
        # gmres looks for a signal after a cycle of 30 steps.
        for method, ranks, kept in (("cg", 1, self.STEP), ("cg", 2, self.STEP),
                                    ("minres", 1, self.STEP), ("bicgstab", 1, self.STEP),
                                    ("idr", 1, self.STEP), ("block_cg", 2, self.STEP),
                                    ("cocr", 1, self.STEP),
                                    ("gmres", 1, 60), ("gmres", 2, 60)):
            with self.subTest(method=method, ranks=ranks):
                self.configure(method)
                solution, steps = self.iterates(ranks)
                killed = self.failing(f"{at(self.STEP, 'save')},{at(kept + 5, 'kill')}", ranks=ranks)
                self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
                self.assertIn(f"checkpoint of step {kept}:", killed.text)
                report = self.check_goes_on(solution, ranks)
                self.assertEqual(report["checkpoint"]["resumed_step"], kept)
                self.assertEqual(report["krylov"]["steps"], steps)
                self.assertEqual(len(report["krylov"]["history"]), steps + 1)

    def test_a_kill_while_it_is_written(self):
        self.configure()
        solution, _ = self.iterates(2)
        self.stopped(self.STEP, 2)
        killed = self.failing(at(10, "save") + ",rank=1:phase=checkpoint:step=2:kill", ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        report = self.check_goes_on(solution, 2)
        self.assertEqual(report["checkpoint"]["resumed_step"], self.STEP)

    def test_signals(self):
        self.configure()
        solution, _ = self.iterates()
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            with self.subTest(how=how.name):
                code, text = self.signalled(how)
                self.assertEqual(code, INTERRUPTED, text)
                self.assertIn("stopped by a signal, as asked, at step 100; the same command goes on",
                              text)
                self.assertEqual(self.report()["status"], "stopped")
                report = self.check_goes_on(solution)
                self.assertEqual(report["checkpoint"]["resumed_step"], 100)

    def test_a_limit_of_time_again_and_again(self):
        self.needs_faults()
        self.configure("bicgstab")
        solution, steps = self.iterates()
        stops = []
        while True:
            result = self.failing(at(30, "late"), "--set", f"checkpoint.time_limit={HOUR}")
            if result.code == SOLVED:
                break
            self.assertEqual(result.code, INTERRUPTED, result.text)
            found = re.search(r"stopped before checkpoint.time_limit at step (\d+);", result.err)
            self.assertTrue(found, result.err)
            stops.append(int(found[1]))
            self.assertLess(len(stops), steps)
        self.assertEqual(stops, list(range(30, steps, 30)))
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_an_interval(self):
        self.configure(interval=HOUR)
        result = self.failing(at(self.STEP, "late", "late"), ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 2)
        self.assertGreater(report["checkpoint"]["bytes"], 2 * 4 * 2 * 8 * 35**2)
        self.assertGreater(report["seconds"]["checkpoint"]["max"], 0)
        self.assertRegex(result.out, r"checkpoints +2 written")

    def test_other_ranks_and_preconditioners(self):
        for preconditioner, same in (("none", True), ("ic0", False)):
            self.configure(preconditioner=preconditioner)
            _, steps = self.iterates()
            with self.subTest(preconditioner):
                stop = steps // 2
                self.stopped(stop, 2)
                report = self.check_goes_on(None, 3, same=False)
                self.assertEqual(report["checkpoint"]["resumed_step"], stop)
                notes = [note for note in report["notes"] if "new recurrences begin with" in note]
                self.assertEqual(len(notes), 0 if same else 1, report["notes"])
                if not same:
                    self.assertIn("ic0 on hosts, 2 ranks, where this run has ic0 on hosts, 3 ranks",
                                  notes[0])
        self.stopped(stop)
        result = self.spsolve("c.yaml", "--set", "solve.preconditioner=jacobi")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("of the preconditioner ic0 on hosts, 1 rank, where this run has jacobi on hosts",
                      result.err)

    def test_what_does_not_fit_is_named(self):
        self.configure()
        self.stopped(self.STEP)
        for settings, words in (
                (("right_hand_side.columns=3",), "belongs to other right-hand sides"),
                (("solve.method=minres",), "belongs to solve.method=cg, not minres"),
                (("matrix.generate=grid2d:34",), "belongs to a matrix of order 1225, not 1156")):
            with self.subTest(words):
                words_of = [word for setting in settings for word in ("--set", setting)]
                result = self.spsolve("c.yaml", *words_of, "--set", "checkpoint.resume=require")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
                self.assertEqual(len(self.kept()), 1)
        self.check_goes_on(None, same=False)

    def test_auto_takes_what_it_takes_without_checkpoints(self):
        self.configure()
        auto = ("--set", "solve.method=auto", "--set", "solve.preconditioner=auto")
        for spec, sparse in (("grid2d:60", True), ("circuit:3000", True),
                             ("tridiagonal:5000", True), ("random_dense:60", False)):
            with self.subTest(spec):
                matrix = ("--set", f"matrix.generate={spec}")
                plain = self.spsolve("c.yaml", *auto, *matrix, "--set", "checkpoint.directory=")
                method = self.report()["method"]
                self.assertNotIn("no checkpoints are kept", plain.err)
                result = self.spsolve("c.yaml", *auto, *matrix)
                self.assertEqual(result.code, plain.code, result.text)
                report = self.report()
                self.assertEqual(report["method"], method)
                self.assertEqual(method.startswith("sparse_"), sparse)
                self.assertIn("checkpoint", report)
                self.assertNotIn("no checkpoints are kept", result.err)
                self.assertEqual(self.kept(), [])

    def test_what_auto_tries_by_iteration_is_kept(self):
        # Large enough for auto to take cg.
        self.configure()
        # By an analysis for many right-hand sides, which lies next to the checkpoint, and without
        # one for a single.
        for columns, kept in (("2", [".analysis", ".checkpoint"]), ("1", [".checkpoint"])):
            with self.subTest(columns):
                settings = ("--set", "solve.method=auto", "--set", "solve.preconditioner=auto",
                            "--set", f"right_hand_side.columns={columns}",
                            "--set", "matrix.generate=grid3d:40", "--set", "solve.condition=false")
                result = self.failing(at(4, "end"), *settings)
                self.assertEqual(result.code, INTERRUPTED, result.text)
                self.assertEqual(sorted(path.suffix for path in self.kept()), kept)
                result = self.spsolve("c.yaml", *settings)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertEqual(self.report()["method"], "cg")
                self.assertEqual(self.report()["checkpoint"]["resumed_step"], 4)
                self.assertEqual(self.kept(), [])

    def test_what_takes_the_place_of_an_iteration_keeps_nothing(self):
        self.configure()
        result = self.spsolve("c.yaml", "--set", "solve.method=auto", "--set",
                              "solve.preconditioner=jacobi", "--set", "matrix.generate=grid3d:40",
                              "--set", "solve.iterations=3", "--set", "solve.condition=false")
        self.assertEqual(result.code, SOLVED, result.text)
        notes = self.report()["notes"]
        self.assertTrue(any("auto took cg first, and eliminated after all" in note
                            for note in notes), notes)
        self.assertTrue(any(note == "sparse_cholesky keeps no checkpoints after an iteration" for note in notes), notes)

    def test_a_dry_run_and_a_check_know_of_them(self):
        self.configure()
        for words in ("--dry-run", "--check"):
            result = self.spsolve("c.yaml", words)
            self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.kept(), [])

    def test_a_folder_without_room(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        result = self.run_program("bash", "-c", f"ulimit -f 20; exec {BIN / 'spsolve'} c.yaml "
                                  "--set output.solution=",
                                  environment={"SPSOLVE_FAULT": at(self.STEP, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual((report["checkpoint"]["written"], report["checkpoint"]["failed"]), (0, 1))
        self.assertTrue(any("no checkpoint at step 40: " in note and "there is none yet" in note
                            for note in report["notes"]), report["notes"])


if __name__ == "__main__":
    unittest.main()
