"""The binary interface of the shared libraries: what programs that were linked with them rely on.

Prints it, as abi.txt has that of the last release: `python3 abi.py PREFIX`, of an installed one. With
each release of another soname that file is made anew."""

import pathlib
import re
import subprocess
import sys
import tempfile

# Begin with their size, or are the library's: later versions have members at the end.
GROWING = ("spsolve_options", "spsolve_arrays", "spsolve_plan", "spsolve_report", "spsolve_step")
HEADERS = ("spsolve.h", "spsolve_facts.h")
# C++: functions of the classes of <spsolve/spsolve.hpp> and <spsolve/mpi.hpp>.
PUBLIC = re.compile(r"^spsolve::(Matrix|Solver|Product|Ranks)::|^spsolve::(plan_solver|ranks_of)\(")


def soname_of(library):
    shown = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
    return re.search(r"SONAME.*\[(\S+)\]", shown.stdout).group(1)


def symbols_of(library):
    """The public ones that it exports."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                            capture_output=True, text=True).stdout
    names = re.findall(r" [TWVBDR] (\S+?)@@\S+$", listed, re.M)
    shown = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True,
                           text=True).stdout.split("\n")
    return sorted(name for name, words in zip(names, shown)
                  if name.startswith("spsolve_") or PUBLIC.search(words))


def layout_of(include):
    """Offsets and sizes of the structures of C, and values of its words, as lines."""
    text = "".join((include / "spsolve" / name).read_text() for name in HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    lines = []
    for members, name in re.findall(r"typedef struct \{(.*?)\} (\w+);", text, re.S):
        for member in re.findall(r"(\w+)\s*[,;]", members):
            lines.append((f"offset {name}.{member}", f"offsetof({name}, {member})"))
        lines.append((f"size {name}", f"sizeof({name})"))
    for words in re.findall(r"typedef enum SPSOLVE_AN_INT \{(.*?)\}", text, re.S):
        for word in re.findall(r"\b(SPSOLVE_\w+)", words):
            lines.append((f"value {word}", word))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "layout.c"
        prints = "".join(f'  printf("{what} %lld\\n", (long long){value});\n' for what, value in lines)
        source.write_text("#include <stdio.h>\n#include <spsolve/spsolve.h>\n"
                          f"int main(void) {{\n{prints}  return 0;\n}}\n")
        program = source.with_suffix("")
        subprocess.run(["cc", f"-I{include}", source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True,
                              text=True).stdout.splitlines()


def interface_of(prefix):
    lines = []
    for name in ("libspsolve.so", "libspsolve_mpi.so"):
        library = next(prefix.glob(f"lib*/{name}")).resolve()
        lines.append(f"library {soname_of(library)}")
        lines += [f"symbol {each}" for each in symbols_of(library)]
    return lines + layout_of(prefix / "include")


def broken_by(before, now):
    """What programs that were linked with `before` miss of `now`, in sentences; both are lines."""
    numbers = dict(line.rsplit(" ", 1) for line in now if not line.startswith(("library", "symbol")))
    there, problems = set(now), []
    for line in before:
        kind, rest = line.split(" ", 1)
        if kind in ("library", "symbol"):
            if line not in there:
                problems.append(f"the {kind} {rest} is gone")
            continue
        what, number = line.rsplit(" ", 1)
        if what not in numbers:
            problems.append(f"{what} is gone")
        elif int(numbers[what]) != int(number):
            grows = kind == "size" and rest.split()[0] in GROWING and int(numbers[what]) > int(number)
            if not grows:
                problems.append(f"{what} was {number} and is {numbers[what]}")
    return problems


if __name__ == "__main__":
    print("\n".join(interface_of(pathlib.Path(sys.argv[1]))))
