"""The tables of published systems, measured here beside what is printed; a part of reproduce.py.

Each table yields its rows as mappings from words of its header; cells that a row lacks stay empty.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile

import published
from runs import INPUT, Complaint, read_csv

# Matrices of the same structure, where a file is not there.
STAND_INS = {"crankseg_2": "grid3d27:20:8", "ecology1": "grid2d:1000", "thermal2": "grid3d:107",
             "G3_circuit": "grid2d:1259", "kkt_power": "kkt:2063494"}

ELIMINATED = published.matrices("fencel_5/01") + ["ship_001"]

FORMATS = {"ellpack": ("ellpack_openmp", "ellpack"),
           "symmetric_atomic": ("symmetric_atomic",) * 2,
           "symmetric_colored": ("symmetric_colored",) * 2}  # kernels of hosts, of GPUs

# Tables by threads, of GPUs, of speed-ups and of ratios, for each precision.
SYMMETRIC = {"float": (("fencel_3/02", "fencel_3/04", "fencel_3/06"), "fencel_3/14"),
             "double": (("fencel_3/08", "fencel_3/10", "fencel_3/12"), "fencel_3/17")}

SPMM = ("cage4", "mhda416", "mcfe", "olm1000", "adder_dcop_32", "west2021", "cavity10", "rdist2",
        "cant", "olafu", "Cube_Coup_dt0", "ML_Laplace", "bcsstk17", "mac_econ_fwd500", "mhd4800a",
        "cop20k_A", "raefsky2", "af23560", "lung2", "PR02R", "FEM_3D_thermal1", "thermal1",
        "thermal2", "thermomech_TK", "nlpkkt80", "webbase-1M", "dc1", "amazon0302", "af_1_k101",
        "roadNet-PA")
SPMM_KERNELS = ("csr_serial", "csr_openmp", "ellpack_serial", "ellpack_openmp",
                "ellpack_unpadded_serial", "ellpack_unpadded_openmp", "csr_scalar_1",
                "csr_scalar_2", "csr_scalar_3", "csr_vector", "csr_vector_subwarp", "csr_adaptive",
                "csr_vector_by_row", "csr_adaptive_subblocks", "ellpack", "ellpack_subwarp")

NO_GPU = "no GPU here"


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
        return ",".join(dict.fromkeys(name for name in names if ("host", name) in self.kernels or
                                      (self.gpus and ("cuda", name) in self.kernels)))

    def bench(self, what, matrix, *words):
        """Rows of spbench; one without figures where there are none, with the reason."""
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "rows.csv"
            process = self.run(self.folder / "spbench", what, "--csv", table, "--matrix", matrix,
                               *words)
            return read_csv(table) if table.exists() else [nothing(reason(process))]

    def products(self, matrix, *words):
        return self.bench("multiply", matrix, "--triad", -1, *words)


def nothing(why):
    """A row of which no more is known."""
    return collections.defaultdict(str, refused=why)


def reason(process):
    """The program's own last words, before those of a launcher about them."""
    lines = process.stderr.strip().splitlines()
    own = [line for line in lines if re.match(r"sp(solve|bench|mtx): ", line)]
    return (own or lines or [f"exit code {process.returncode}"])[-1]


def matrix_file(folder, name):
    for ending in (".mtx", ".mtx.gz"):
        path = pathlib.Path(folder or ".") / (name + ending)
        if path.exists():
            return path
    return None


def missing(name, instead=""):
    return f"{name}.mtx is missing" + (f": {instead} in its place" if instead else "")


def found_or_stand_in(options, name):
    """A matrix, and a remark where it is not the one of that name."""
    path = matrix_file(options.matrices, name)
    return (path, "") if path else (STAND_INS[name], missing(name, STAND_INS[name]))


def chosen(option, given, names, have="the papers have"):
    """Those of the names that an option takes; all by default."""
    for name in given or ():
        if name not in names:
            raise Complaint(INPUT, f"--{option} {name}: {have} {', '.join(names)}")
    return given or names


def processors():
    return len(os.sched_getaffinity(0))


def too_many(threads):
    return f"more threads than the {processors()} processors" if threads > processors() else ""


def remarks(*words):
    return "; ".join(filter(None, words))


def number(text):
    return float(text) if text else None


def short(value, digits=3):
    return f"{float(value):.{digits}g}" if value not in ("", None) else ""


def ratio(above, below):
    """The quotient of two figures, where both are there."""
    above, below = number(above), number(below)
    return f"{above / below:.2f}" if above and below else ""


# --- elimination of dense systems


