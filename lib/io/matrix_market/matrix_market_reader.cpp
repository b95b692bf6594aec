#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "io/files/gzip.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/matrix_market_chunk.hpp"
#include "io/matrix_market/matrix_market_header.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace {

std::size_t free_memory() {
  return static_cast<std::size_t>(available_memory());
}

using io::MappedFile;
using io::MatrixMarketText;
using io::ParsedHeader;
namespace fs = std::filesystem;

/// Of text, that readers of entries parse at a time.
constexpr std::int64_t batch_bytes = std::int64_t{1} << 26;

/// Ends of the pieces of `body`, each after an LF or at the end, about `size` bytes apart; the last
/// one is before a line that is too long.
std::vector<std::size_t> chunk_borders(std::string_view body, std::size_t size) {
  std::vector<std::size_t> borders{0};
  while (borders.back() < body.size()) {
    const std::size_t end = io::chunk_end(body, borders.back(), size);
    if (end == borders.back()) break;
    borders.push_back(end);
  }
  return borders;
}

/// Asks for large pages for `size` elements of `values`, for which memory was reserved: fewer page
/// faults, a quarter of the time of reading.
template <typename T>
void advise_huge_pages(const std::vector<T>& values, std::size_t size) {
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  if (size * sizeof(T) < 2 * huge_page) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t aligned = (begin + huge_page - 1) / huge_page * huge_page;
  const std::size_t length = size * sizeof(T) - (aligned - begin);
  ::madvise(reinterpret_cast<void*>(aligned), length, MADV_HUGEPAGE);
}

/// Makes `values` hold `size` elements; memory for it was reserved.
template <typename T>
void resize_in_huge_pages(std::vector<T>& values, std::size_t size) {
  advise_huge_pages(values, size);
  values.resize(size);
}

/// Of the lists of so many entries.
std::size_t bytes_of(const MatrixMarketHeader& matrix, Index entries) {
  const bool array = matrix.format == MatrixMarketFormat::array;
  return static_cast<std::size_t>(entries) * ((array ? 8 : 24) + (matrix.is_complex() ? 8 : 0));
}

[[noreturn]] void fail_memory(const fs::path& path, const MatrixMarketHeader& matrix,
                              std::size_t bytes) {
  fail(ExitCode::resources,
       "{}: its {} entries need {} MiB of memory, {} MiB are available; use a larger machine",
       path.string(), matrix.entries, (bytes >> 20) + 1, free_memory() >> 20);
}

