#!/usr/bin/env python3
"""How methods bear a busy machine: seconds of eliminations and iterations, with so many processes
beside them that compute without end, compared with other direct solvers that are beset alike.

    apps/busy.py grid2d:300 convdiff3d:20 kkt:30000 --busy 0,2,8 --csv busy.csv

For each number of busy processes spbench measures all contenders in turns: methods by spbench
eliminate with its peers (PARDISO needs MKL_RT, see spbench eliminate --help) and by spbench iterate,
with --threads and with one thread. A row has the median of the seconds of all phases for each number,
the worst of them over none, and at the largest number over one thread beside as many.
"""

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time

from runs import INPUT, ROOT, Complaint, ended, read_csv, script_parser, write_csv


@contextlib.contextmanager
def busy_processes(count):
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.3 if count else 0)  # until they run
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


class Bench:
    """Seconds by contender, of spbench."""

    def __init__(self, options):
        self.options = options
        if not pathlib.Path(options.spbench).exists():
            raise Complaint(INPUT, f"{options.spbench} is missing; build it, or name it by --spbench")

    def measure(self, what, matrix, threads, *words):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "rows.csv"
            process = subprocess.run(
                [str(self.options.spbench), what, "--matrix", matrix, "--samples",
                 str(self.options.samples), "--threads", str(threads), "--csv", str(table), *words],
                text=True, check=False, stdin=subprocess.DEVNULL, capture_output=True)
            if not table.exists():
                raise Complaint(INPUT, process.stderr.strip().splitlines()[-1])
            return {row["contender"]: float(row["total_s"]) for row in read_csv(table)
                    if row["total_s"]}

    def all(self, matrix, threads):
        options = self.options
        found = self.measure("eliminate", matrix, threads, "--methods", options.eliminations,
                             "--peers", options.peers)
        if options.iterations != "none":
            found |= self.measure("iterate", matrix, threads, "--methods", options.iterations,
                                  "--peers", "none", "--no-triad")
        return found


def parse():
    parser = script_parser(__doc__)
    parser.add_argument("matrix", nargs="+", help="files and generators")
    parser.add_argument("--spbench", metavar="FILE", default=ROOT / "build" / "bin" / "spbench")
    parser.add_argument("--busy", metavar="N,N", default="0,1,2,4,8",
                        type=lambda text: [int(part) for part in text.split(",")],
                        help="processes beside (default: 0,1,2,4,8)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=9, help="rounds (default: 9)")
    parser.add_argument("--eliminations", metavar="NAMES", default="auto",
                        help="methods of spbench eliminate (default: auto)")
    parser.add_argument("--iterations", metavar="NAMES", default="none",
                        help="methods of spbench iterate (default: none)")
    parser.add_argument("--peers", metavar="NAMES", default="umfpack,pardiso",
                        help="of spbench eliminate (default: umfpack,pardiso)")
    return parser.parse_args()


def main():
    options = parse()
    bench = Bench(options)
    columns = ["matrix", "contender", "threads", *map(str, options.busy), "most / first",
               "last / one thread"]
    rows = [columns]
    for line in (columns, ["---"] * len(columns)):
        print(f"| {' | '.join(line)} |", flush=True)
    for matrix in options.matrix:
        counts = list(dict.fromkeys((options.threads, 1)))
        seconds = {threads: [] for threads in counts}  # by threads, of each number beside
        for busy in options.busy:
            with busy_processes(busy):
                for threads in counts:
                    seconds[threads].append(bench.all(matrix, threads))
        alone = seconds[1][-1]
        for threads in counts:
            for contender in seconds[threads][0]:
                times = [found.get(contender, float("nan")) for found in seconds[threads]]
                over_one = times[-1] / alone[contender] if contender in alone else float("nan")
                rows.append([matrix, contender, str(threads), *(f"{time:.4f}" for time in times),
                             f"{max(times) / times[0]:.2f}", f"{over_one:.2f}"])
                print(f"| {' | '.join(rows[-1])} |", flush=True)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    sys.exit(ended(main))