def elimination(programs, options):
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen("names", options.names, ELIMINATED):
            order = int(published.cell("fencel_5/01", "rows", matrix=name) or 34920)
            matrix, remark = eliminated_matrix(options, name, order, pathlib.Path(folder))
            for precision in options.precisions:
                for pivoting in options.pivoting:
                    base = None
                    for place in wanted(options, places_of(programs, name, precision, pivoting)):
                        row = {"matrix": name, "n": order, "precision": precision,
                               "pivoting": pivoting, **place.row}
                        if place.on_gpu and not programs.gpus:
                            yield dict(row, remark=NO_GPU)
                        elif not place.on_gpu and order > options.largest:
                            yield dict(row, remark=f"above --largest {options.largest}")
                        else:
                            found = eliminate(programs, matrix, precision, pivoting, place)
                            base = base or found.get("seconds")
                            speedup = ratio(base, found.get("seconds"))
                            yield {**row, **found, "remark": remarks(remark, found["remark"]),
                                   "speed-up": speedup if place.row["on"] != "1 core" else ""}


def wanted(options, places):
    """Those that --on names."""
    by_name = {place.row["on"]: place for place in places}
    return [by_name[name] for name in chosen("on", options.on, by_name, "elimination runs on")]


Place = collections.namedtuple("Place", "row on_gpu threads ranks")


def places_of(programs, name, precision, pivoting):
    """Where a system is eliminated, with what is printed of it there."""
    alone, shared = ("fencel_5/02", "fencel_5/06") if precision == "float" else \
        ("fencel_5/04", "fencel_5/08")
    how = "pivoting" if pivoting == "partial" else "no_pivoting"

    def printed(table, column):
        return published.cell(table, f"{column}_{how}", matrix=name)

    def place(words, on_gpu, threads, ranks, seconds="", error="", base=""):
        return Place({"on": words, "published seconds": seconds, "published L2 error": error,
                      "published speed-up": ratio(base, seconds)}, on_gpu, threads, ranks)

    host = printed(alone, "seconds_cpu")
    yield place("1 core", False, 1, 0, host, printed(alone, "l2_cpu"))
    if processors() > 1:
        yield place(f"{processors()} threads", False, processors(), 0)
    yield place("1 GPU", True, 1, 0, printed(alone, "seconds_gpu"), printed(alone, "l2_gpu"), host)
    one = printed(shared, "seconds_1_gpu")
    yield place("1 GPU by MPI", True, 1, 1, one)
    yield place("2 GPUs by MPI", True, 1, 2, printed(shared, "seconds_2_gpus"), base=one)


def eliminated_matrix(options, name, order, folder):
    """A matrix, or a dense one of its order; losmoc is comsol with its last row moved to the front."""
    path = matrix_file(options.matrices, name)
    if path is None and name == "losmoc":
        comsol = matrix_file(options.matrices, "comsol")
        if comsol is not None:
            path = last_row_first(comsol, folder / "losmoc.mtx")
    dense = f"random_dense:{order}"
    return (path, "") if path else (dense, missing(name, dense))


def last_row_first(source, target):
    """Writes a general coordinate file with its last row moved to the front."""
    lines = source.read_text().splitlines()
    if "coordinate" not in lines[0] or "general" not in lines[0]:
        return None
    at = next(k for k, line in enumerate(lines) if not line.startswith("%"))
    rows = int(lines[at].split()[0])
    moved = (line.split() for line in lines[at + 1:] if line.strip())
    target.write_text("\n".join(lines[:at + 1]) + "\n" + "".join(
        f"{int(row) % rows + 1} {' '.join(rest)}\n" for row, *rest in moved))
    return target


