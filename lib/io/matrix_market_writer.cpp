#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <omp.h>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/gzip.hpp"
#include "io/matrix_market.hpp"

namespace spsolve {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_index = 20;
constexpr std::size_t longest_value = 24;  // -2.2250738585072014e-308
constexpr std::size_t longest_line = 2 * longest_index + longest_value + 3;

char* put(char* p, Index index) {
  return std::to_chars(p, p + longest_index, index).ptr;
}
char* put(char* p, double value) {
  return std::to_chars(p, p + longest_value, value).ptr;
}

char* put_entry(char* p, Index row, Index column, double value) {
  p = put(p, row + 1);
  *p++ = ' ';
  p = put(p, column + 1);
  *p++ = ' ';
  p = put(p, value);
  *p++ = '\n';
  return p;
}

/// Banner and comment lines.
std::string file_front(std::string_view format, Symmetry symmetry, std::string_view comment) {
  std::string front = fmt::format("%%MatrixMarket matrix {} real {}\n", format, name(symmetry));
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    std::string line(comment.substr(0, end));
    std::erase(line, '\r');
    front += line.empty() ? "%\n" : "% " + line + "\n";
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return front;
}

/// Writes `front` and then `lines` lines. put_lines(begin, end, p) formats the lines
/// begin <= k < end from p on and hands back where they end; pieces are formatted, and deflated,
/// in parallel and written in order. The bytes do not depend on the number of threads.
template <typename PutLines>
void write_file(const fs::path& path, const std::string& front, Index lines, PutLines&& put_lines) {
  constexpr Index piece_lines = Index{1} << 16;
  const bool gzip = path.extension() == ".gz";
  io::AtomicFile file(path);
  try {
    file.write(gzip ? io::deflate_gzip(front) : front);
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
          text.resize(static_cast<std::size_t>(end - begin) * longest_line);
          const char* stop = put_lines(begin, end, text.data());
          text.resize(static_cast<std::size_t>(stop - text.data()));
          if (gzip) text = io::deflate_gzip(text);
        } catch (...) {
#pragma omp critical(spsolve_write_file)
          failure = std::current_exception();
        }
      }
      if (failure) std::rethrow_exception(failure);
      for (int i = 0; i < count; ++i) file.write(texts[i]);
    }
  } catch (const std::bad_alloc&) {
    fail(ExitCode::resources,
         "{}: cannot be written (out of memory for its text); end other programs, or use a larger "
         "machine",
         path.string());
  }
  file.commit();
}

}  // namespace

void write_matrix_market(const fs::path& path, const Coo& matrix, std::string_view comment) {
  const std::string front =
      file_front("coordinate", matrix.symmetry, comment) +
      fmt::format("{} {} {}\n", matrix.rows, matrix.columns, matrix.entries());
  write_file(path, front, matrix.entries(), [&](Index begin, Index end, char* p) {
    for (Index k = begin; k < end; ++k) {
      p = put_entry(p, matrix.row[k], matrix.column[k], matrix.value[k]);
    }
    return p;
  });
}

void write_matrix_market(const fs::path& path, const Csr<double>& matrix,
                         std::string_view comment) {
  const std::string front =
      file_front("coordinate", Symmetry::general, comment) +
      fmt::format("{} {} {}\n", matrix.rows, matrix.columns, matrix.nonzeros());
  write_file(path, front, matrix.nonzeros(), [&](Index begin, Index end, char* p) {
    const auto& offsets = matrix.row_offsets;
    Index row = std::ranges::upper_bound(offsets, begin) - offsets.begin() - 1;
    for (Index k = begin; k < end; ++k) {
      while (offsets[row + 1] <= k) ++row;
      p = put_entry(p, row, matrix.column_indices[k], matrix.values[k]);
    }
    return p;
  });
}

void write_matrix_market(const fs::path& path, const Dense<double>& matrix,
                         std::string_view comment) {
  const std::string front = file_front("array", Symmetry::general, comment) +
                            fmt::format("{} {}\n", matrix.rows, matrix.columns);
  write_file(path, front, matrix.rows * matrix.columns, [&](Index begin, Index end, char* p) {
    Index row = begin % matrix.rows;
    Index column = begin / matrix.rows;
    for (Index k = begin; k < end; ++k) {
      p = put(p, matrix(row, column));
      *p++ = '\n';
      if (++row == matrix.rows) {
        row = 0;
        ++column;
      }
    }
    return p;
  });
}

}  // namespace spsolve
