"""The published kernels of GPUs by name: what their rows of the table call, and what nvcc makes of them.

No GPU is needed; what reads instructions skips where there is no nvcc."""

import re
import unittest

import ptx

PUBLISHED = ptx.ROOT / "cuda" / "multiply" / "published"
TABLE = ptx.ROOT / "cuda" / "multiply" / "cuda_kernels.cpp"

# Capotombolo and Zarrelli 2023; Figini 2023; Boukara and Cicala; Fencel 2020.
KERNELS = ("csr_scalar_1", "csr_scalar_2", "csr_scalar_3", "csr_vector", "csr_vector_subwarp",
           "csr_adaptive", "csr_vector_by_row", "csr_adaptive_subblocks", "ellpack",
           "ellpack_subwarp", "csr_product_tree", "dense_tiled", "symmetric_atomic",
           "symmetric_colored")


def functions(source):
    """The text of every function template that a .cu file hands out, by name: its launches."""
    outside = source[source.rindex("}  // namespace\n\n") :] if "}  // namespace\n\n" in source else source
    bodies = {}
    for match in re.finditer(r"^void (\w+)\(.*?^}\n", outside, re.S | re.M):
        bodies.setdefault(match.group(1), "")
        bodies[match.group(1)] += match.group(0)
    return bodies


class Published(unittest.TestCase):
    def test_every_row_calls_the_kernel_that_it_names(self):
        table = TABLE.read_text()
        rows = re.split(r"\n    (?=cuda_row<|peer_row<|spmm_row<)", table)
        by_name = {match.group(1): row for row in rows
                   if (match := re.search(r'\{"(\w+)",', row)) is not None}
        for name in KERNELS:
            with self.subTest(name):
                self.assertIn(name, by_name)
                called = [other for other in KERNELS
                          if re.search(rf"\b{other}\(", by_name[name])]
                self.assertEqual(called, [name])

    def test_every_kernel_is_a_function_of_its_own(self):
        launched = {}
        for file in sorted(PUBLISHED.glob("*.cu")):
            for name, body in functions(file.read_text()).items():
                if name in KERNELS:
                    launched[name] = frozenset(re.findall(r"(\w+(?:<[^<>;]*>)?)\s*<<<", body))
        for name in KERNELS:
            with self.subTest(name):
                self.assertIn(name, launched)
                self.assertTrue(launched[name], "it launches nothing")
                same = [other for other in launched
                        if other != name and launched[other] == launched[name]]
                self.assertEqual(same, [])


def innermost_loops(body):
    """The texts between a label and a later branch to it, but for those that hold another one."""
    places = {match.group(1): match.end() for match in re.finditer(r"^(\$\w+):", body, re.M)}
    loops = [(places[match.group(1)], match.start())
             for match in re.finditer(r"\bbra(?:\.uni)?\s+(\$\w+);", body)
             if places.get(match.group(1), len(body)) < match.start()]
    return [body[first:last] for first, last in loops
            if not any(first <= other[0] and other[1] <= last and other != (first, last)
                       for other in loops)]


class Instructions(unittest.TestCase):
    def loads_of_offsets(self, body):
        """Loads of 64-bit integers in each innermost loop: of the arrays, row_offsets alone has such."""
        return [len(re.findall(r"\bld\.global(?:\.\w+)*\.[su]64\b", loop))
                for loop in innermost_loops(body)]

    def test_where_a_row_ends_is_read_as_published(self):
        if ptx.nvcc() is None:
            self.skipTest("there is no nvcc")
        kernels = ptx.kernels(PUBLISHED / "csr_scalar.cu", "sm_80")
        for kernel, rereads in (("scalar_1", True), ("scalar_2", True), ("scalar_3", False)):
            bodies = [body for name, body in kernels.items() if kernel in name]
            self.assertEqual(len(bodies), 2, f"{kernel} in float and in double")
            for body in bodies:
                loads = self.loads_of_offsets(body)
                self.assertTrue(loads, "a loop over the elements of a row")
                self.assertEqual(all(loads), rereads, f"{kernel}: {loads}")
                self.assertEqual(any(loads), rereads, f"{kernel}: {loads}")


if __name__ == "__main__":
    unittest.main()
