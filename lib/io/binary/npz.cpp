#include "io/binary/npz.hpp"

#include <algorithm>
#include <bit>

#include "core/error.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace {

/// The arrays of an archive, each inflated when it is asked for.
class Arrays {
 public:
  Arrays(std::string_view bytes, const std::string& name)
      : name_(name), members_(zip_members(bytes, name)), limit_(available_memory() / 2) {}

  /// An array with the memory that it lies in.
  struct Held {
    ZipStream content;
    NpyArray array;
    std::string name;
    std::size_t header_bytes;
    Numbers numbers() const { return array.numbers(name); }
    std::string text() const { return array.text(name); }
  };

  /// An array as its header tells, which must be as large as that says: the rest is not inflated.
  Held front(const std::string& array) const {
    const ZipMember& found = member(array);
    ZipStream content(found, name_);
    const std::string where = fmt::format("{}, array '{}'", name_, array);
    const std::string_view bytes = content.checked(most_npy_header);
    NpyArray parsed = parse_npy_front(bytes, found.size, where);
    const std::size_t header = bytes.size() - parsed.bytes.size();
    return {std::move(content), std::move(parsed), where, header};
  }

  Held get(const std::string& array) const {
    const Held announced = front(array);
    const ZipMember& found = member(array);
    require_room(found, limit_, name_);
    ZipStream content(found, name_);
    NpyArray parsed = parse_npy(content.checked(found.size), announced.name);
    return {std::move(content), std::move(parsed), announced.name, announced.header_bytes};
  }

  /// An array of a member that is stored, where it lies, whatever its sum.
  NpyArray in_place(const std::string& array) const {
    return parse_npy(member(array).packed, fmt::format("{}, array '{}'", name_, array));
  }

  const std::string& name() const { return name_; }

  const ZipMember& member(const std::string& array) const {
    const auto found = std::ranges::find(members_, array + ".npy", &ZipMember::name);
    if (found != members_.end()) return *found;
    constexpr std::size_t most = 8;
    std::vector<std::string_view> names;
    for (const ZipMember& each : members_) {
      names.push_back(names.size() < most ? std::string_view(each.name) : "...");
      if (names.size() > most) break;
    }
    fail(ExitCode::input,
         "{}: holds no array '{}', but {}; a sparse matrix is wanted, as scipy.sparse.save_npz() "
         "writes it",
         name_, array, names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", ")));
  }

 private:
  const std::string& name_;
  std::vector<ZipMember> members_;
  std::int64_t limit_;  // of an array that is inflated, by the memory that was free before all
};

struct Described {
  std::string format;
  Index rows = 0, columns = 0;
};

Described describe(const Arrays& arrays) {
  Described matrix;
  arrays.front("format").text();
  matrix.format = arrays.get("format").text();
  if (matrix.format != "csr" && matrix.format != "csc" && matrix.format != "coo") {
    fail(ExitCode::input,
         "{}: a sparse matrix of the format {}; csr, csc and coo are read: save it by .tocsr()",
         arrays.name(), matrix.format.empty() ? "''" : shown(matrix.format));
  }
  const auto announced = arrays.front("shape");
  if (announced.numbers().count != 2 || !is_integer(announced.numbers().type)) {
    fail(ExitCode::input, "{}: should be two integers, rows and columns", announced.name);
  }
  const auto shape = arrays.get("shape");
  const Numbers sizes = shape.numbers();
  visit_numbers(sizes, [&](const auto& at) {
    matrix.rows = static_cast<Index>(at(0));
    matrix.columns = static_cast<Index>(at(1));
  });
  constexpr Index most = Index{1} << 40;
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.rows > most || matrix.columns > most) {
    fail(ExitCode::input, "{}: a matrix of {} x {} cannot be", shape.name, matrix.rows,
         matrix.columns);
  }
  return matrix;
}

}  // namespace

