"""Eliminations that are stopped and go on: by signals, by time, with damaged files and full disks.

How the arithmetic goes on, and which files are good, is the matter of tests/mpi/checkpoint_test.cpp.
All of them stop at a step, by an injected fault or a time limit so short that one step is done. Krylov
methods are in solve/test_checkpointed_iterations.py."""

import re
import signal
import unittest

from checkpointed_runs import at, Checkpoint, HOUR, ORDER
from support import BIN, INPUT, INTERRUPTED, RESOURCES, SOLVED

ONE_STEP = ("--set", "checkpoint.time_limit=1")


class Signals(Checkpoint):
    def test_a_signal_stops_it_and_the_same_command_goes_on(self):
        self.configure()
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            for ranks in (1, 2):
                if ranks > 1 and how != signal.SIGUSR2:
                    continue  # mpirun takes those for itself
                with self.subTest(how=how.name, ranks=ranks):
                    solution = self.undisturbed(ranks)
                    code, text = self.signalled(how, ranks)
                    self.assertEqual(code, INTERRUPTED, text)
                    self.assertEqual(text.count("spsolve: stopped by a signal, as asked, at step 100 "
                                                f"of {ORDER}"), 1, text)
                    self.assertFalse((self.folder / "x.mtx").exists())
                    self.assertEqual(self.report()["status"], "stopped")
                    self.assertEqual(len(self.kept()), ranks)
                    report = self.check_goes_on(solution, ranks)
                    self.assertEqual(report["checkpoint"]["resumed_step"], 100)

    def test_other_numbers_of_ranks(self):
        for method, step in (("gauss", 100), ("lu", 3)):
            self.configure(method=method)
            for before, after in ((2, 3), (3, 2)):
                with self.subTest(method=method, before=before, after=after):
                    self.stopped(step, before)
                    self.check_goes_on(None, after, same=False)

    def test_the_rate_is_that_of_the_steps_that_were_left(self):
        for method, power, step in (("gauss_jordan", 2, 100), ("gauss", 3, 100), ("lu", 3, 3)):
            with self.subTest(method):
                self.configure(method=method)
                self.stopped(step)
                result = self.spsolve("c.yaml")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                left = 1 - report["checkpoint"]["resumed_step"] / ORDER
                self.assertTrue(0 < left < 1, left)
                flops = (1 if method == "gauss_jordan" else 2 / 3) * ORDER**3 * left**power
                seconds = report["seconds"]["eliminate"]["max"]
                self.assertAlmostEqual(report["gflops"] * seconds * 1e9 / flops, 1)

    def test_mixed_precision(self):
        self.configure(method="lu, precision: mixed")
        solution = self.undisturbed(2)
        self.stopped(3, 2)
        self.check_goes_on(solution, 2)

    def test_usr1_writes_one_and_goes_on(self):
        self.configure()
        solution = self.undisturbed(2)
        code, text = self.signalled(signal.SIGUSR1, 2)
        self.assertEqual(code, SOLVED, text)
        self.assertIn(f"checkpoint of step 100 of {ORDER}", text)
        report = self.report()["checkpoint"]
        self.assertEqual(report["written"], 1)
        self.assertEqual(report["failed"], 0)
        self.assertGreater(report["bytes"], 8 * ORDER**2)
        self.assertGreater(report["share"], 0)
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_without_a_folder_a_sentence_and_a_report_are_left(self):
        self.write("c.yaml", 'matrix: "random_dense:300"\nsolve: {method: gauss}\n'
                             'output: {solution: x.mtx, report: report.json}\n')
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            with self.subTest(how):
                code, text = self.signalled(how)
                self.assertEqual(code, -how, text)  # as a shell expects it
                said = ("spsolve: stopped by a signal before the end, as asked; nothing is kept: with "
                        "checkpoint.directory an elimination goes on where it was stopped")
                self.assertEqual(text.count(said), 1, text)
                report = self.report()
                self.assertEqual((report["status"], report["failure"]["exit_code"]),
                                 ("stopped", INTERRUPTED))
                self.assertFalse((self.folder / "x.mtx").exists())


class Time(Checkpoint):
    def goes_on_again_and_again(self, order, fault, *settings):
        """The steps at which runs with that limit stopped, until one solved it."""
        self.configure(order=order)
        solution = self.undisturbed()
        steps = []
        while len(steps) <= order:
            environment = {"SPSOLVE_FAULT": fault} if fault else {}
            result = self.spsolve("c.yaml", *settings, environment=environment)
            if result.code == SOLVED:
                break
            self.assertEqual(result.code, INTERRUPTED, result.text)
            found = re.search(rf"stopped before checkpoint.time_limit at step (\d+) of {order}",
                              result.err)
            self.assertTrue(found, result.err)
            steps.append(int(found[1]))
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.solution(), solution)
        return steps

    def test_a_limit_again_and_again(self):
        self.needs_faults()
        self.assertEqual(self.goes_on_again_and_again(
            ORDER, at(100, "late"), "--set", f"checkpoint.time_limit={HOUR}"), [100, 200, 300])

    def test_a_limit_that_is_too_short_for_anything(self):
        """The first run does one step all the same; the next one knows that none would get further."""
        self.configure()
        result = self.spsolve("c.yaml", *ONE_STEP)
        self.assertEqual(result.code, INTERRUPTED, result.text)
        kept = {path.name: path.read_bytes() for path in self.kept()}
        for ranks in (1, 2):
            result = self.spsolve("c.yaml", *ONE_STEP, ranks=ranks)
            self.assertEqual(result.code, RESOURCES, result.text)
            self.assertEqual(result.err.count("checkpoint.time_limit=1 leaves no time to eliminate in"),
                             1, result.err)
            self.assertEqual({path.name: path.read_bytes() for path in self.kept()}, kept)
        self.check_goes_on(None, same=False)

    def test_an_interval(self):
        self.configure(interval=HOUR)
        result = self.failing(at(100, "late", "late"), ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 2)
        self.assertGreater(report["seconds"]["checkpoint"]["max"], 0)
        self.assertIn("checkpoints", result.out)


