#include "numbers_of.hpp"

#include <optional>

#include "core/error.hpp"

namespace spsolve::python {

namespace nb = nanobind;

namespace {

std::optional<NumberType> type_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return std::nullopt;
  const auto code = static_cast<Code>(type.code);
  if (code == Code::Float && type.bits == 64) return NumberType::float64;
  if (code == Code::Float && type.bits == 32) return NumberType::float32;
  if (code == Code::Complex && type.bits == 128) return NumberType::complex128;
  if (code == Code::Complex && type.bits == 64) return NumberType::complex64;
  if (code == Code::Bool) return NumberType::boolean;
  constexpr NumberType with_sign[] = {NumberType::int8, NumberType::int16, NumberType::int32,
                                      NumberType::int64};
  constexpr NumberType without[] = {NumberType::uint8, NumberType::uint16, NumberType::uint32,
                                    NumberType::uint64};
  const int step = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
  if (code == Code::Int) return with_sign[step];
  if (code == Code::UInt) return without[step];
  return std::nullopt;
}

}  // namespace

Numbers numbers_of(const HostArray& array, const char* what) {
  const auto type = type_of(array.dtype());
  if (!type || array.ndim() != 1) {
    fail(ExitCode::input, "{} must be an array of one dimension and of numbers", what);
  }
  return {static_cast<const char*>(array.data()), static_cast<Index>(array.size()), *type, false};
}

}  // namespace spsolve::python
