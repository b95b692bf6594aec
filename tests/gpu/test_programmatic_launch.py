"""Launches that begin while the one before them ends (cuda/core/programmatic_launch.cuh's) touch nothing that it writes
until it has ended, by the instructions that nvcc makes of them, as a compiler may move loads of what
it is told nobody writes to.

No GPU is needed; skips where there is no nvcc."""

import re
import unittest

import ptx

WAIT = "griddepcontrol.wait"
WAITS = re.compile(r"\b(?:trigger_and_wait|wait_for_previous_launch)\(\)")
INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\s+([^;]*);", re.M)
REACHES_MEMORY = re.compile(r"(ld|st|red|atom|cp\.async)\b(?!\.(?:param|shared|local|const))")


def sources():
    """The .cu files whose kernels wait for turns, by themselves or in a header next to them; but for those
    of fronts, which read tables, and values that no launch in turn writes, before."""
    headers = {file.name for file in (ptx.ROOT / "cuda").rglob("*.cuh")
               if file.name != "programmatic_launch.cuh" and WAITS.search(file.read_text())}
    for file in sorted((ptx.ROOT / "cuda").rglob("*.cu")):
        text = file.read_text()
        if file.is_relative_to(ptx.ROOT / "cuda" / "sparse"):
            continue
        if WAITS.search(text) or any(f"/{header}\"" in text for header in headers):
            yield file.relative_to(ptx.ROOT)


def reads_ahead(source):
    """Products of rows bring what they need of the matrix before X is there."""
    return source.is_relative_to("cuda/multiply")


def until_turn(body):
    """The instructions before a kernel's first wait, as (name, operands); None where it has none."""
    return INSTRUCTION.findall(body[: body.index(WAIT)]) if WAIT in body else None


def touched(instructions):
    """Those that read or write the GPU's memory."""
    return [(name, operands) for name, operands in instructions if REACHES_MEMORY.match(name)]


def beside_first_parameter(instructions):
    """Those of touched() whose address comes from a pointer in a parameter other than the first."""
    # Registers: addresses within the first parameter, what was read from others, pointers among that.
    in_first, from_others, pointers, found = set(), set(), set(), []
    for name, operands in instructions:
        registers = re.findall(r"%\w+", operands)
        sources = set(registers[1:])
        if name.startswith("ld.param"):
            if "_param_0" not in operands and not sources & in_first:
                from_others.update(registers)
        elif REACHES_MEMORY.match(name):
            address = set(re.findall(r"%\w+", operands.partition("[")[2].partition("]")[0]))
            if not address or address & (pointers | from_others):
                found.append((name, operands))
        elif registers:
            if "_param_0" in operands or sources & in_first:
                in_first.add(registers[0])
            if sources & pointers or (name.startswith("cvta") and sources & from_others):
                pointers.add(registers[0])
    return found


class Turns(unittest.TestCase):
    def test_what_the_launch_before_writes_is_not_touched(self):
        if ptx.nvcc() is None:
            self.skipTest("there is no nvcc")
        read_ahead = 0
        for source in sources():
            waiting = {name: until_turn(body) for name, body in
                       ptx.kernels(ptx.ROOT / source, "sm_90").items() if WAIT in body}
            self.assertTrue(waiting, f"{source} has no kernel that waits for its turn")
            for name, instructions in waiting.items():
                memory = touched(instructions)
                if reads_ahead(source):
                    read_ahead += len(memory)
                    memory = beside_first_parameter(instructions)
                with self.subTest(str(source), kernel=name):
                    self.assertEqual(memory, [])
        self.assertGreater(read_ahead, 0, "what products are launched early for")


class Readings(unittest.TestCase):
    """That a load of X before the wait would be seen."""

    def test_loads_are_told_apart_by_the_parameter_that_they_come_from(self):
        body = """
            ld.param.u64 %rd1, [_kernel_param_0+8];
            ld.param.u64 %rd2, [_kernel_param_1];
            ld.param.u32 %r1, [_kernel_param_3];
            mov.b64 %rd8, _kernel_param_0;
            add.s64 %rd9, %rd8, 16;
            ld.param.u64 %rd10, [%rd9+8];
            cvta.to.global.u64 %rd11, %rd10;
            ld.global.nc.u32 %r2, [%rd11];
            cvta.to.global.u64 %rd3, %rd1;
            cvta.to.global.u64 %rd4, %rd2;
            mul.wide.s32 %rd5, %r1, 8;
            add.s64 %rd6, %rd3, %rd5;
            add.s64 %rd7, %rd4, %rd5;
            ld.global.nc.f64 %fd1, [%rd6];
            @%p1 ld.global.nc.f64 %fd2, [%rd7+8];
            griddepcontrol.wait;
            ld.global.f64 %fd3, [%rd4];
        """
        instructions = until_turn(body)
        self.assertEqual(len(touched(instructions)), 3)
        self.assertEqual(beside_first_parameter(instructions),
                         [("ld.global.nc.f64", "%fd2, [%rd7+8]")])
        self.assertIsNone(until_turn("ld.global.f64 %fd3, [%rd4];"))


if __name__ == "__main__":
    unittest.main()
