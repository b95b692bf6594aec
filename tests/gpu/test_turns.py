"""Launches that begin while the one before them ends (cuda/core/turns.cuh's) touch nothing that it writes
until it has ended: by the instructions that nvcc makes of them, as a compiler may move loads of what
it is told nobody writes to.

No GPU is needed; skips where there is no nvcc."""

import re
import unittest

import ptx

WAIT = "griddepcontrol.wait"
VECTORS = ("cuda/vectors/vector_kernels.cu", "cuda/vectors/reduction_kernels.cu",
           "cuda/vectors/products/band_product_kernels.cu", "cuda/vectors/products/product_dots.cu")
PRODUCTS = ("cuda/multiply/fast/row_split.cu", "cuda/multiply/fast/row_tiles.cu",
            "cuda/multiply/fast/typed_rows.cu", "cuda/multiply/fast/groups/grouped_lanes_double.cu",
            "cuda/multiply/fast/groups/grouped_slices.cu")
INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\s+([^;]*);", re.M)
REACHES_MEMORY = re.compile(r"(ld|st|red|atom|cp\.async)\b(?!\.(?:param|shared|local|const))")


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
    def waiting(self, source):
        """The instructions of all kernels of a file that wait, until they do, by name."""
        found = {name: until_turn(body) for name, body in
                 ptx.kernels(ptx.ROOT / source, "sm_90").items() if WAIT in body}
        self.assertTrue(found, f"{source} has no kernel that waits for its turn")
        return found

    def setUp(self):
        if ptx.nvcc() is None:
            self.skipTest("there is no nvcc")

    def test_kernels_of_vectors_touch_no_memory_before_their_turn(self):
        for source in VECTORS:
            for name, instructions in self.waiting(source).items():
                with self.subTest(source, kernel=name):
                    self.assertEqual(touched(instructions), [])

    def test_products_read_nothing_but_the_matrix_before_their_turn(self):
        read_ahead = 0
        for source in PRODUCTS:
            for name, instructions in self.waiting(source).items():
                read_ahead += len(touched(instructions))
                with self.subTest(source, kernel=name):
                    self.assertEqual(beside_first_parameter(instructions), [])
        self.assertGreater(read_ahead, 0, "what these kernels are launched early for")


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
