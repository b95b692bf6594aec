#include "io/binary/mat.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/plain_text.hpp"
#include "io/binary/mat_elements.hpp"
#include "io/binary/npy.hpp"
#include "io/files/inflater.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace {

constexpr std::size_t header_bytes = 128;
constexpr std::uint32_t of_matrix = 14;                                // an element
constexpr std::uint32_t structure = 2, sparse = 5, most_numeric = 15;  // classes

/// The part of a name that is the file's, and the variable's, if there is one.
std::string_view variable_in(const std::string& name) {
  const std::string file = MappedFile::file_of(name).string();
  return file.size() < name.size() ? std::string_view(name).substr(file.size() + 1)
                                   : std::string_view();
}

/// A variable, or a field of one, as its front tells.
struct Variable {
  std::string name;
  std::uint32_t kind = 0;
  bool complex = false;
  Index rows = -1, columns = -1;  ///< -1: not of two dimensions

  bool is_matrix() const { return kind >= sparse && kind <= most_numeric && rows >= 0; }
  bool is_sparse() const { return kind == sparse; }
};

/// The next numbers, which are whole ones.
Numbers whole_numbers(MatElements& elements, std::string_view what) {
  const Numbers numbers = elements.numbers(what);
  if (!is_integer(numbers.type)) {
    fail_damaged_mat(elements.name(), fmt::format("{} are not whole numbers", what));
  }
  return numbers;
}

/// The front of the elements of a matrix; leaves those of its content.
Variable front_of(MatElements& elements) {
  Variable variable;
  const Numbers flags = elements.numbers("flags");
  if (flags.type != NumberType::uint32 || flags.count != 2) {
    fail_damaged_mat(elements.name(), "flags of a variable are not two numbers");
  }
  const auto word = [&](Index k) {
    return visit_numbers(flags, [k](const auto& at) { return static_cast<std::uint32_t>(at(k)); });
  };
  constexpr std::uint32_t complex = 0x800;
  variable.kind = word(0) & 0xff;
  variable.complex = (word(0) & complex) != 0;
  const Numbers sizes = whole_numbers(elements, "dimensions");
  if (sizes.count == 2) {
    visit_numbers(sizes, [&](const auto& at) {
      variable.rows = static_cast<Index>(at(0));
      variable.columns = static_cast<Index>(at(1));
    });
    constexpr Index most = Index{1} << 31;
    if (std::min(variable.rows, variable.columns) < 0 ||
        std::max(variable.rows, variable.columns) > most) {
      fail_damaged_mat(elements.name(), fmt::format("a variable of {} x {} cannot be",
                                                    variable.rows, variable.columns));
    }
  }
  variable.name = std::string(elements.text());
  return variable;
}

/// Deflated bytes, at most so many of them, that begin with a tag.
MappedFile inflated(std::string_view packed, std::size_t most, const std::string& name) {
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(available_memory() / 2, 0));
  const std::size_t size = std::min(most, packed.size() * Inflater::most_growth + mat_tag_bytes);
  if (size > limit) {
    fail(ExitCode::resources, "{}: a variable of {} bytes does not fit into memory", name, size);
  }
  MappedFile content = MappedFile::buffer(size);
  Inflater inflater(Inflater::Form::zlib);
  char* to = content.data();
  std::size_t room = size;
  const Inflater::State state = inflater.inflate(packed, to, room);
  if (state == Inflater::State::damaged) fail_damaged_mat(name, "a variable cannot be inflated");
  content.set_size(size - room);
  return content;
}

/// A variable of a file, with what it lies in where it was deflated.
struct Held {
  std::optional<MappedFile> memory;
  std::string_view bytes;  ///< of the elements of the matrix
};

/// Variables of a file of versions 5 to 7.
class MatFile {
 public:
  MatFile(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    constexpr std::size_t of_version = 124, of_order = 126;
    const bool little = std::endian::native == std::endian::little;
    swaps_ = (bytes[of_order] == 'I') != little;
    const char major = bytes[of_version + (bytes[of_order] == 'I' ? 1 : 0)];
    if (major == 1) return;
    fail(ExitCode::input,
         "{}: is of version 7.3 of MATLAB's files, which are HDF5, and versions 5 to 7 are read: "
         "save it by save('-v7', ...)",
         name);
  }

  /// Calls visit(held) for each variable, inflated.
  template <typename Visit>
  void each(const Visit& visit) const {
    MatElements elements(bytes_.substr(header_bytes), swaps_, name_);
    while (elements.has_more()) {
      const MatElements::Element element = elements.next();
      if (element.type == of_matrix) {
        visit(Held{{}, element.bytes});
      } else if (element.type == deflated_element) {
        visit(whole(element.bytes));
      }
    }
  }

  bool swaps() const { return swaps_; }
  const std::string& name() const { return name_; }