MatrixShape npz_shape(std::string_view bytes, const std::string& name) {
  const Arrays arrays(bytes, name);
  const Described matrix = describe(arrays);
  const Numbers values = arrays.front("data").numbers();
  const MatrixShape shape{matrix.rows,
                          matrix.columns,
                          values.count,
                          values.count,
                          static_cast<std::int64_t>(bytes.size()),
                          true};
  return has_two_parts(values.type) ? of_real_form(shape) : shape;
}

Csr<double> read_npz(std::string_view bytes, const std::string& name) {
  const Arrays arrays(bytes, name);
  const Described matrix = describe(arrays);
  // Nothing is inflated of arrays that contradict each other.
  const auto announced = [&](const char* array) { return arrays.front(array).numbers(); };
  if (matrix.format == "coo") {
    check_counts(EntryArrays{matrix.rows, matrix.columns, announced("row"), announced("col"),
                             announced("data")},
                 name);
    const auto row = arrays.get("row"), column = arrays.get("col"), values = arrays.get("data");
    return csr_from_entries(
        {matrix.rows, matrix.columns, row.numbers(), column.numbers(), values.numbers()}, name);
  }
  CompressedArrays read{matrix.rows,          matrix.columns,    announced("indptr"),
                        announced("indices"), announced("data"), matrix.format == "csc"};
  check_counts(read, name);
  const auto offsets = arrays.get("indptr");
  read.offsets = offsets.numbers();
  if (!read.by_columns) {
    StoredRows rows = stored_rows(read, name);
    const auto indices = arrays.get("indices"), values = arrays.get("data");
    rows.indices = indices.numbers();
    rows.values = values.numbers();
    return csr_from_rows(std::move(rows), {0, matrix.rows}, name);
  }
  const auto indices = arrays.get("indices"), values = arrays.get("data");
  read.indices = indices.numbers();
  read.values = values.numbers();
  return csr_from_arrays(read, name);
}

namespace {

/// The numbers of an array, some at a time.
class NumberStream {
 public:
  NumberStream(const Arrays& arrays, const std::string& array)
      : content_(arrays.member(array), arrays.name()) {
    const Arrays::Held front = arrays.front(array);
    numbers_ = front.numbers();
    content_.checked(front.header_bytes);
  }

  Index count() const { return numbers_.count; }
  const Numbers& announced() const { return numbers_; }

  /// The next `count` of them; valid until the next call.
  Numbers next(Index count) {
    const std::string_view bytes =
        content_.checked(static_cast<std::size_t>(count) * bytes_of(numbers_.type));
    return {bytes.data(), count, numbers_.type, numbers_.big_endian};
  }

 private:
  ZipStream content_;
  Numbers numbers_;
};

constexpr Index at_a_time = Index{1} << 17;  // numbers between two looks at the clock

/// Looks at the offsets; whether at all of them.
bool check_all_offsets(NumberStream& offsets, Index entries, const std::string& name,
                       const Deadline& deadline) {
  Index before = 0;
  for (Index k = 0; k < offsets.count(); k += at_a_time) {
    const Index size = std::min(at_a_time, offsets.count() - k);
    const Numbers part = offsets.next(size);
    if (k == 0) check_offsets(part.part(0, 1), {0, 0}, entries, name);
    before = check_offsets(part, {before, entries}, entries, name);
    if (deadline.is_over() && k + size < offsets.count()) return false;
  }
  check_offsets({reinterpret_cast<const char*>(&before), 1, NumberType::int64,
                 std::endian::native == std::endian::big},
                {entries, entries}, entries, name);
  return true;
}

}  // namespace

