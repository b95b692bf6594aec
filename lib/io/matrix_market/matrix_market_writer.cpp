#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <omp.h>

#include "core/error.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve::inline io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_index = 20;
constexpr std::size_t longest_value = 24;  // -2.2250738585072014e-308
constexpr std::size_t longest_element = longest_value + 1;
constexpr std::size_t longest_entry = 2 * longest_index + 2 + longest_element;

/// Lines that are formatted, and deflated to a gzip member, together.
constexpr Index piece_lines = Index{1} << 16;

char* put(char* p, Index index) {
  return std::to_chars(p, p + longest_index, index).ptr;
}
char* put(char* p, double value) {
  return std::to_chars(p, p + longest_value, value).ptr;
}

char* put_element(char* p, double value, char end = '\n') {
  p = put(p, value);
  *p++ = end;
  return p;
}

char* put_entry(char* p, Index row, Index column, double value, char end = '\n') {
  p = put(p, row + 1);
  *p++ = ' ';
  p = put(p, column + 1);
  *p++ = ' ';
  return put_element(p, value, end);
}

/// Banner and comment lines.
std::string file_front(std::string_view format, Symmetry symmetry, std::string_view comment,
                       bool complex = false) {
  std::string front = fmt::format("%%MatrixMarket matrix {} {} {}\n", format,
                                  complex ? "complex" : "real", name(symmetry));
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    std::string line(comment.substr(0, end));
    std::erase(line, '\r');
    front += line.empty() ? "%\n" : "% " + line + "\n";
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return front;
}

std::string array_front(Index rows, Index columns, std::string_view comment, bool complex) {
  return file_front("array", Symmetry::general, comment, complex) +
         fmt::format("{} {}\n", rows, columns);
}

/// A file of lines, plain or gzip, that comes into being whole.
class LineWriter {
 public:
  LineWriter(const fs::path& path, const std::string& front)
      : path_(path), gzip_(path.extension() == ".gz"), file_(path) {
    file_.write(gzip_ ? io::deflate_gzip(front) : front);
  }

  /// Writes `lines` lines of at most `longest` characters. put_lines(begin, end, p) formats the
  /// lines begin <= k < end from p on and hands back where they end; pieces are formatted, and
  /// deflated, in parallel and written in order. The bytes do not depend on the number of threads,
  /// nor on how lines are divided among calls of whole pieces.
  template <typename PutLines>
  void write(Index lines, std::size_t longest, PutLines&& put_lines) {
    try {
      const Index pieces = (lines + piece_lines - 1) / piece_lines;
      const auto batch =
          static_cast<int>(std::min<Index>(pieces, 2 * static_cast<Index>(omp_get_max_threads())));
      std::vector<std::string> texts(batch);
      for (Index first = 0; first < pieces; first += batch) {
        const int count = static_cast<int>(std::min<Index>(batch, pieces - first));
        std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) if (count > 1)
        for (int i = 0; i < count; ++i) {
          try {
            const Index begin = (first + i) * piece_lines;
            const Index end = std::min(begin + piece_lines, lines);
            std::string& text = texts[i];
            text.resize(static_cast<std::size_t>(end - begin) * longest);
            const char* stop = put_lines(begin, end, text.data());
            text.resize(static_cast<std::size_t>(stop - text.data()));
            if (gzip_) text = io::deflate_gzip(text);
          } catch (...) {
#pragma omp critical(spsolve_line_writer)
            failure = std::current_exception();
          }
        }
        if (failure) std::rethrow_exception(failure);
        for (int i = 0; i < count; ++i) file_.write(texts[i]);
      }
    } catch (const std::bad_alloc&) {
      fail(ExitCode::resources,
           "{}: cannot be written (out of memory for its text); end other programs, or use a "
           "larger machine",
           path_.string());
    }
  }

  void commit() {
    file_.commit();
  }

 private:
  fs::path path_;
  bool gzip_;
  io::AtomicFile file_;
};

}  // namespace