 private:
  Held whole(std::string_view packed) const {
    const MappedFile tag = inflated(packed, mat_tag_bytes, name_);
    MatElements front(tag.text(), swaps_, name_);
    if (tag.text().size() < mat_tag_bytes)
      fail_damaged_mat(name_, "a deflated variable is cut off");
    std::uint32_t words[2];
    for (int k = 0; k < 2; ++k) {
      const char* const at = tag.text().data() + 4 * k;
      words[k] =
          swaps_ ? number_at<std::uint32_t, true>(at, 0) : number_at<std::uint32_t, false>(at, 0);
    }
    if (words[0] != of_matrix) fail_damaged_mat(name_, "a deflated variable is none");
    const std::size_t size = mat_tag_bytes + std::size_t{words[1]};
    if (size > packed.size() * Inflater::most_growth + mat_tag_bytes) {
      fail_damaged_mat(name_, "a deflated variable is longer than its bytes can be");
    }
    Held held;
    held.memory = inflated(packed, size, name_);
    if (held.memory->text().size() != size)
      fail_damaged_mat(name_, "a deflated variable is cut off");
    held.bytes = held.memory->text().substr(mat_tag_bytes);
    return held;
  }

  std::string_view bytes_;
  const std::string& name_;
  bool swaps_ = false;
};

/// A matrix that was chosen: its front, and the elements of its content.
struct Chosen {
  Variable variable;
  Held held;
  std::optional<MatElements> content;
};

/// Calls visit(front, content) for a matrix, or for those that are fields of a structure.
template <typename Visit>
void matrices_in(std::string_view bytes, bool swaps, const std::string& name, const Visit& visit) {
  MatElements elements(bytes, swaps, name);
  Variable variable = front_of(elements);
  if (variable.is_matrix()) return visit(std::move(variable), elements);
  if (variable.kind != structure || variable.rows != 1 || variable.columns != 1) return;
  const Numbers length = whole_numbers(elements, "lengths of fields");
  const Index each =
      length.count == 1
          ? visit_numbers(length, [](const auto& at) { return static_cast<Index>(at(0)); })
          : 0;
  const std::string_view names = elements.text();
  if (each < 1) fail_damaged_mat(name, "names of fields have no length");
  for (std::size_t at = 0; at + each <= names.size(); at += static_cast<std::size_t>(each)) {
    const MatElements::Element field = elements.next();
    if (field.type != of_matrix || field.bytes.empty()) continue;
    std::string_view word = names.substr(at, static_cast<std::size_t>(each));
    word = word.substr(0, word.find('\0'));
    MatElements inside(field.bytes, swaps, name);
    Variable member = front_of(inside);
    member.name = fmt::format("{}.{}", variable.name, word);
    if (member.is_matrix()) visit(std::move(member), inside);
  }
}

/// The matrix that the name asks for.
Chosen chosen(std::string_view bytes, const std::string& name) {
  const std::string_view wanted = variable_in(name);
  const MatFile file(bytes, name);
  Chosen found;
  std::vector<std::string> names;
  file.each([&](Held held) {
    bool taken = false;
    matrices_in(held.bytes, file.swaps(), name, [&](Variable variable, MatElements content) {
      names.push_back(variable.name);
      const bool is_it = wanted.empty() ? names.size() == 1 : variable.name == wanted;
      if (!is_it) return;
      found.variable = std::move(variable);
      found.content = content;
      taken = true;
    });
    if (taken) found.held = std::move(held);
  });
  constexpr std::size_t most = 8;
  const std::size_t all = names.size();
  std::string shown = plain_text(
      fmt::format("{}{}", fmt::join(names.begin(), names.begin() + std::min(all, most), ", "),
                  all > most ? ", ..." : ""));
  if (wanted.empty() && all > 1) {
    fail(ExitCode::input, "{}: holds {} matrices, {}: name one of them, as {}:{}", name, all, shown,
         name, plain_text(names.front()));
  }
  if (!found.content) {
    fail(ExitCode::input, "{}: holds no matrix{}, but {}", name,
         wanted.empty() ? " of numbers" : " of that name",
         all == 0 ? "nothing of the kind" : shown);
  }
  return found;
}

/// Real numbers as they are, complex ones as pairs in `memory`.
Numbers values_of(MatElements& content, const Variable& variable, Index count,
                  std::vector<double>& memory) {
  const auto part = [&](std::string_view what) {
    const Numbers numbers = content.numbers(what);
    if (numbers.count < count) {
      fail_damaged_mat(content.name(), fmt::format("{} are {}, and there should be {}", what,
                                                   numbers.count, count));
    }
    return numbers.part(0, count);
  };
  const Numbers real = part("values");
  if (!variable.complex) return real;
  const Numbers imaginary = part("imaginary parts");
  memory.resize(static_cast<std::size_t>(2 * count));
  for (int k = 0; k < 2; ++k) {
    visit_numbers(k == 0 ? real : imaginary, [&](const auto& at) {
      for (Index i = 0; i < count; ++i) memory[2 * i + k] = static_cast<double>(at(i));
    });
  }
  return {reinterpret_cast<const char*>(memory.data()), count, NumberType::complex128,
          std::endian::native == std::endian::big};
}