def eliminate(programs, matrix, precision, pivoting, place):
    """Seconds of the elimination, L2 and backward error before refinement, and what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        report = folder / "report.json"
        # The published elimination of GPUs is Gauss-Jordan's.
        (folder / "c.yaml").write_text(
            f'matrix: "{matrix}"\nsolve: {{method: {"gauss_jordan" if place.on_gpu else "gauss"}, '
            f'pivoting: {pivoting}, precision: {precision}, refinement: 0, ranks: all, '
            f'condition: false, accept: residual}}\n'
            f'device: {"cuda" if place.on_gpu else "host"}\nthreads: {place.threads}\n'
            f'output: {{report: "{report}", progress: off}}\n')
        launcher = ["mpirun", "--bind-to", "none", "-np", place.ranks] if place.ranks else []
        process = programs.run(*launcher, programs.folder / "spsolve", folder / "c.yaml", "--quiet")
        said = json.loads(report.read_text()) if report.exists() else {}
        if "backward_error" not in said:
            return {"remark": reason(process)}
        return {"seconds": f"{said['seconds']['eliminate']['max']:.4f}",
                "L2 error": short(said["squared_error"]),
                "backward error": f"{said['backward_error']:.1e}",
                "remark": "" if process.returncode == 0 else said["status"]}


# --- symmetric matrices: colours, products


def colours(programs, options):
    for name in chosen("names", options.names, published.matrices("fencel_3/01")):
        printed = published.table("fencel_3/01", "matrix")[name,]
        matrix, remark = found_or_stand_in(options, name)
        row = {"matrix": name, "published colours": printed["colours"],
               "published ELLPACK MiB": printed["mb_ellpack"],
               "published symmetric MiB": printed["mb_symmetric_ellpack"]}
        said = {}
        for second_pass in ("published", "balanced"):
            process = programs.run(programs.folder / "spmtx", "color", matrix, "--second-pass",
                                   second_pass)
            said[second_pass] = {line[:18].strip(): line[18:].split()[0]
                                 for line in process.stdout.splitlines() if line[18:].split()}
        figures = said["balanced"]
        if "colours" not in figures:
            yield dict(row, remark=remarks(remark, reason(process)))
            continue
        order, nonzeros = int(figures["n"]), int(figures["non-zeros"])
        yield {**row, "n": order, "non-zeros": nonzeros, "remark": remark,
               "colours, published pass": said["published"]["colours"],
               "colours, balanced": figures["colours"],
               "ELLPACK MiB": f"{nonzeros * 4 / 2**20:.2f}",
               "symmetric MiB": f"{(nonzeros + order) / 2 * 4 / 2**20:.2f}"}


def symmetric(programs, options):
    threads = options.threads or [1, 2, 4, 8, 10]
    for name in chosen("names", options.names, published.matrices("fencel_3/01")):
        matrix, remark = found_or_stand_in(options, name)
        for precision in options.precisions:
            yield from symmetric_products(programs, options, (name, matrix, remark), precision,
                                          threads)


def symmetric_products(programs, options, subject, precision, threads):
    name, matrix, remark = subject
    kernels = programs.kernels_here(kernel for pair in FORMATS.values() for kernel in pair)
    rows = programs.products(matrix, "--columns", 1, "--precision", precision, "--samples",
                             options.samples, "--threads", ",".join(map(str, threads)),
                             "--kernels", kernels)
    measured = {(row["kernel"], row["threads"] if row["device"] == "host" else "GPU"): row
                for row in rows}
    by_threads, with_gpu = SYMMETRIC[precision]
    for table, (kind, (of_host, of_gpu)) in zip(by_threads, FORMATS.items()):
        for count in threads:
            seconds = published.cell(table, f"seconds_{count}_thread{'s' if count > 1 else ''}",
                                     matrix=name)
            yield product_row(
                {"matrix": name, "format": kind, "precision": precision,
                 "on": f"{count} thread{'s' if count > 1 else ''}"},
                measured, (of_host, str(count)), (of_host, "1"), ("symmetric_atomic", str(count)),
                (seconds, published.cell(table, "seconds_1_thread", matrix=name),
                 published.cell(by_threads[1], f"seconds_{count}_thread{'s' if count > 1 else ''}",
                                matrix=name)), remarks(remark, too_many(count)))
        row = {"matrix": name, "format": kind, "precision": precision, "on": "GPU"}
        yield product_row(
            row, measured, (of_gpu, "GPU"), (of_host, str(threads[-1])), ("symmetric_atomic", "GPU"),
            (published.cell(with_gpu, f"seconds_{kind}_gpu", matrix=name),
             published.cell(with_gpu, f"seconds_{kind}_cpu", matrix=name),
             published.cell(with_gpu, "seconds_symmetric_atomic_gpu", matrix=name)),
            remarks(remark, "" if programs.gpus else NO_GPU))


def product_row(row, measured, own, base, atomic, printed, remark):
    """Seconds; the speed-up over `base`; the ratio to the symmetric format with atomics."""
    empty = nothing("")
    seconds, of_base, of_atomic = (measured.get(key, empty)["median_s"]
                                   for key in (own, base, atomic))
    return {**row, "seconds": short(seconds), "published seconds": printed[0],
            "speed-up": ratio(of_base, seconds), "published speed-up": ratio(printed[1], printed[0]),
            "to atomic": ratio(seconds, of_atomic), "published to atomic": ratio(printed[0], printed[2]),
            "remark": remarks(remark, measured.get(own, empty)["refused"])}


# --- dense products by tiles


def tiles(programs, options):
    host = next((name for name in ("dense_blas", "dense_reference")
                 if ("host", name) in programs.kernels), None)
    widths = list(dict.fromkeys(tile for _, tile in published.table("tiles_gpu", "order", "tile")))
    for order in options.orders:
        checks = ["--no-check"] if order > options.check else []
        common = ("--columns", order, "--precision", "double", "--samples", options.samples, *checks)
        base = None
        for tile in [""] + widths:
            words = ("--device", "cuda", "--kernels", "dense_tiled", "--width", tile) if tile else \
                ("--device", "host", "--kernels", host)
            refused = NO_GPU if tile and not programs.gpus else "" if tile or host else "no BLAS"
            row = nothing(refused) if refused else \
                programs.products(f"random_dense:{order}", *common, *words)[0]
            base = base if tile else row["median_s"]
            printed = published.table("tiles_gpu", "order", "tile").get((str(order), tile), {}) \
                if tile else published.table("tiles_cpu", "order").get((str(order),), {})
            device = "gpu" if tile else "cpu"
            yield {"order": order, "tile": f"{tile} x {tile}" if tile else "",
                   "on": f"{host}, {row['threads']} threads" if row["threads"]
                         else row["device"] or ("GPU" if tile else host),
                   "seconds": short(row["median_s"]), "GFLOP/s": short(row["gflops"]),
                   "speed-up": ratio(base, row["median_s"]) if tile else "",
                   "published seconds": printed.get(f"seconds_{device}", ""),
                   "published GFLOP/s": printed.get(f"gflops_{device}", ""),
                   "published speed-up": printed.get("speedup_over_cpu", ""),
                   "largest error": short(row["largest_error"]), "remark": row["refused"]}


# --- sparse matrix times multivector


def spmm(programs, options):
    kernels = programs.kernels_here(SPMM_KERNELS)
    threads = options.threads or [processors()]
    for name in options.names or SPMM:
        path = matrix_file(options.matrices, name)
        rows = programs.products(path, "--columns", "3,4,8,12,16,32,64", "--samples",
                                 options.samples, "--threads", ",".join(map(str, threads)),
                                 "--kernels", kernels) if path else [nothing(missing(name))]
        for row in rows:
            mean, variance = rate_of(row)
            yield {"matrix": name, "kernel": row["kernel"], "on": row["device"],
                   "threads": row["threads"], "K": row["k"], "GFLOP/s": short(row["gflops"]),
                   "mean": mean, "variance": variance, "largest error": short(row["largest_error"]),
                   "mean error": short(row["mean_error"]),
                   "machine epsilon": short(row["machine_epsilon"]),
                   "remark": remarks(row["refused"], too_many(int(row["threads"] or 1)))}


def rate_of(row):
    """Mean and variance of GFLOP/s, of those of seconds to first order."""
    if not row["mean_s"]:
        return "", ""
    seconds = float(row["mean_s"])
    rate = float(row["gflops"]) * float(row["median_s"]) / seconds
    return short(rate), short((rate / seconds) ** 2 * float(row["variance_s2"] or 0))


def conversions(programs, options):
    threads = ",".join(map(str, options.threads or [processors()]))
    for name in options.names or SPMM:
        path = matrix_file(options.matrices, name)
        rows = programs.bench("convert", path, "--samples", options.samples, "--threads", threads) \
            if path else [nothing(missing(name))]
        for row in rows:
            yield {"matrix": name, "conversion": row["conversion"], "threads": row["threads"],
                   "seconds": short(row["median_s"]), "entries / s": short(row["entries_per_s"]),
                   "bytes": row["bytes"], "speed-up": short(row["speedup"]),
                   "remark": row["refused"]}


# Each table, and its header.
TABLES = {
    "elimination": (elimination,
                    "matrix|n|precision|pivoting|on|seconds|published seconds|speed-up|"
                    "published speed-up|L2 error|published L2 error|backward error|remark"),
    "colours": (colours, "matrix|n|non-zeros|colours, published pass|colours, balanced|"
                         "published colours|ELLPACK MiB|published ELLPACK MiB|"
                         "symmetric MiB|published symmetric MiB|remark"),
    "symmetric": (symmetric, "matrix|format|precision|on|seconds|published seconds|speed-up|"
                             "published speed-up|to atomic|published to atomic|remark"),
    "tiles": (tiles, "order|tile|on|seconds|published seconds|GFLOP/s|published GFLOP/s|speed-up|"
                     "published speed-up|largest error|remark"),
    "spmm": (spmm, "matrix|kernel|on|threads|K|GFLOP/s|mean|variance|largest error|mean error|"
                   "machine epsilon|remark"),
    "conversions": (conversions, "matrix|conversion|threads|seconds|entries / s|bytes|speed-up|remark"),
}