namespace {

/// Rows of values, of complex ones with their imaginary parts.
void write_rows(const fs::path& path, const Csr<double>& matrix,
                const std::vector<double>* imaginary, std::string_view comment) {
  const bool complex = imaginary != nullptr;
  const std::string front =
      file_front("coordinate", Symmetry::general, comment, complex) +
      fmt::format("{} {} {}\n", matrix.rows, matrix.columns, matrix.nonzeros());
  LineWriter file(path, front);
  const std::size_t longest = longest_entry + (complex ? longest_element : 0);
  file.write(matrix.nonzeros(), longest, [&](Index begin, Index end, char* p) {
    const auto& offsets = matrix.row_offsets;
    Index row = std::ranges::upper_bound(offsets, begin) - offsets.begin() - 1;
    for (Index k = begin; k < end; ++k) {
      while (offsets[row + 1] <= k) ++row;
      p = put_entry(p, row, matrix.column_indices[k], matrix.values[k], complex ? ' ' : '\n');
      if (complex) p = put_element(p, (*imaginary)[k]);
    }
    return p;
  });
  file.commit();
}

}  // namespace

void write_matrix_market(const fs::path& path, const Coo& matrix, std::string_view comment) {
  const std::string front =
      file_front("coordinate", matrix.symmetry, comment) +
      fmt::format("{} {} {}\n", matrix.rows, matrix.columns, matrix.entries());
  LineWriter file(path, front);
  file.write(matrix.entries(), longest_entry, [&](Index begin, Index end, char* p) {
    for (Index k = begin; k < end; ++k) {
      p = put_entry(p, matrix.row[k], matrix.column[k], matrix.value[k]);
    }
    return p;
  });
  file.commit();
}

void write_matrix_market(const fs::path& path, const Csr<double>& matrix, std::string_view comment,
                         bool complex) {
  if (!complex) return write_rows(path, matrix, nullptr, comment);
  const ComplexParts parts = parts_of(matrix);
  write_rows(path, parts.s, &parts.t.values, comment);
}

void write_matrix_market(const fs::path& path, const Dense<double>& matrix,
                         std::string_view comment) {
  LineWriter file(path, array_front(matrix.rows, matrix.columns, comment, false));
  file.write(matrix.rows * matrix.columns, longest_element, [&](Index begin, Index end, char* p) {
    Index row = begin % matrix.rows;
    Index column = begin / matrix.rows;
    for (Index k = begin; k < end; ++k) {
      p = put_element(p, matrix(row, column));
      if (++row == matrix.rows) {
        row = 0;
        ++column;
      }
    }
    return p;
  });
  file.commit();
}

struct ArrayWriter::File {
  LineWriter lines;
  Index parts;                  // of a number
  Index left;                   // elements that are yet to come
  std::vector<double> waiting;  // those that do not fill a piece, which a gzip member is
};

ArrayWriter::ArrayWriter(const fs::path& path, Index rows, Index columns, std::string_view comment,
                         bool complex)
    : file_(new File{{path, array_front(rows, columns, comment, complex)},
                     complex ? complex_parts : 1,
                     (complex ? complex_parts : 1) * rows * columns,
                     {}}) {}

ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::write(std::span<const double> values) {
  const Index parts = file_->parts;
  const auto write_lines = [&](std::span<const double> numbers) {
    file_->lines.write(static_cast<Index>(numbers.size()) / parts,
                       static_cast<std::size_t>(parts) * longest_element,
                       [&](Index begin, Index end, char* p) {
                         for (Index k = parts * begin; k < parts * end; ++k) {
                           p = put_element(p, numbers[k], (k + 1) % parts == 0 ? '\n' : ' ');
                         }
                         return p;
                       });
  };
  const auto piece = static_cast<std::size_t>(parts * piece_lines);
  std::vector<double>& waiting = file_->waiting;
  file_->left -= static_cast<Index>(values.size());
  if (!waiting.empty()) {
    const std::size_t fits = std::min(piece - waiting.size(), values.size());
    waiting.insert(waiting.end(), values.begin(), values.begin() + static_cast<Index>(fits));
    values = values.subspan(fits);
    if (waiting.size() < piece && file_->left > 0) return;
    write_lines(waiting);
    waiting.clear();
  }
  const std::size_t whole = file_->left > 0 ? values.size() / piece * piece : values.size();
  write_lines(values.first(whole));
  waiting.assign(values.begin() + static_cast<Index>(whole), values.end());
}

void ArrayWriter::commit() {
  if (file_->left != 0) {
    fail(ExitCode::internal, "an array file lacks {} of its elements", file_->left);
  }
  file_->lines.commit();
}

}  // namespace spsolve::io