/// The offsets of columns, and the entries, of a sparse one.
struct SparseFront {
  Numbers rows, offsets;
  Index entries = 0;
};
SparseFront sparse_front(Chosen& matrix) {
  SparseFront front;
  front.rows = whole_numbers(*matrix.content, "indices of rows");
  front.offsets = whole_numbers(*matrix.content, "offsets of columns");
  const std::string& name = matrix.content->name();
  if (front.offsets.count - 1 != matrix.variable.columns) {
    fail_damaged_mat(name, fmt::format("there are {} offsets for {} columns", front.offsets.count,
                                       matrix.variable.columns));
  }
  front.entries = visit_numbers(front.offsets, [&](const auto& at) {
    return static_cast<Index>(at(front.offsets.count - 1));
  });
  if (front.entries < 0 || front.entries > front.rows.count) {
    fail_damaged_mat(
        name, fmt::format("{} entries have {} indices of rows", front.entries, front.rows.count));
  }
  return front;
}

/// The bytes of numpy's file of numbers as they lie here.
MappedFile npy_of(const Numbers& numbers, Index rows, Index columns, bool by_columns) {
  const bool complex = has_two_parts(numbers.type);
  const Numbers parts = numbers.in_parts();
  const std::string front = npy_front(complex ? "<c16" : "<f8", by_columns, {rows, columns});
  const std::size_t size = front.size() + static_cast<std::size_t>(parts.count) * sizeof(double);
  MappedFile file = MappedFile::buffer(size);
  char* const to = std::copy(front.begin(), front.end(), file.data());
  visit_numbers(parts, [&](const auto& at) {
    for (Index k = 0; k < parts.count; ++k) {
      const auto value = static_cast<double>(at(k));
      std::memcpy(to + k * Index{sizeof value}, &value, sizeof value);
    }
  });
  file.set_size(size);
  return file;
}

}  // namespace

bool is_mat(std::string_view bytes) {
  constexpr std::size_t of_version = 124;
  if (bytes.size() < header_bytes || !bytes.starts_with("MATLAB ")) return false;
  const std::string_view end = bytes.substr(of_version, 4);
  using namespace std::string_view_literals;
  return end == "\0\1IM"sv || end == "\1\0MI"sv || end == "\0\2IM"sv || end == "\2\0MI"sv;
}

bool is_sparse_mat(std::string_view bytes, const std::string& name) {
  return chosen(bytes, name).variable.is_sparse();
}

MatrixShape mat_shape(std::string_view bytes, const std::string& name) {
  Chosen matrix = chosen(bytes, name);
  const Variable& is = matrix.variable;
  const Index entries = sparse_front(matrix).entries;
  const MatrixShape shape{
      is.rows, is.columns, entries, entries, static_cast<std::int64_t>(bytes.size()), true};
  return is.complex ? of_real_form(shape) : shape;
}

Csr<double> read_mat(std::string_view bytes, const std::string& name) {
  Chosen matrix = chosen(bytes, name);
  const SparseFront front = sparse_front(matrix);
  std::vector<double> pairs;
  const Numbers values = values_of(*matrix.content, matrix.variable, front.entries, pairs);
  return csr_from_arrays({matrix.variable.rows, matrix.variable.columns, front.offsets,
                          front.rows.part(0, front.entries), values, true},
                         name);
}

MappedFile npy_of_mat(std::string_view bytes, const std::string& name) {
  Chosen matrix = chosen(bytes, name);
  const auto [rows, columns] = std::pair(matrix.variable.rows, matrix.variable.columns);
  const Index parts = matrix.variable.complex ? complex_parts : 1;
  if (rows > 0 && columns > 0 && !fits_in_memory(parts * rows, columns)) {
    fail(ExitCode::resources, "{}: its {} x {} elements do not fit into memory", name, rows,
         columns);
  }
  std::vector<double> pairs;
  if (!matrix.variable.is_sparse()) {
    const Numbers values = values_of(*matrix.content, matrix.variable, rows * columns, pairs);
    return npy_of(values, rows, columns, true);
  }
  const Dense<double> all = matrix::all_elements(read_mat(bytes, name), parts);
  pairs.resize(all.values.size());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      for (Index part = 0; part < parts; ++part) {
        pairs[(i * columns + j) * parts + part] = all(i * parts + part, j);
      }
    }
  }
  return npy_of({reinterpret_cast<const char*>(pairs.data()), rows * columns,
                 parts > 1 ? NumberType::complex128 : NumberType::float64,
                 std::endian::native == std::endian::big},
                rows, columns, false);
}

}  // namespace spsolve::io
