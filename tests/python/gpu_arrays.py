"""Arrays in the memory of a GPU for tests, by ctypes over CUDA's runtime: no cupy, no torch."""

import ctypes
import types

NAMES = ("libcudart.so", "libcudart.so.13", "libcudart.so.12",
         "/usr/local/cuda/lib64/libcudart.so")
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
CUDA, FLOAT = 2, 2  # of DLPack


def runtime():
    """CUDA's runtime library, or None."""
    for name in NAMES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        library.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                       ctypes.c_int]
        library.cudaFree.argtypes = [ctypes.c_void_p]
        return library
    return None


def why_none():
    """Why there can be no such array, or ""."""
    library = runtime()
    if library is None:
        return "no libcudart is found: is CUDA's folder in LD_LIBRARY_PATH?"
    count = ctypes.c_int(0)
    status = library.cudaGetDeviceCount(ctypes.byref(count))
    return "" if status == 0 and count.value > 0 else f"there is no GPU (cudaError {status})"


class Shown:
    """float64 by rows on GPU 0, which shows itself by __cuda_array_interface__ alone."""

    def __init__(self, shape):
        self.place = tuple(shape)
        self.size = 8
        for length in shape:
            self.size *= length
        self.address = ctypes.c_void_p()
        self.library = runtime()
        self.check(self.library.cudaMalloc(ctypes.byref(self.address), self.size))

    def __del__(self):
        self.library.cudaFree(self.address)

    @staticmethod
    def check(status):
        if status != 0:
            raise MemoryError(f"cudaError {status}")

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.place, "typestr": "<f8", "data": (self.address.value, False),
                "version": 3, "strides": None, "stream": None}

    def take(self, array):
        """The numbers of a numpy array, float64 by rows."""
        assert array.nbytes == self.size and array.flags.c_contiguous and array.dtype == "float64"
        self.check(self.library.cudaMemcpy(self.address, array.ctypes.data, self.size,
                                           HOST_TO_DEVICE))
        return self

    def on_host(self):
        import numpy
        array = numpy.empty(self.place)
        self.check(self.library.cudaMemcpy(array.ctypes.data, self.address, self.size,
                                           DEVICE_TO_HOST))
        return array


class Tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def capsule(address, shape, device_type):
    """What __dlpack__ hands out for numbers that outlive it, and what must outlive it."""
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    tensor = Tensor(data=address, device_type=device_type, ndim=len(shape), code=FLOAT, bits=64,
                    lanes=1, shape=lengths)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                     ctypes.c_void_p]
    return make(ctypes.addressof(tensor), b"dltensor", None), (tensor, lengths)


class Handed(Shown):
    """The same that hands itself on by DLPack, as cupy's arrays do."""

    flags = types.SimpleNamespace(c_contiguous=True)
    device = types.SimpleNamespace(id=0)
    dtype = "float64"

    @property
    def shape(self):
        return self.place

    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, **_):
        shown, self.kept = capsule(self.address.value, self.place, CUDA)
        return shown


class _Device:
    def __init__(self, _):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def like_cupy():
    """A module with what spsolve and its guide take of cupy, made of these arrays."""
    module = types.ModuleType("cupy")
    module.empty = Handed
    module.asarray = lambda array: Handed(array.shape).take(array)
    module.asnumpy = lambda array: array.on_host()
    module.ndarray = Handed
    module.cuda = types.SimpleNamespace(Device=_Device)
    return module