/// Gives `lists` room for `entries`, of which nothing is touched; whether there is as much.
bool has_room(const MatrixMarketHeader& matrix, Coo& lists, Index entries) {
  const auto size = static_cast<std::size_t>(entries);
  const bool array = matrix.format == MatrixMarketFormat::array;
  const std::size_t bytes = bytes_of(matrix, entries);
  if (bytes > std::size_t{1} << 26 && bytes > free_memory()) return false;
  try {
    lists.value.reserve(size);
    lists.imaginary.reserve(matrix.is_complex() ? size : 0);
    lists.row.reserve(array ? 0 : size);
    lists.column.reserve(array ? 0 : size);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

/// Gives `lists` room for `entries`; the vectors are touched in parallel.
void allocate(const MatrixMarketText& source, Coo& lists, Index entries) {
  const auto size = static_cast<std::size_t>(entries);
  const std::size_t bytes = bytes_of(source.matrix(), entries);
  if (!has_room(source.matrix(), lists, entries)) {
    fail_memory(source.path(), source.matrix(), bytes);
  }
  const auto resize = [size](auto& list) {
    resize_in_huge_pages(list, list.capacity() < size ? 0 : size);
  };
#pragma omp parallel sections num_threads(std::min(source.threads, 3)) if (bytes > std::size_t{1} \
                                                                                       << 22)
  {
#pragma omp section
    resize(lists.value);
#pragma omp section
    resize(lists.row);
#pragma omp section
    resize(lists.column);
#pragma omp section
    resize(lists.imaginary);
  }
}

/// check_pairs() of a list; files that keep to one triangle, nearly all, cost one scan.
void check_triangles(const fs::path& path, Symmetry symmetry, const Coo& lists) {
  if (symmetry == Symmetry::general) return;
  const Index entries = lists.entries();
  bool below = false;
  bool above = false;
#pragma omp parallel for schedule(static) reduction(|| : below, above)
  for (Index k = 0; k < entries; ++k) {
    below = below || lists.row[k] > lists.column[k];
    above = above || lists.row[k] < lists.column[k];
  }
  if (!below || !above) return;
  std::vector<io::TriangleEntry> places;
  for (Index k = 0; k < entries; ++k) {
    if (lists.row[k] != lists.column[k]) places.emplace_back(lists.row[k], lists.column[k]);
  }
  io::check_pairs(path, symmetry, std::move(places));
}

/// Parses the body into `lists`: row, column and value per line, or only the value (array).
///
/// Threads take pieces of whole lines in turn. Where a piece's first entry goes follows from the
/// number of lines before it: counted only when there are several threads, and looked at line by
/// line only when comments or blank lines stand among them.
void parse_body(MatrixMarketText& source, Coo& lists) {
  const std::string_view body = source.body();
  const MatrixMarketHeader& matrix = source.matrix();
  const std::vector<std::size_t> borders = chunk_borders(body, source.chunk_bytes);
  const auto chunks = static_cast<Index>(borders.size()) - 1;
  const int threads = static_cast<int>(std::min<Index>(source.threads, std::max<Index>(chunks, 1)));
  const auto chunk = [&](Index c) { return body.substr(borders[c], borders[c + 1] - borders[c]); };

  // offsets[c]: entries before piece c, once they are known.
  std::vector<Index> offsets(chunks + 1, 0);
  const auto count = [&](auto&& lines_of) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (Index c = 0; c < chunks; ++c) offsets[c + 1] = lines_of(chunk(c));
    for (Index c = 0; c < chunks; ++c) offsets[c + 1] += offsets[c];
    return offsets[chunks];
  };
  // A header that claims more entries than the file has room for must not decide how much memory
  // is taken.
  Index room = matrix.entries;
  if (source.claims_too_much() || (threads > 1 && count(io::count_lines) != matrix.entries)) {
    room = std::min(matrix.entries, count(io::count_data_lines));
  }
  allocate(source, lists, room);

  std::vector<io::ChunkResult> results(chunks);
  const auto parse = [&](Index c, Index first) {
    const std::string_view piece = chunk(c);
    const bool array = matrix.format == MatrixMarketFormat::array;
    first = std::min(first, room);
    const io::EntryTarget target{
        array ? nullptr : lists.row.data() + first, array ? nullptr : lists.column.data() + first,
        lists.value.data() + first, matrix.is_complex() ? lists.imaginary.data() + first : nullptr};
    results[c] =
        io::parse_chunk(piece.data(), piece.data() + piece.size(), matrix, target, room - first);
  };
  if (threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (Index c = 0; c < chunks; ++c) parse(c, offsets[c]);
  } else {
    Index found = 0;
    for (Index c = 0; c < chunks && results[std::max<Index>(c - 1, 0)].problem == nullptr; ++c) {
      parse(c, found);
      found += results[c].found;
    }
  }

  Index found = 0;
  for (const io::ChunkResult& result : results) {
    if (result.problem != nullptr) source.fail_line(result.problem, result.surplus);
    found += result.found;
  }
  if (borders.back() < body.size()) {
    const std::string_view line = body.substr(borders.back(), io::longest_line);
    source.fail_line(line.data(), found == matrix.entries && io::count_data_lines(line) > 0);
  }
  source.require_end(found);
  if (matrix.format == MatrixMarketFormat::coordinate) {
    check_triangles(source.path(), matrix.symmetry, lists);
  }
}

/// The entries of a gzip file, which its reader inflates piece by piece.
void append_entries(io::EntryReader& reader, const fs::path& path, Coo& lists) {
  const MatrixMarketHeader& matrix = reader.matrix();
  const Index entries = matrix.entries;
  if (reader.claims_too_much() || !has_room(matrix, lists, entries)) {
    reader.read_to_end();
    fail_memory(path, matrix, bytes_of(matrix, entries));
  }
  advise_huge_pages(lists.value, lists.value.capacity());
  advise_huge_pages(lists.imaginary, lists.imaginary.capacity());
  advise_huge_pages(lists.row, lists.row.capacity());
  advise_huge_pages(lists.column, lists.column.capacity());
  for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
    for (const io::EntryRun& run : runs) {
      lists.row.insert(lists.row.end(), run.row.begin(), run.row.end());
      lists.column.insert(lists.column.end(), run.column.begin(), run.column.end());
      lists.value.insert(lists.value.end(), run.values.begin(), run.values.end());
      lists.imaginary.insert(lists.imaginary.end(), run.imaginary.begin(), run.imaginary.end());
    }
  }
}

