"""Sparse eliminations that ranks share, which are stopped and go on.

Bits, and every place to stop at, are the matter of tests/mpi/checkpointed_team_elimination_test.cpp; here are
the ways of the program: signals, time, files, ranks that end."""

import re
import signal
import unittest

from checkpointed_runs import at, HOUR, SparseCheckpoint
from support import BIN, INPUT, INTERRUPTED, SOLVED

ALL = ", ranks: all"
# Until a checkpoint was written; the signal itself is forgotten with it.
WRITTEN = "rank=all:phase=checkpoint:step=1:save"


class CheckpointedOverRanks(SparseCheckpoint):
    def configure(self, matrix="grid3d:12", method="sparse_lu", interval=0):
        super().configure(matrix, method + ALL, interval)

    def test_the_same_command_goes_on_to_the_same_bits(self):
        for matrix, method, ranks in (("grid3d:12", "sparse_cholesky", 2),
                                      ("grid3d:12", "sparse_ldlt", 3),
                                      ("convdiff3d:12", "sparse_lu", 4),
                                      ("grid2d:60", "auto", 5),
                                      ("convdiff3d:12", "sparse_lu, precision: float", 2),
                                      ("convdiff3d:12", "sparse_lu, precision: mixed", 2)):
            with self.subTest(matrix, method=method, ranks=ranks):
                self.configure(matrix, method)
                solution = self.undisturbed(ranks)
                whole = self.report()
                self.assertEqual(whole["sparse"]["ranks"], ranks)
                for step in (1, 10):
                    self.stopped(step, ranks)
                    self.assertEqual(len(self.kept()), ranks)
                    self.assertEqual(len(self.analyses()), 1)
                result = self.spsolve("c.yaml", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertGreater(report["checkpoint"]["resumed_step"], 0)
                self.assertLess(report["backward_error"], 1e-5 if "float" in method else 1e-14)
                self.assertGreater(report["gflops"], 0)
                self.assertEqual(report["notes"], whole["notes"])
                self.assertEqual(self.solution(), solution)
                self.assertEqual(self.kept() + self.analyses(), [])

    def test_signals(self):
        self.configure()
        solution = self.undisturbed(2)
        code, text = self.signalled(signal.SIGUSR2, 2, 10)
        self.assertEqual(code, INTERRUPTED, text)
        self.assertEqual(len(re.findall(r"spsolve: stopped by a signal, as asked, at step "
                                        r"\d+ of 1728; the same command goes on from step",
                                        text)), 1, text)
        self.assertEqual(self.report()["status"], "stopped")
        self.check_goes_on(solution, 2)
        code, text = self.signalled(signal.SIGUSR1, 2, 10)
        self.assertEqual(code, SOLVED, text)
        self.assertEqual(self.report()["checkpoint"]["written"], 1)
        self.assertEqual(self.solution(), solution)

    def test_an_interval_and_a_limit(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        solution = self.undisturbed(2)
        result = self.failing(",".join((at(1, "late"), WRITTEN, at(1, "late"))), ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["checkpoint"]["written"], 2)
        self.assertEqual(self.solution(), solution)
        result = self.failing(at(10, "late"), "--set", f"checkpoint.time_limit={HOUR}", ranks=2)
        self.assertEqual(result.code, INTERRUPTED, result.text)
        self.assertIn("stopped before checkpoint.time_limit at step", result.err)
        self.check_goes_on(solution, 2)

    def test_a_rank_that_is_killed(self):
        self.configure("grid3d:16")
        solution = self.undisturbed(2)
        killed = self.failing(f"{at(1, 'save')},{WRITTEN},rank=1:phase=eliminate:step=1:kill",
                              ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        self.check_goes_on(solution, 2)

    def test_a_rank_that_is_killed_while_more_is_added(self):
        self.configure("grid3d:16")
        solution = self.undisturbed(2)
        self.stopped(10, 2)
        found = self.report()["failure"]["message"]
        killed = self.failing(at(1, "save") + ",rank=1:phase=checkpoint:step=1:kill", ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        report = self.check_goes_on(solution, 2)
        # Additions of the other rank are left out.
        self.assertIn(f"from step {report['checkpoint']['resumed_step']}, by its", found)

    def test_a_damaged_one_is_named_and_not_used(self):
        self.configure()
        solution = self.undisturbed(2)
        self.stopped(10, 2)
        newest = self.kept()[1]
        content = bytearray(newest.read_bytes())
        content[5000] ^= 1
        newest.write_bytes(content)
        required = self.spsolve("c.yaml", "--set", "checkpoint.resume=require", ranks=2)
        self.assertEqual(required.code, INPUT, required.text)
        self.assertIn("is damaged", required.err)
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertTrue(any(newest.name in note and "is damaged" in note and
                            note.endswith("; the elimination begins anew")
                            for note in self.report()["notes"]), self.report()["notes"])
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_on_another_number_of_ranks_it_begins_anew(self):
        self.configure()
        for before, after, words in ((2, 3, "is of a run by 2 ranks"),
                                     (1, 2, "is of a run by 1 rank;"),
                                     (2, 1, "is of a run by 2 ranks")):
            with self.subTest(before=before, after=after):
                solution = self.undisturbed(after)
                self.stopped(10, before)
                result = self.spsolve("c.yaml", ranks=after)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertNotIn("resumed_step", report["checkpoint"])
                self.assertTrue(any(words in note for note in report["notes"]), report["notes"])
                self.assertEqual(self.solution(), solution)
                self.assertEqual(self.kept(), [])

    def test_what_did_not_do_is_not_tried_again(self):
        """L D L^T took the place of L L^T; the threshold pivoting that takes its place is rank 0's
        alone, and is not kept."""
        self.write_without_diagonal(1e-30)
        self.configure("a.mtx", "auto, ordering: natural")
        solution = self.undisturbed(2)
        whole = self.report()
        self.assertEqual(sum("L D L^T instead" in note for note in whole["notes"]), 1)
        self.assertIn("threshold pivoting on rank 0 keeps no checkpoints", whole["notes"])
        for step in (1, 10):
            self.stopped(step, 2)
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertGreater(report["checkpoint"]["resumed_step"], 0)
        self.assertEqual(report["notes"], whole["notes"])
        self.assertEqual(self.solution(), solution)

    def test_files_may_not_grow(self):
        self.needs_faults()
        self.configure("grid3d:30", interval=HOUR)
        result = self.run_program(
            "mpirun", "--oversubscribe", "--bind-to", "none", "-np", 2,
            "bash", "-c", f"ulimit -f 12000; exec {BIN / 'spsolve'} c.yaml",
            environment={"SPSOLVE_FAULT": at(1000, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual((report["checkpoint"]["written"], report["checkpoint"]["failed"]), (0, 1))
        self.assertTrue(any("File too large" in note for note in report["notes"]), report["notes"])

    def test_rank_0_alone_keeps_none_and_says_so(self):
        super().configure()
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        notes = [note for note in self.report()["notes"] if "no checkpoints are kept" in note]
        self.assertEqual(len(notes), 1)
        self.assertIn("rank 0 eliminates alone, without checkpoints", notes[0])
        result = self.spsolve("c.yaml", "--set", "checkpoint.resume=require", ranks=2)
        self.assertEqual(result.code, INPUT, result.text)


if __name__ == "__main__":
    unittest.main()
