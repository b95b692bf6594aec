#include "sparse/store/factor_store.hpp"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace spsolve::inline sparse {

FactorStore::FactorStore(const std::filesystem::path& folder, void* array, std::int64_t bytes)
    : array_(static_cast<char*>(array)), file_(folder, bytes, "solve.factors_folder") {}

void FactorStore::put(const void* begin, const void* end) const {
  file_.write(at(begin), begin, at(end) - at(begin));
  let_go(begin, end);
}

void FactorStore::bring(const void* begin, const void* end) const {
  file_.read(at(begin), array_ + at(begin), at(end) - at(begin));
}

void FactorStore::expect(const void* begin, const void* end) const {
  file_.read_ahead(at(begin), at(end) - at(begin));
}

void FactorStore::let_go(const void* begin, const void* end) const noexcept {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace spsolve::sparse