/// An array file's values as entries, without the zeros.
void keep_nonzeros(const fs::path& path, const MatrixMarketHeader& matrix, Coo& lists) {
  const std::vector<double> values = std::move(lists.value);
  const std::vector<double> imaginary = std::move(lists.imaginary);
  io::check_hermitian(path, matrix, 0, imaginary);
  const auto nonzeros = values.size() - static_cast<std::size_t>(std::ranges::count(values, 0.0));
  lists.value = {};
  lists.imaginary = {};
  lists.row.reserve(nonzeros);
  lists.column.reserve(nonzeros);
  lists.value.reserve(nonzeros);
  io::for_each_element(matrix, 0, values.size(), [&](Index i, Index j, std::size_t k) {
    if (values[k] == 0.0 && (imaginary.empty() || imaginary[k] == 0.0)) return;
    lists.row.push_back(i);
    lists.column.push_back(j);
    lists.value.push_back(values[k]);
    if (!imaginary.empty()) lists.imaginary.push_back(imaginary[k]);
  });
}

/// About the bytes of a whole text of which the stream has shown the front: its lines are as long
/// as those of that.
std::int64_t expected_text(const io::TextStream& stream, const ParsedHeader& header) {
  const std::size_t seen = stream.bytes_before() + stream.piece().size();
  const std::string_view front = stream.piece().substr(header.body);
  const Index lines = stream.at_end() ? 0 : io::count_lines(front);
  if (lines == 0) return static_cast<std::int64_t>(seen);
  return static_cast<std::int64_t>(static_cast<double>(seen - front.size()) +
                                   static_cast<double>(front.size()) / static_cast<double>(lines) *
                                       static_cast<double>(header.matrix.entries));
}

MatrixMarketHeader header_of(MappedFile file, const fs::path& path) {
  io::TextStream stream(std::move(file), path);
  ParsedHeader header = io::read_front(stream);
  header.matrix.text_bytes = expected_text(stream, header);
  header.matrix.file_bytes = static_cast<std::int64_t>(stream.file_bytes());
  header.matrix.compressed = stream.compressed();
  return header.matrix;
}

Coo entries_of(const Timer& timer, MappedFile file, const fs::path& path,
               const ReadOptions& options, ReadTiming* timing) {
  Coo lists;
  ReadTiming measured;
  const auto read = [&](auto& source, auto&& fill) {
    const MatrixMarketHeader& matrix = source.matrix();
    lists.rows = matrix.rows;
    lists.columns = matrix.columns;
    lists.symmetry = matrix.symmetry;
    lists.is_complex = matrix.is_complex();
    fill(source);
    if (matrix.format == MatrixMarketFormat::array) keep_nonzeros(path, matrix, lists);
    measured = source.timing();
    measured.seconds = timer.seconds();
  };
  if (io::is_gzip(file.text())) {
    io::EntryReader reader(std::move(file), path, options, batch_bytes);
    read(reader, [&](auto& source) { append_entries(source, path, lists); });
  } else {
    MatrixMarketText text(std::move(file), path, options);
    read(text, [&](auto& source) { parse_body(source, lists); });
  }
  if (timing != nullptr) *timing = measured;
  return lists;
}

/// The values of an array file, which every thread puts in their places.
void place_elements(io::EntryReader& reader, Dense<double>& result) {
  const MatrixMarketHeader& matrix = reader.matrix();
  const Index rows = matrix.parts();
  const auto put = [&](Index i, Index j, double value) { result(i, j) = value; };
  for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
#pragma omp parallel for schedule(dynamic) num_threads(reader.threads()) if (runs.size() > 1)
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const io::EntryRun& run = runs[r];
      io::for_each_element(matrix, run.first, run.values.size(),
                           [&](Index i, Index j, std::size_t k) {
                             io::put_element(matrix, rows, run, {i, j}, k, put);
                           });
    }
  }
}

