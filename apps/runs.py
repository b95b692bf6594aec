"""The common part of scripts that measure: runs of spsolve, contests, tables, complaints."""

import argparse
import csv
import json
import os
import pathlib
import resource
import shlex
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
INPUT, RESOURCES = 2, 3


class Complaint(Exception):
    """One sentence for the user, and the exit code."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def ended(run):
    """The exit code of a script after run()."""
    try:
        run()
    except Complaint as complaint:
        print(f"{pathlib.Path(sys.argv[0]).name}: {complaint}", file=sys.stderr)
        return complaint.code
    except BrokenPipeError:  # whoever reads the table has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


class Runs:
    """Whole runs of spsolve, one after the other; `launcher`: words before its own, as of mpirun."""

    def __init__(self, program, launcher=""):
        if not pathlib.Path(program).exists():
            raise Complaint(INPUT, f"{program} is missing; build it, or name it by --spsolve")
        self.program = program
        self.launcher = shlex.split(launcher)
        if self.launcher and shutil.which(self.launcher[0]) is None:
            raise Complaint(INPUT, f"there is no {self.launcher[0]} in PATH; see --launcher")
        self.folder = tempfile.TemporaryDirectory()
        self.report = pathlib.Path(self.folder.name) / "report.json"

    def run(self, matrix, method, limit, settings=()):
        """Seconds of the processor, and what the report says."""
        self.report.unlink(missing_ok=True)
        words = [*self.launcher, str(self.program), str(matrix), "--method", method]
        words += ["--threads", "1", "--quiet", "--report", str(self.report)]
        words += ["--set", "output.progress=off"]
        for setting in settings:
            words += ["--set", setting]
        process = os.fork()
        if process == 0:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            seconds = max(1, int(limit + 1))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            try:
                os.execvpe(words[0], words,
                           dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
            finally:
                os._exit(127)  # without what the parent does at its end
        _, _, usage = os.wait4(process, 0)
        said = json.loads(self.report.read_text()) if self.report.exists() else {}
        return usage.ru_utime + usage.ru_stime, said


def matrices_of(options):
    named = list(options.matrix)
    if options.matrices:
        files = sorted(pathlib.Path(options.matrices).glob("*.mtx"), key=lambda f: f.stat().st_size)
        named += [str(file) for file in files if file.stat().st_size <= options.largest]
    return named


def compete(ways, rounds, clock=time.perf_counter, before=lambda name: None):
    """Seconds of every way in each round: all take turns, in the opposite order of the round before, so
    that a machine that others use, too, is as slow for each of them."""
    times = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways) if number % 2 == 0 else reversed(ways):
            before(name)
            start = clock()
            ways[name]()
            times[name].append(clock() - start)
    return times


def script_parser(description, csv_help="the table as CSV, too"):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    if csv_help:
        parser.add_argument("--csv", metavar="FILE", help=csv_help)
    return parser


def parser_of_runs(description, limit, largest=None):
    """The options of scripts that run spsolve on matrices."""
    parser = script_parser(description)
    parser.add_argument("matrix", nargs="*", help="files and generators")
    if largest:
        parser.add_argument("--matrices", metavar="FOLDER", help="all .mtx files of a folder, too")
        parser.add_argument("--largest", type=int, default=largest, metavar="BYTES",
                            help=f"file of --matrices (default: {largest})")
    parser.add_argument("--spsolve", metavar="FILE", default=ROOT / "build" / "bin" / "spsolve")
    parser.add_argument("--limit", type=float, default=limit, metavar="SECONDS",
                        help=f"of the processor, for a run (default: {limit})")
    parser.add_argument("--launcher", default="", metavar="WORDS",
                        help="before spsolve's own, as \"mpirun -np 2\" (default: none)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="of every run, as spsolve has it; repeatable")
    return parser


def write_csv(path, rows):
    """Writes rows, the header first, where there is a path."""
    if not path:
        return
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    except OSError as error:
        raise Complaint(RESOURCES, f"{path}: {error.strerror}") from error


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
