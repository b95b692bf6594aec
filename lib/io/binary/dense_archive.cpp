#include "io/binary/dense_archive.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/ranges.h>

#include "core/error.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/zip.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace {

constexpr std::string_view ending = ".npy";

bool is_sparse(const std::vector<ZipMember>& members) {
  return std::ranges::find(members, "format.npy", &ZipMember::name) != members.end();
}

MappedFile only_array(const std::vector<ZipMember>& members, const std::string& name) {
  if (members.size() != 1 || !members.front().name.ends_with(ending)) {
    std::vector<std::string> names;
    for (const ZipMember& member : members) names.push_back(member.name);
    constexpr std::size_t most = 8;
    if (names.size() > most) names.resize(most);
    fail(ExitCode::input,
         "{}: holds {} arrays ({}{}), and one is wanted, or a sparse matrix: save it alone, by "
         "numpy.save() into a .npy file",
         name, members.size(), fmt::join(names, ", "), members.size() > most ? ", ..." : "");
  }
  const ZipMember& array = members.front();
  require_room(array, available_memory() / 2, name);
  ZipStream front(array, name);
  parse_npy_front(front.next(most_npy_header), array.size, name);
  ZipStream content(array, name);
  return MappedFile::copy(content.checked(array.size));
}

MappedFile all_elements(std::string_view bytes, const std::string& name) {
  const MatrixShape shape = npz_shape(bytes, name);
  const Index parts = shape.parts;
  const Index rows = shape.rows / parts, columns = shape.columns / parts;
  if (!fits_in_memory(rows * parts, columns)) {
    fail(ExitCode::resources, "{}: all of its {} x {} elements do not fit into memory", name, rows,
         columns);
  }
  const Dense<double> all = matrix::all_elements(read_npz(bytes, name), parts);
  const std::string front = npy_front(parts > 1 ? "<c16" : "<f8", false, {rows, columns});
  const std::size_t size = front.size() + all.values.size() * sizeof(double);
  MappedFile file = MappedFile::buffer(size);
  char* at = std::copy(front.begin(), front.end(), file.data());
  for (Index i = 0; i < all.rows; i += parts) {
    for (Index j = 0; j < columns; ++j) {
      for (Index part = 0; part < parts; ++part, at += sizeof(double)) {
        std::memcpy(at, &all(i + part, j), sizeof(double));
      }
    }
  }
  file.set_size(size);
  return file;
}

}  // namespace

bool is_array_archive(std::string_view bytes, const std::string& name) {
  return is_zip(bytes) && !is_sparse(zip_members(bytes, name));
}

MappedFile npy_of_archive(std::string_view bytes, const std::string& name) {
  const std::vector<ZipMember> members = zip_members(bytes, name);
  return is_sparse(members) ? all_elements(bytes, name) : only_array(members, name);
}

}  // namespace spsolve::io