/// The entries of a coordinate file, added up in its order.
void add_entries(io::EntryReader& reader, const fs::path& path, Dense<double>& result) {
  const MatrixMarketHeader& matrix = reader.matrix();
  const Index rows = matrix.parts();
  std::optional<ElementPlace> overflow;  // told when no line of the file is wrong
  for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
    for (const io::EntryRun& run : runs) {
      for (std::size_t k = 0; k < run.values.size() && !overflow; ++k) {
        const Index i = run.row[k];
        const Index j = run.column[k];
        io::put_element(matrix, rows, run, {i, j}, k, [&](Index row, Index column, double value) {
          double& sum = result(row, column);
          sum += value;
          if (!std::isfinite(sum)) overflow = {i, j};
        });
      }
    }
  }
  if (overflow) fail_sum(path, *overflow);
}

Dense<double> dense_of(const Timer& timer, MappedFile file, const fs::path& path,
                       const ReadOptions& options, ReadTiming* timing) {
  io::EntryReader reader(std::move(file), path, options, batch_bytes);
  const MatrixMarketHeader& matrix = reader.matrix();
  const bool fits = io::fits_in_memory(matrix.rows, matrix.columns);
  if (!fits || reader.claims_too_much()) reader.read_to_end();
  if (!fits) io::fail_dense_size(path, matrix);
  Dense<double> result;
  result.rows = matrix.parts() * matrix.rows;
  result.columns = matrix.columns;
  const auto size = static_cast<std::size_t>(result.rows * matrix.columns);
  result.values.reserve(size);
  resize_in_huge_pages(result.values, size);
  if (matrix.format == MatrixMarketFormat::array) {
    place_elements(reader, result);
  } else {
    add_entries(reader, path, result);
  }
  ReadTiming measured = reader.timing();
  measured.seconds = timer.seconds();
  if (timing != nullptr) *timing = measured;
  return result;
}

}  // namespace

void fail_sum(const fs::path& file, ElementPlace place) {
  fail(ExitCode::input,
       "{}: the values of row {}, column {} add up to more than a double holds; the file names it "
       "more than once: correct them, or scale the matrix",
       file.string(), place.row + 1, place.column + 1);
}

void check_sums(const fs::path& file, const Csr<double>& matrix,
                const std::function<ElementPlace(ElementPlace)>& place_in_file) {
  Index first = matrix.nonzeros();
#pragma omp parallel for schedule(static) reduction(min : first)
  for (Index k = 0; k < matrix.nonzeros(); ++k) {
    if (!std::isfinite(matrix.values[k])) first = std::min(first, k);
  }
  if (first == matrix.nonzeros()) return;
  const auto behind = std::ranges::upper_bound(matrix.row_offsets, first);
  const ElementPlace place{behind - matrix.row_offsets.begin() - 1, matrix.column_indices[first]};
  fail_sum(file, place_in_file ? place_in_file(place) : place);
}

MatrixMarketHeader read_header(const fs::path& path) {
  return header_of(MappedFile::open(path), path);
}

MatrixMarketHeader read_header(const MatrixMarketBytes& file) {
  return header_of(MappedFile::copy(file.bytes), file.name);
}

Coo read_matrix_market(const fs::path& path, const ReadOptions& options, ReadTiming* timing) {
  const Timer timer;
  return entries_of(timer, MappedFile::open(path), path, options, timing);
}

Coo read_matrix_market(const MatrixMarketBytes& file, const ReadOptions& options,
                       ReadTiming* timing) {
  const Timer timer;
  return entries_of(timer, MappedFile::copy(file.bytes), file.name, options, timing);
}

Dense<double> read_dense(const fs::path& path, const ReadOptions& options, ReadTiming* timing) {
  const Timer timer;
  return dense_of(timer, MappedFile::open(path), path, options, timing);
}

Dense<double> read_dense(const MatrixMarketBytes& file, const ReadOptions& options,
                         ReadTiming* timing) {
  const Timer timer;
  return dense_of(timer, MappedFile::copy(file.bytes), file.name, options, timing);
}

}  // namespace spsolve::io
