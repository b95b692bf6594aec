"""Eliminations that are stopped and go on: by signals, by time, with damaged files and full disks.

How the arithmetic goes on, and which files are good, is the matter of tests/mpi/checkpoint_test.cpp."""

import re
import signal
import subprocess
import time
import unittest

from support import BIN, CliTest, INPUT, INTERRUPTED, RESOURCES, SOLVED, injects, variables

# Long enough to be met by a signal, whatever else the machine does: columns are many short steps.
SYSTEM = """
matrix: "random_dense:{order}:seed=3"
right_hand_side: {{kind: random, columns: 2}}
solve: {{method: {method}}}
output: {{solution: x.mtx, report: report.json, progress: off}}
checkpoint: {{directory: kept, interval: {interval}}}
"""
TIME_LIMIT = 120


class Checkpoint(CliTest):
    def configure(self, order=1000, method="gauss", interval=0):
        self.write("c.yaml", SYSTEM.format(order=order, method=method, interval=interval))

    def kept(self):
        folder = self.folder / "kept"
        return sorted(folder.iterdir()) if folder.exists() else []

    def solution(self):
        return (self.folder / "x.mtx").read_bytes()

    def start(self, *settings, ranks=1):
        """The launched program, in the background; of one rank, itself."""
        command = [BIN / "spsolve", "c.yaml", *settings]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks, *command]
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder,
                                   env=variables(), stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()

    def wait_for(self, words, process):
        """Until the log tells of them."""
        text = ""
        for line in process.stdout:
            text += line
            if words in line:
                return text
        self.fail(f"it ended without a word of '{words}': {text}")

    def start_to_eliminate(self, *settings, ranks=1):
        """The same as start(), a few steps of the elimination later."""
        process = self.start("-v", *settings, ranks=ranks)
        self.wait_for(" eliminate", process)
        time.sleep(0.2)
        return process

    def check_goes_on(self, undisturbed, ranks=1, same=True):
        result = self.spsolve("c.yaml", ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertGreater(report["checkpoint"]["resumed_step"], 0)
        self.assertRegex(report["checkpoint"]["resumed_from"], r"kept/spsolve-.*\.checkpoint")
        self.assertLess(report["backward_error"], 1e-14)
        self.assertEqual(self.kept(), [])
        if same:
            self.assertEqual(self.solution(), undisturbed)
        return report

    def undisturbed(self, ranks=1):
        """The solution of a run without a break; nothing is left of it."""
        result = self.spsolve("c.yaml", ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertNotIn("resumed_step", report["checkpoint"])
        self.assertEqual(self.kept(), [])
        solution = self.solution()
        (self.folder / "x.mtx").unlink()
        return solution

    def stopped(self, how, ranks=1, settings=()):
        """Sends the signal to an elimination on its way; (code, words)."""
        process = self.start_to_eliminate(*settings, ranks=ranks)
        process.send_signal(how)
        text = process.communicate(timeout=TIME_LIMIT)[0]
        return process.returncode, text


class Signals(Checkpoint):
    def test_a_signal_stops_it_and_the_same_command_goes_on(self):
        self.configure(order=2400)
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            for ranks in (1, 2):
                if ranks > 1 and how != signal.SIGUSR2:
                    continue  # mpirun takes those for itself
                with self.subTest(how=how.name, ranks=ranks):
                    solution = self.undisturbed(ranks)
                    code, text = self.stopped(how, ranks)
                    self.assertEqual(code, INTERRUPTED, text)
                    self.assertEqual(text.count("spsolve: stopped by a signal, as asked, at step"),
                                     1, text)
                    self.assertFalse((self.folder / "x.mtx").exists())
                    self.assertEqual(self.report()["status"], "stopped")
                    self.assertEqual(len(self.kept()) % ranks, 0)
                    self.check_goes_on(solution, ranks)

    def test_other_numbers_of_ranks(self):
        for method in ("gauss", "lu"):
            # lu is so much faster that only a long one can be met.
            self.configure(order=2400 if method == "gauss" else 5000, method=method)
            for before, after in ((2, 3), (3, 2)):
                with self.subTest(method=method, before=before, after=after):
                    code, text = self.stopped(signal.SIGUSR2, before)
                    self.assertEqual(code, INTERRUPTED, text)
                    self.check_goes_on(None, after, same=False)

    def test_mixed_precision(self):
        self.configure(order=5000, method="lu")
        self.write("c.yaml", (self.folder / "c.yaml").read_text().replace(
            "method: lu", "method: lu, precision: mixed"))
        solution = self.undisturbed(2)
        code, text = self.stopped(signal.SIGUSR2, 2)
        self.assertEqual(code, INTERRUPTED, text)
        self.check_goes_on(solution, 2)

    def test_usr1_writes_one_and_goes_on(self):
        self.configure(order=2400)
        solution = self.undisturbed(2)
        process = self.start_to_eliminate(ranks=2)
        process.send_signal(signal.SIGUSR1)
        text = self.wait_for("checkpoint of step", process)
        text += process.communicate(timeout=TIME_LIMIT)[0]
        self.assertEqual(process.returncode, SOLVED, text)
        report = self.report()["checkpoint"]
        self.assertEqual(report["written"], 1)
        self.assertEqual(report["failed"], 0)
        self.assertGreater(report["bytes"], 8 * 2400**2)
        self.assertGreater(report["share"], 0)
        self.assertEqual(self.solution(), solution)
        self.assertEqual(self.kept(), [])

    def test_without_a_folder_signals_mean_what_they_always_do(self):
        self.write("c.yaml", 'matrix: "random_dense:3000"\nsolve: {method: gauss}\n')
        process = self.start_to_eliminate()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, -signal.SIGTERM)


class Time(Checkpoint):
    def test_a_limit_again_and_again(self):
        self.configure(order=3200)
        solution = self.undisturbed()
        steps = [0]
        for _ in range(60):
            result = self.spsolve("c.yaml", "--set", "checkpoint.time_limit=3")
            if result.code == SOLVED:
                break
            self.assertEqual(result.code, INTERRUPTED, result.text)
            found = re.search(r"stopped before checkpoint.time_limit at step (\d+) of 3200", result.err)
            self.assertTrue(found, result.err)
            steps.append(int(found[1]))
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertGreater(len(steps), 1)
        self.assertEqual(steps, sorted(set(steps)), "every run does a part")
        self.assertEqual(self.solution(), solution)

    def test_an_interval(self):
        self.configure(order=4000, interval=1)
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertGreaterEqual(report["checkpoint"]["written"], 1)
        self.assertGreater(report["seconds"]["checkpoint"]["max"], 0)
        self.assertIn("checkpoints", result.out)


class Files(Checkpoint):
    def setUp(self):
        super().setUp()
        self.configure(order=2400)

    def leave_two(self):
        """Two generations of one rank; the newest last."""
        for _ in range(2):
            code, text = self.stopped(signal.SIGUSR2)
            self.assertEqual(code, INTERRUPTED, text)
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
        code, text = self.stopped(signal.SIGUSR2)
        self.assertEqual(code, INTERRUPTED, text)
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace("seed=3", "seed=4"))
        result = self.spsolve("d.yaml", "--set", "checkpoint.resume=require")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn(f"{self.kept()[-1].name}: belongs to another matrix", result.err)

    def test_runs_of_other_systems_share_a_folder(self):
        code, text = self.stopped(signal.SIGUSR2)
        self.assertEqual(code, INTERRUPTED, text)
        theirs = self.kept()
        self.write("d.yaml", (self.folder / "c.yaml").read_text().replace("2400", "200"))
        result = self.spsolve("d.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("belongs to a matrix of order 2400, not 200", result.err)
        self.assertEqual(self.kept(), theirs)

    def test_a_folder_that_cannot_be_made(self):
        self.write("kept", "a file")
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertEqual(result.err.count("the folder of checkpoint.directory cannot be made"), 1,
                         result.err)

    def test_files_may_not_grow(self):
        """Beyond ulimit -f, as on a full disk: in words, and the solve goes on."""
        self.configure(order=2500, interval=1)  # 50 MB; MPI needs some megabytes for itself
        result = self.run_program("bash", "-c", f"ulimit -f 12000; exec {BIN / 'spsolve'} c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 0)
        self.assertGreaterEqual(report["checkpoint"]["failed"], 1)
        self.assertTrue(any("File too large" in note and "there is none yet" in note
                            for note in report["notes"]), report["notes"])
        self.assertEqual(self.kept(), [])

    def test_a_full_disk_keeps_the_older_one(self):
        self.configure(order=4000, interval=1)
        full = "mkdir -p kept && mount -t tmpfs -o size=200m none kept && "
        if self.run_program("unshare", "-m", "bash", "-c", full + "true").code != 0:
            self.skipTest("this needs: unshare -m and mount")
        # Room for one of 128 MB, and not for the second. It waits for nothing, but takes 6 s of a
        # processor or more, and seconds must pass between the two: a busy machine gets its time.
        result = self.run_program(
            "unshare", "-m", "bash", "-c", full + f"{BIN / 'spsolve'} c.yaml "
            "; code=$?; ls -A kept | sed 's,^,left: ,'; exit $code", timeout=600)
        self.assertEqual(result.code, SOLVED, result.text)
        report = self.report()
        self.assertEqual(report["checkpoint"]["written"], 1, report["notes"])
        self.assertTrue(any("No space left on device" in note and
                            re.search(r"the one of step \d+ stays", note)
                            for note in report["notes"]), report["notes"])
        self.assertNotIn("left: ", result.text)


class Kills(Checkpoint):
    def test_a_kill_loses_what_came_after_the_last_checkpoint(self):
        self.configure(order=2400)
        solution = self.undisturbed()
        process = self.start_to_eliminate()
        process.send_signal(signal.SIGUSR1)
        self.wait_for("checkpoint of step", process)
        process.kill()
        process.communicate(timeout=TIME_LIMIT)
        self.write("kept/.stale", "not ours")
        temporary = self.kept()[-1].name
        self.write(f"kept/.{temporary}.1-1.tmp", "half a checkpoint")
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertGreater(self.report()["checkpoint"]["resumed_step"], 0)
        self.assertEqual(self.solution(), solution)
        self.assertEqual([path.name for path in self.kept()], [".stale"])

    def test_a_kill_while_it_is_written(self):
        if not injects():
            self.skipTest("this spsolve is built without SPSOLVE_FAULTS")
        self.configure(order=4000)
        solution = self.undisturbed(2)
        code, text = self.stopped(signal.SIGUSR2, 2)
        self.assertEqual(code, INTERRUPTED, text)
        # The first checkpoint of the next run ends it, on rank 1 only, behind a few pieces.
        killed = self.spsolve("c.yaml", "--set", "checkpoint.interval=1", ranks=2,
                              environment={"SPSOLVE_FAULT": "rank=1:phase=checkpoint:step=3:kill"})
        self.assertEqual(killed.code, 128 + signal.SIGKILL, killed.text)
        self.check_goes_on(solution, 2)


if __name__ == "__main__":
    unittest.main()