class Files(Checkpoint):
    def setUp(self):
        super().setUp()
        self.configure()

    def leave_one(self):
        """A generation of one rank."""
        result = self.spsolve("c.yaml", *ONE_STEP)
        self.assertEqual(result.code, INTERRUPTED, result.text)

    def leave_two(self):
        """Two generations of one rank; the newest last."""
        self.leave_one()
        result = self.failing(at(50, "late"), "--set", f"checkpoint.time_limit={HOUR}")
        self.assertEqual(result.code, INTERRUPTED, result.text)
        self.assertEqual(len(self.kept()), 2)
        return self.kept()

    def test_a_damaged_one_is_named_and_the_one_before_used(self):
        solution = self.undisturbed()
        before, newest = self.leave_two()
        with open(newest, "r+b") as file:
            file.seek(5000)
            byte = file.read(1)
            file.seek(5000)
            file.write(bytes([byte[0] ^ 1]))
        report = self.check_goes_on(solution)
        self.assertIn(before.name, report["checkpoint"]["resumed_from"])
        notes = [note for note in report["notes"] if newest.name in note]
        self.assertEqual(len(notes), 1, report["notes"])
        self.assertIn("is damaged", notes[0])

    def test_require_says_what_is_wrong(self):
        result = self.spsolve("c.yaml", "--set", "checkpoint.resume=require", ranks=2)
        self.assertEqual(result.code, INPUT, result.text)
        self.assertEqual(result.err.count("holds no good checkpoint"), 1, result.err)
        self.leave_one()
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace("seed=3", "seed=4"))
        result = self.spsolve("d.yaml", "--set", "checkpoint.resume=require")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn(f"{self.kept()[-1].name}: belongs to another matrix", result.err)

    def test_runs_of_other_systems_share_a_folder(self):
        self.leave_one()
        theirs = self.kept()
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace(str(ORDER), "200"))
        result = self.spsolve("d.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn(f"belongs to a matrix of order {ORDER}, not 200", result.err)
        self.assertEqual(self.kept(), theirs)

    def test_a_folder_that_cannot_be_made(self):
        self.write("kept", "a file")
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertEqual(result.err.count("the folder of checkpoint.directory cannot be made"), 1,
                         result.err)

    def test_files_may_not_grow(self):
        """Beyond ulimit -f, as on a full disk: in words, and the solve goes on."""
        self.needs_faults()
        self.configure(order=1500, interval=HOUR)  # 18 MB; MPI needs some megabytes for itself
        result = self.run_program("bash", "-c", f"ulimit -f 12000; exec {BIN / 'spsolve'} c.yaml",
                                  environment={"SPSOLVE_FAULT": at(100, "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 0)
        self.assertEqual(report["checkpoint"]["failed"], 1)
        self.assertTrue(any("File too large" in note and "there is none yet" in note
                            for note in report["notes"]), report["notes"])
        self.assertEqual(self.kept(), [])

    def test_a_full_disk_keeps_the_older_one(self):
        self.needs_faults()
        self.configure(interval=HOUR)
        # Room for one of 1 MB, and not for the second.
        full = "mkdir -p kept && mount -t tmpfs -o size=1500k none kept && "
        if self.run_program("unshare", "-m", "bash", "-c", full + "true").code != 0:
            self.skipTest("this needs: unshare -m and mount")
        result = self.run_program(
            "unshare", "-m", "bash", "-c", full + f"{BIN / 'spsolve'} c.yaml "
            "; code=$?; ls -A kept | sed 's,^,left: ,'; exit $code",
            environment={"SPSOLVE_FAULT": at(100, "late", "late")})
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 1, report["notes"])
        self.assertTrue(any("No space left on device" in note and
                            re.search(r"the one of step \d+ stays", note)
                            for note in report["notes"]), report["notes"])
        self.assertNotIn("left: ", result.text)


class Kills(Checkpoint):
    def test_a_kill_loses_what_came_after_the_last_checkpoint(self):
        self.configure()
        solution = self.undisturbed()
        killed = self.failing(at(100, "save", "kill"))
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        self.write("kept/.stale", "not ours")
        temporary = self.kept()[-1].name
        self.write(f"kept/.{temporary}.1-1.tmp", "half a checkpoint")
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(self.report()["checkpoint"]["resumed_step"], 100)
        self.assertEqual(self.solution(), solution)
        self.assertEqual([path.name for path in self.kept()], [".stale"])

    def test_a_kill_while_it_is_written(self):
        self.configure()
        solution = self.undisturbed(2)
        self.stopped(100, 2)
        # The first checkpoint of the next run ends it, on rank 1 only, after a few pieces.
        killed = self.failing(at(100, "save") + ",rank=1:phase=checkpoint:step=2:kill", ranks=2)
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        report = self.check_goes_on(solution, 2)
        self.assertEqual(report["checkpoint"]["resumed_step"], 100)


if __name__ == "__main__":
    unittest.main()
