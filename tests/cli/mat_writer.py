"""Files of MATLAB, version 5, as the format says it: what tests write."""

import struct
import zlib

SPARSE, DOUBLE, STRUCTURE, CHAR = 5, 6, 2, 4


class Writer:
    """Variables in one order of bytes, "<" or ">"."""

    def __init__(self, order="<", packs=False):
        self.order = order
        self.packs = packs

    def pack(self, code, *numbers):
        return struct.pack(f"{self.order}{len(numbers)}{code}", *numbers)

    def element(self, kind, content):
        if 0 < len(content) <= 4 and kind not in (14, 15):
            return self.pack("I", len(content) << 16 | kind) + content.ljust(4, b"\0")
        return self.pack("I", kind, len(content)) + content + b"\0" * (-len(content) % 8)

    def matrix(self, name, kind, sizes, *content, is_complex=False):
        flags = self.pack("I", kind | (0x800 if is_complex else 0), 0)
        whole = (self.element(6, flags) + self.element(5, self.pack("i", *sizes)) +
                 self.element(1, name.encode()) + b"".join(content))
        return self.element(14, whole)

    def doubles(self, numbers):
        return self.element(9, self.pack("d", *numbers))

    def full(self, name, rows, columns, numbers, imaginary=None):
        """Column after column; whole numbers in few bytes, as MATLAB keeps them."""
        parts = [self.element(2, bytes(numbers)) if all(
            isinstance(each, int) and 0 <= each < 256 for each in numbers) else self.doubles(numbers)]
        if imaginary is not None:
            parts.append(self.doubles(imaginary))
        return self.matrix(name, DOUBLE, (rows, columns), *parts, is_complex=imaginary is not None)

    def sparse(self, name, rows, columns, offsets, indices, numbers, imaginary=None):
        parts = [self.element(5, self.pack("i", *indices)), self.element(5, self.pack("i", *offsets)),
                 self.doubles(numbers)]
        if imaginary is not None:
            parts.append(self.doubles(imaginary))
        return self.matrix(name, SPARSE, (rows, columns), *parts, is_complex=imaginary is not None)

    def structure(self, variable, **fields):
        names = b"".join(each.encode().ljust(8, b"\0") for each in fields)
        return self.matrix(variable, STRUCTURE, (1, 1), self.element(5, self.pack("i", 8)),
                           self.element(1, names), *fields.values())

    def text(self, name, text):
        return self.matrix(name, CHAR, (1, len(text)), self.element(16, text.encode()))

    def file(self, *variables, version=0x100):
        front = b"MATLAB 5.0 MAT-file, of a test".ljust(124) + self.pack("H", version)
        front += b"IM" if self.order == "<" else b"MI"
        if self.packs:
            variables = [self.pack("I", 15, len(packed)) + packed
                         for packed in map(zlib.compress, variables)]
        return front + b"".join(variables)
