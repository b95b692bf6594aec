#!/usr/bin/env python3
"""Makes the tables of the published systems that spsolve brings together, one command each:

    apps/reproduce.py elimination --matrices FOLDER   Fencel 2020: seconds and L2 error of gauss
    apps/reproduce.py colours --matrices FOLDER       Fencel 2020: colours, bytes of formats
    apps/reproduce.py symmetric --matrices FOLDER     Fencel 2020: seconds by threads and precision
    apps/reproduce.py tiles                           Boukara, Cicala: dense products by tile
    apps/reproduce.py spmm --matrices FOLDER          Capotombolo, Zarrelli 2023: kernels by K

FOLDER holds Matrix Market files (NAME.mtx or NAME.mtx.gz) of the SuiteSparse collection. What is not
there is said in its row; an elimination is then measured on a random matrix of the same order. GPUs
are measured where there are some. Orders above --largest (elimination) are not measured on hosts. The
names of `spmm` are of SuiteSparse, as courses hand them out; --names takes others. plot.py draws what
--csv writes.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from runs import INPUT, Complaint, ended, read_csv, script_parser, write_csv

HERE = pathlib.Path(__file__).resolve().parent


def own_programs():
    """The programs that belong to this file: those of its build, or of the prefix it lies in."""
    built = HERE.parent / "build" / "bin"
    installed = [folder / "bin" for folder in HERE.parents if (folder / "bin" / "spbench").exists()]
    return installed[0] if installed and not built.is_dir() else built


# Name, order, and the published seconds: 1 core, 1 P100, 2 P100 by MPI, all with pivoting.
ELIMINATIONS = (("662_bus", 662, "0.050", "0.120", "0.140"),
                ("msc01050", 1050, "0.164", "0.210", "0.254"),
                ("comsol", 1500, "0.465", "0.412", "0.438"),
                ("heart1", 3557, "13.147", "2.204", "2.042"),
                ("s3rmt3m3", 5357, "47.066", "5.496", "4.916"),
                ("fp", 7548, "134.573", "17.020", "11.630"),
                ("ship_001", 34920, "-", "1354.717", "816.638"))

# Name, published colours, and seconds on a V100 in double: ELLPACK, atomic, coloured.
SYMMETRIC = (("crankseg_2", "3423", "0.00221", "0.00038", "0.57573"),
             ("ecology1", "4", "0.00013", "0.00012", "0.00039"),
             ("thermal2", "12", "0.00022", "0.00030", "0.00275"),
             ("G3_circuit", "4", "0.00019", "0.00018", "0.00060"),
             ("kkt_power", "106", "0.00053", "0.00050", "0.00702"))

# Seconds and speeds of the paper at order 10000, GFLOP/s.
TILES = ((2, "4.67"), (4, ""), (8, ""), (16, ""), (32, "179"))

SPMM = ("cage4", "mhda416", "mcfe", "olm1000", "adder_dcop_32", "west2021", "cavity10", "rdist2",
        "cant", "olafu", "Cube_Coup_dt0", "ML_Laplace", "bcsstk17", "mac_econ_fwd500", "mhd4800a",
        "cop20k_A", "raefsky2", "af23560", "lung2", "PR02R", "FEM_3D_thermal1", "thermal1",
        "thermal2", "thermomech_TK", "nlpkkt80", "webbase-1M", "dc1", "amazon0302", "af_1_k101",
        "roadNet-PA")
SPMM_KERNELS = ("csr_serial", "csr_openmp", "ellpack_serial", "ellpack_openmp", "csr_scalar_1",
                "csr_scalar_2", "csr_scalar_3", "csr_vector", "csr_vector_subwarp", "csr_adaptive",
                "csr_vector_by_row", "csr_adaptive_subblocks", "ellpack", "ellpack_subwarp")


class Programs:
    """The built programs, and what they say."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("spsolve", "spbench", "spmtx"):
            if not (self.folder / name).exists():
                raise Complaint(INPUT, f"{self.folder / name} is missing; build it, or name its "
                                       "folder by --bin")
        self.kernels, self.gpus = self.listed()

    def run(self, *command):
        return subprocess.run([str(word) for word in command], text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def listed(self):
        lines = self.run(self.folder / "spbench", "--list-kernels").stdout.splitlines()
        kernels = {(words[1], words[0]) for words in map(str.split, lines) if len(words) > 2}
        gpus = any(device == "cuda" for device, _ in kernels) and \
            not any(line.startswith("no GPU") for line in lines)
        return kernels, gpus

    def kernels_here(self, names):
        """Those of the names that can be measured, with commas between."""
        return ",".join(name for name in names if ("host", name) in self.kernels or
                        (self.gpus and ("cuda", name) in self.kernels))

    def products(self, matrix, *words):
        """Rows of `spbench multiply`; one without figures where there are none, with the reason."""
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "rows.csv"
            process = self.run(self.folder / "spbench", "multiply", "--triad", -1, "--csv", table,
                               "--matrix", matrix, *words)
            return read_csv(table) if table.exists() else [nothing(reason(process))]


def nothing(why):
    """A row of which no more is known."""
    return collections.defaultdict(str, refused=why)


def reason(process):
    lines = process.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {process.returncode}"


def matrix_file(folder, name):
    for ending in (".mtx", ".mtx.gz"):
        path = pathlib.Path(folder or ".") / (name + ending)
        if path.exists():
            return path
    return None


def missing(name):
    return f"{name}.mtx is missing"


# --- tables: the cells that rows have, by the words of the header; others are empty


def elimination(programs, options):
    processors = len(os.sched_getaffinity(0))
    for name, order, *published in ELIMINATIONS:
        path = matrix_file(options.matrices, name)
        remark = "" if path else missing(name) + f": random_dense:{order} in its place"
        places = [("1 core", 1, 1, published[0]), (f"{processors} threads", processors, 1, "")]
        if programs.gpus:
            places += [("1 GPU", 1, 1, published[1]), ("2 GPUs", 1, 2, published[2])]
        for place, threads, ranks, expected in places:
            row = {"matrix": name, "n": order, "on": place, "published": expected}
            on_gpu = "GPU" in place
            if not on_gpu and order > options.largest:
                yield dict(row, remark=f"above --largest {options.largest}")
                continue
            found = eliminate(programs, path or f"random_dense:{order}", threads, ranks, on_gpu)
            yield {**row, **found, "remark": "; ".join(filter(None, (remark, found["remark"])))}
        if not programs.gpus:
            yield {"matrix": name, "n": order, "on": "1 GPU, 2 GPUs",
                   "published": " / ".join(published[1:]), "remark": "no GPU here"}


def eliminate(programs, matrix, threads, ranks, on_gpu):
    """Seconds of the elimination, L2 and backward error, and what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        report = folder / "report.json"
        (folder / "c.yaml").write_text(
            f'matrix: "{matrix}"\nsolve: {{method: gauss, pivoting: partial, ranks: all}}\n'
            f'device: {"cuda" if on_gpu else "host"}\nthreads: {threads}\n'
            f'output: {{report: "{report}", progress: off}}\n')
        launcher = ["mpirun", "--bind-to", "none", "-np", ranks] if ranks > 1 else []
        process = programs.run(*launcher, programs.folder / "spsolve", folder / "c.yaml", "--quiet")
        said = json.loads(report.read_text()) if report.exists() else {}
        if "backward_error" not in said:
            return {"remark": reason(process)}
        return {"seconds": f"{said['seconds']['eliminate']['max']:.4f}",
                "L2 error": f"{said['squared_error']:.3f}",
                "backward error": f"{said['backward_error']:.1e}",
                "remark": "" if process.returncode == 0 else said["status"]}


def colours(programs, options):
    for name, published, *_ in SYMMETRIC:
        row = {"matrix": name, "published": published}
        path = matrix_file(options.matrices, name)
        if path is None:
            yield dict(row, remark=missing(name))
            continue
        said = {}
        for second_pass in ("published", "balanced"):
            process = programs.run(programs.folder / "spmtx", "color", path, "--second-pass",
                                   second_pass)
            said[second_pass] = {line[:18].strip(): line[18:].split()[0]
                                 for line in process.stdout.splitlines() if line[18:].split()}
        figures = said["balanced"]
        if "colours" not in figures:
            yield dict(row, remark=reason(process))
            continue
        yield {**row, "n": figures["n"], "non-zeros": figures["non-zeros"],
               "colours, published pass": said["published"]["colours"],
               "colours, balanced": figures["colours"], "ELLPACK MB": figures["ELLPACK"],
               "symmetric MB": figures["symmetric ELLPACK"]}


def symmetric(programs, options):
    kernels = programs.kernels_here(("ellpack_openmp", "ellpack", "symmetric_atomic",
                                     "symmetric_colored"))
    for name, _, *published in SYMMETRIC:
        path = matrix_file(options.matrices, name)
        if path is None:
            yield {"matrix": name, "published (V100)": " / ".join(published),
                   "remark": missing(name)}
            continue
        expected = dict(zip(("ellpack", "symmetric_atomic", "symmetric_colored"), published))
        for row in programs.products(path, "--columns", 1, "--precision", "float,double",
                                     "--threads", options.threads, "--samples", options.samples,
                                     "--kernels", kernels):
            on_gpu = row["device"] != "host"
            yield {"matrix": name, "kernel": row["kernel"], "precision": row["precision"],
                   "on": row["device"] if on_gpu else f"{row['threads']} threads",
                   "seconds": short(row["median_s"]), "remark": row["refused"],
                   "published (V100)": expected.get(row["kernel"], "")
                                       if on_gpu and row["precision"] == "double" else ""}


def tiles(programs, options):
    host = next((name for name in ("dense_blas", "dense_reference")
                 if ("host", name) in programs.kernels), None)
    contenders = [("", host, "2.22", ("--device", "host", "--kernels", host))] if host else []
    contenders += [(f"{tile} x {tile}", "cuda", published,
                    ("--device", "cuda", "--kernels", "dense_tiled", "--width", tile))
                   for tile, published in TILES]
    for order in options.orders:
        base = None
        for tile, where, published, words in contenders:
            if tile and not programs.gpus:
                rows = [nothing("no GPU here")]
            else:
                rows = programs.products(f"random_dense:{order}", "--columns", order, "--precision",
                                         "double", "--samples", options.samples, *words)
            for row in rows:
                seconds = float(row["median_s"] or "nan")
                base = base if tile else seconds
                yield {"order": order, "tile": tile, "seconds": short(row["median_s"]),
                       "GFLOP/s": short(row["gflops"]), "remark": row["refused"],
                       "on": f"{where}, {row['threads']} threads" if row["threads"]
                             else row["device"] or ("" if tile else where),
                       "published GFLOP/s": published if order == 10000 else "",
                       "speed-up over CPU": f"{base / seconds:.1f}"
                                            if tile and base and seconds == seconds else ""}


def spmm(programs, options):
    kernels = programs.kernels_here(SPMM_KERNELS)
    for name in options.names or SPMM:
        path = matrix_file(options.matrices, name)
        rows = programs.products(path, "--columns", "3,4,8,12,16,32,64", "--samples",
                                 options.samples, "--kernels", kernels) if path else \
            [nothing(missing(name))]
        for row in rows:
            yield {"matrix": name, "kernel": row["kernel"], "on": row["device"], "K": row["k"],
                   "GFLOP/s": short(row["gflops"]), "largest error": short(row["largest_error"]),
                   "mean error": short(row["mean_error"]), "remark": row["refused"],
                   "machine epsilon": short(row["machine_epsilon"])}


def short(text):
    return f"{float(text):.3g}" if text else ""


TABLES = {
    "elimination": (elimination, "matrix|n|on|seconds|L2 error|backward error|published|remark"),
    "colours": (colours, "matrix|n|non-zeros|colours, published pass|colours, balanced|published|"
                         "ELLPACK MB|symmetric MB|remark"),
    "symmetric": (symmetric, "matrix|kernel|on|precision|seconds|published (V100)|remark"),
    "tiles": (tiles, "order|tile|on|seconds|GFLOP/s|published GFLOP/s|speed-up over CPU|remark"),
    "spmm": (spmm, "matrix|kernel|on|K|GFLOP/s|largest error|mean error|machine epsilon|remark"),
}


def numbers(text):
    return [int(part) for part in text.split(",")]


def parse():
    parser = script_parser(__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--matrices", metavar="FOLDER", help="where the files are (default: here)")
    parser.add_argument("--bin", metavar="FOLDER", default=own_programs(),
                        help="where the programs are (default: build/bin, or the prefix's bin)")
    parser.add_argument("--samples", type=int, default=10, help="of each product (default: 10)")
    parser.add_argument("--threads", default="1,2,4,8,10", help="of symmetric (default: 1,2,4,8,10)")
    parser.add_argument("--orders", type=numbers, default=list(range(1000, 10001, 1000)),
                        metavar="N,N", help="of tiles (default: 1000 to 10000)")
    parser.add_argument("--largest", type=int, default=8000, metavar="N",
                        help="order of elimination that hosts measure (default: 8000)")
    parser.add_argument("--names", type=lambda text: text.split(","), metavar="NAME,NAME",
                        help="of spmm, without .mtx")
    return parser.parse_args()


def main():
    options = parse()
    if options.matrices and not pathlib.Path(options.matrices).is_dir():
        raise Complaint(INPUT, f"{options.matrices}: there is no such folder")
    table, header = TABLES[options.table]
    columns = header.split("|")
    rows = [columns]
    for line in (columns, ["---"] * len(columns)):
        print(f"| {' | '.join(line)} |", flush=True)
    for row in table(Programs(options.bin), options):
        rows.append([str(row.get(column, "")) for column in columns])
        print(f"| {' | '.join(rows[-1])} |", flush=True)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    sys.exit(ended(main))