CheckedEntries check_npz(std::string_view bytes, const std::string& name,
                         const Deadline& deadline) {
  const Arrays arrays(bytes, name);
  const Described matrix = describe(arrays);
  const bool lists = matrix.format == "coo", by_columns = matrix.format == "csc";
  NumberStream first(arrays, lists ? "row" : "indptr");
  NumberStream second(arrays, lists ? "col" : "indices");
  NumberStream values(arrays, "data");
  const Index entries = values.count();
  if (lists) {
    check_counts(EntryArrays{matrix.rows, matrix.columns, first.announced(), second.announced(),
                             values.announced()},
                 name);
  } else {
    check_counts(CompressedArrays{matrix.rows, matrix.columns, first.announced(),
                                  second.announced(), values.announced(), by_columns},
                 name);
    if (!check_all_offsets(first, entries, name, deadline)) return {0, entries};
  }
  CheckedEntries check{0, entries};
  double largest = 0;
  while (check.seen < entries) {
    const Index before = check.seen, size = std::min(at_a_time, entries - before);
    if (lists) check_indices(first.next(size), matrix.rows, "row", name, before);
    const Numbers indices = second.next(size);
    check_indices(indices, by_columns ? matrix.rows : matrix.columns, by_columns ? "row" : "column",
                  name, before);
    largest = std::max(largest, check_values(values.next(size), name, before));
    check.seen += size;
    if (deadline.is_over()) break;
  }
  if (check.is_whole() && sums_may_overflow(largest, entries)) read_npz(bytes, name);
  return check;
}

NpzRows npz_rows(std::string_view bytes, const std::string& name) {
  const Arrays arrays(bytes, name);
  const Described matrix = describe(arrays);
  NpzRows found;
  bool in_place = matrix.format == "csr";
  for (const char* const array : {"indptr", "indices", "data"}) {
    if (!in_place) break;
    found.members.push_back(arrays.member(array));
    in_place = !found.members.back().deflated;
  }
  if (!in_place) {
    fail(ExitCode::input,
         "{}: matrix.reader=parallel reads npz files of the format csr that are not compressed: "
         "save it by scipy.sparse.save_npz(file, A.tocsr(), compressed=False), or use "
         "matrix.reader=serial",
         name);
  }
  const auto numbers = [&](const std::string& array) {
    return arrays.in_place(array).numbers(fmt::format("{}, array '{}'", name, array));
  };
  found.rows = stored_rows(
      {matrix.rows, matrix.columns, numbers("indptr"), numbers("indices"), numbers("data"), false},
      name);
  return found;
}

namespace {

/// The rows of `matrix` with `values` of a type.
void write_arrays(const std::filesystem::path& path, const Csr<double>& matrix,
                  std::string_view value_type, const std::vector<double>& values) {
  const auto raw = [](const auto& numbers) {
    return std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(numbers[0]));
  };
  // scipy takes offsets and indices of one type.
  constexpr Index most_in_32_bits = std::numeric_limits<std::int32_t>::max();
  const bool narrow = matrix.nonzeros() <= most_in_32_bits;
  std::vector<std::int32_t> offsets;
  std::vector<Index> wide;
  if (narrow) {
    offsets.assign(matrix.row_offsets.begin(), matrix.row_offsets.end());
  } else {
    wide.assign(matrix.column_indices.begin(), matrix.column_indices.end());
  }
  const std::string_view type = narrow ? "<i4" : "<i8";
  const std::vector<Index> shape{matrix.rows, matrix.columns};
  const auto entries = matrix.nonzeros();
  ZipWriter archive(path);
  archive.add("indices.npy",
              {npy_front(type, false, {entries}), narrow ? raw(matrix.column_indices) : raw(wide)});
  archive.add("indptr.npy", {npy_front(type, false, {matrix.rows + 1}),
                             narrow ? raw(offsets) : raw(matrix.row_offsets)});
  archive.add("format.npy", {npy_front("|S3", false, {}), "csr"});
  archive.add("shape.npy", {npy_front("<i8", false, {2}), raw(shape)});
  archive.add("data.npy", {npy_front(value_type, false, {entries}), raw(values)});
  archive.commit();
}

}  // namespace

void write_npz(const std::filesystem::path& path, const Csr<double>& matrix, bool complex) {
  if (complex) {
    const ComplexParts parts = parts_of(matrix);
    std::vector<double> values(2 * parts.s.values.size());
    for (std::size_t k = 0; k < parts.s.values.size(); ++k) {
      values[2 * k] = parts.s.values[k];
      values[2 * k + 1] = parts.t.values[k];
    }
    return write_arrays(path, parts.s, "<c16", values);
  }
  write_arrays(path, matrix, "<f8", matrix.values);
}

}  // namespace spsolve::io
