"""Sparse eliminations that are stopped and go on, front by front.

Bits and threads are the matter of tests/unit/sparse/checkpointed_elimination_test.cpp; here are the ways of
the program: signals, time, files."""

import re
import signal
import unittest

from checkpointed_runs import at, HOUR, SparseCheckpoint
from support import BIN, INPUT, INTERRUPTED, SOLVED


class CheckpointedSparse(SparseCheckpoint):
    def test_the_same_command_goes_on_to_the_same_bits(self):
        for matrix, method in (("grid3d:12", "sparse_cholesky"), ("grid3d:12", "sparse_ldlt"),
                               ("convdiff3d:12", "sparse_lu"), ("circuit:3000", "sparse_lu"),
                               ("grid2d:60", "auto"),
                               ("convdiff3d:12", "sparse_lu, precision: float"),
                               ("convdiff3d:12", "sparse_lu, precision: mixed")):
            with self.subTest(matrix, method=method):
                self.configure(matrix, method)
                solution = self.undisturbed()
                for step in (20, 30):
                    self.stopped(step)
                    self.assertEqual(len(self.kept()), 1)
                    self.assertEqual(len(self.analyses()), 1)
                precise = "float" not in method
                result = self.spsolve("c.yaml")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertGreater(report["checkpoint"]["resumed_step"], 0)
                self.assertLess(report["backward_error"], 1e-14 if precise else 1e-5)
                self.assertGreater(report["gflops"], 0)
                self.assertEqual(self.solution(), solution)
                self.assertEqual(self.kept() + self.analyses(), [])

    def test_what_did_not_do_is_not_tried_again(self):
        """Within threshold pivoting, which came in the place of L D L^T, which came in the place of
        L L^T where there is a diagonal."""
        for diagonal, changes in ((None, 0), (1e-30, 1)):
            with self.subTest(diagonal=diagonal):
                self.write_without_diagonal(diagonal)
                self.configure("a.mtx", "auto, ordering: natural")
                solution = self.undisturbed()
                whole = self.report()
                fronts = whole["sparse"]["fronts"]
                again = [note for note in whole["notes"] if "eliminated again" in note]
                self.assertEqual(len(again), 1, whole["notes"])
                self.assertEqual(sum("L D L^T instead" in note for note in whole["notes"]), changes)
                self.assertGreater(whole["sparse"]["gmres_steps"], 0)
                stopped = []
                # After fronts of the first factors, in threshold pivoting, and there again.
                for step in (fronts // 2, fronts + 10, 5):
                    self.stopped(step)
                    stopped.append(self.report()["failure"]["message"])
                result = self.spsolve("c.yaml")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertIn(f"at step {report['checkpoint']['resumed_step']} of", stopped[-1])
                self.assertEqual(self.solution(), solution)
                ignored = ("analysis_seconds", "seconds")
                self.assertEqual({key: value for key, value in report["sparse"].items()
                                  if key not in ignored},
                                 {key: value for key, value in whole["sparse"].items()
                                  if key not in ignored})
                self.assertEqual([note for note in report["notes"] if note in whole["notes"]],
                                 whole["notes"])

    def test_signals(self):
        self.configure()
        solution = self.undisturbed()
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            with self.subTest(how=how.name):
                code, text = self.signalled(how)
                self.assertEqual(code, INTERRUPTED, text)
                self.assertEqual(len(re.findall(r"spsolve: stopped by a signal, as asked, at step "
                                                r"\d+ of 1728; the same command goes on from step",
                                                text)), 1, text)
                self.assertEqual(self.report()["status"], "stopped")
                self.check_goes_on(solution)
        code, text = self.signalled(signal.SIGUSR1)
        self.assertEqual(code, SOLVED, text)
        self.assertEqual(self.report()["checkpoint"]["written"], 1)
        self.assertEqual(self.solution(), solution)

    def test_an_interval_and_a_limit(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        solution = self.undisturbed()
        result = self.failing(at(20, "late", "late"))
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["checkpoint"]["written"], 2)
        self.assertEqual(self.solution(), solution)
        limit = ("--set", f"checkpoint.time_limit={HOUR}")
        result = self.failing(at(20, "late"), *limit)
        self.assertEqual(result.code, INTERRUPTED, result.text)
        self.assertIn("stopped before checkpoint.time_limit at step", result.err)
        self.check_goes_on(solution)

    def test_more_and_fewer_threads(self):
        self.configure("convdiff3d:16")
        solution = self.undisturbed()
        for before, after in ((1, 2), (2, 1)):
            self.needs_faults()
            result = self.spsolve("c.yaml", environment={"SPSOLVE_FAULT": at(50, "end"),
                                                         "OMP_NUM_THREADS": str(before)})
            self.assertEqual(result.code, INTERRUPTED, result.text)
            result = self.spsolve("c.yaml", environment={"OMP_NUM_THREADS": str(after)})
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertGreater(self.report()["checkpoint"]["resumed_step"], 0)
            self.assertEqual(self.solution(), solution)

    def test_the_analysis_is_made_once(self):
        self.configure("grid3d:16")
        solution = self.undisturbed()
        self.stopped(20)
        kept, = self.analyses()
        before = kept.read_bytes()
        self.stopped(20)
        self.assertEqual(kept.read_bytes(), before)  # which tells how long it took
        # One that is damaged is made anew, in the same order.
        kept.write_bytes(before[:5000] + bytes([before[5000] ^ 1]) + before[5001:])
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("the analysis is made anew", result.err)
        self.assertGreater(self.report()["checkpoint"]["resumed_step"], 0)
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.analyses(), [])

    def test_a_damaged_one_is_named_and_not_used(self):
        self.configure()
        solution = self.undisturbed()
        self.stopped(30)
        newest, = self.kept()
        content = bytearray(newest.read_bytes())
        content[5000] ^= 1
        newest.write_bytes(content)
        required = self.spsolve("c.yaml", "--set", "checkpoint.resume=require")
        self.assertEqual(required.code, INPUT, required.text)
        self.assertIn("is damaged", required.err)
        self.assertNotIn("anew", required.err)
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertNotIn("resumed_step", report["checkpoint"])
        self.assertTrue(any(newest.name in note and "is damaged" in note and
                            note.endswith("; the elimination begins anew")
                            for note in report["notes"]), report["notes"])
        self.assertEqual(self.solution(), solution)

    def test_others_are_named_and_left(self):
        self.configure()
        self.stopped(30)
        for setting, words in (("matrix.generate=convdiff3d:12", "belongs to another matrix"),
                               ("matrix.generate=grid3d:11", "of order 1728, not 1331"),
                               ("solve.method=sparse_ldlt", "belongs to solve.method=sparse_lu"),
                               ("solve.ordering=rcm", "belongs to an elimination in another order")):
            with self.subTest(setting):
                result = self.spsolve("c.yaml", "--set", setting, "--set",
                                      "checkpoint.resume=require")
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
                self.assertEqual(len(self.kept()), 1)
        never = self.spsolve("c.yaml", "--set", "checkpoint.resume=never")
        self.assertEqual(never.code, SOLVED, never.text)
        self.assertNotIn("resumed_step", self.report()["checkpoint"])

    def test_a_kill_while_more_is_added(self):
        self.configure("grid3d:16")
        solution = self.undisturbed()
        self.stopped(30)
        there = self.kept()[0].stat().st_size
        killed = self.failing(at(60, "save") + ",rank=all:phase=checkpoint:step=1:kill")
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        self.assertGreaterEqual(self.kept()[0].stat().st_size, there)
        self.check_goes_on(solution)

    def test_files_may_not_grow(self):
        self.needs_faults()
        self.configure("grid3d:30", interval=HOUR)
        result = self.run_program("bash", "-c", f"ulimit -f 12000; exec {BIN / 'spsolve'} c.yaml",
                                  environment={"SPSOLVE_FAULT": at(1000, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual((report["checkpoint"]["written"], report["checkpoint"]["failed"]), (0, 1))
        self.assertTrue(any("File too large" in note for note in report["notes"]), report["notes"])


if __name__ == "__main__":
    unittest.main()
