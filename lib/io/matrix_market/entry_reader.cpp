#include "io/matrix_market/entry_reader.hpp"

#include <utility>

#include <omp.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "io/files/gzip.hpp"
#include "process/system.hpp"

namespace spsolve::io {

namespace fs = std::filesystem;

namespace {

/// Characters of the shortest line: of an array "1", of a list "1 1", each with its LF.
Index shortest_line(const MatrixMarketHeader& matrix) {
  return matrix.format == MatrixMarketFormat::array ? 2 : 4;
}

}  // namespace

bool MatrixMarketText::claims_too_much() const {
  return header.matrix.entries >
         static_cast<Index>(body().size()) / shortest_line(header.matrix) + 1;
}

void MatrixMarketText::fail_at_end(Index found) const {
  const bool array = header.matrix.format == MatrixMarketFormat::array;
  fail_at(path, count_lines(text()),
          fmt::format("{} entries, as line {} {}", header.matrix.entries, header.size_line,
                      array ? "implies" : "declares"),
          fmt::format("the end of the file after {}", found),
          "the file is cut off, or its size line is wrong");
}

MatrixMarketText open_text(MappedFile file, const fs::path& path, const ReadOptions& options,
                           ReadTiming& timing) {
  const auto file_bytes = static_cast<std::int64_t>(file.text().size());
  file.will_read_all();
  if (is_gzip(file.text())) {
    const Timer timer;
    const auto limit = static_cast<std::size_t>(
        options.inflated_limit > 0 ? options.inflated_limit : available_memory() / 2);
    file = inflate_gzip(file.text(), path, limit);
    timing.inflate_seconds = timer.seconds();
  }
  ParsedHeader header = *parse_header(file.text(), path, true);
  header.matrix.file_bytes = file_bytes;
  header.matrix.text_bytes = static_cast<std::int64_t>(file.text().size());
  timing.bytes = header.matrix.text_bytes;
  timing.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  return {path, std::move(file), header, timing.threads,
          static_cast<std::size_t>(std::max<std::int64_t>(options.chunk_bytes, 1))};
}

std::size_t chunk_end(std::string_view body, std::size_t begin, std::size_t size) {
  const std::size_t aim = body.size() - begin > size ? begin + size : body.size();
  return std::min(body.find('\n', aim - 1), body.size() - 1) + 1;
}

void check_pairs(const fs::path& path, Symmetry symmetry, std::vector<TriangleEntry> entries) {
  std::sort(entries.begin(), entries.end());
  for (std::size_t k = 1; k < entries.size(); ++k) {
    const TriangleEntry& a = entries[k - 1];
    const TriangleEntry& b = entries[k];
    if (a.larger != b.larger || a.smaller != b.smaller || a.below == b.below) continue;
    fail(ExitCode::input,
         "{}: the header says {}, but entries ({}, {}) and ({}, {}) are both stored; keep one "
         "triangle, or write 'general' in the header",
         path.string(), name(symmetry), a.larger + 1, a.smaller + 1, a.smaller + 1, a.larger + 1);
  }
}

bool fits_in_memory(Index rows, Index columns) {
  constexpr Index harmless = Index{1} << 20;  // without a look at what is free
  Index elements = 0;
  if (__builtin_mul_overflow(rows, columns, &elements)) return false;
  return elements <= harmless ||
         elements <= available_memory() / static_cast<std::int64_t>(sizeof(double));
}

void fail_dense_size(const fs::path& path, const MatrixMarketHeader& matrix) {
  fail(ExitCode::resources,
       "{}: {} x {} elements are too many to be held as a dense matrix; read it as a sparse one",
       path.string(), matrix.rows, matrix.columns);
}

void EntryReader::Slot::make_room(bool array) {
  const Index room = static_cast<Index>(text.size()) / (array ? 2 : 4) + 1;
  if (room <= size) return;
  size = 0;
  value = UntouchedArray<double>(room);
  row = UntouchedArray<Index>(array ? 0 : room);
  column = UntouchedArray<Index>(array ? 0 : room);
  size = room;
}

void EntryReader::Slot::parse(const MatrixMarketHeader& matrix, Index limit) {
  result = parse_chunk(text.data(), text.data() + text.size(), matrix,
                       {row.data(), column.data(), value.data()}, std::min(limit, size));
  below = above = false;
  if (matrix.symmetry == Symmetry::general || matrix.format == MatrixMarketFormat::array) return;
  for (Index k = 0; k < result.found; ++k) {
    below = below || row[k] > column[k];
    above = above || row[k] < column[k];
  }
}

EntryReader::EntryReader(MappedFile file, const fs::path& path, const ReadOptions& options,
                         ReadTiming& timing, std::int64_t batch_bytes)
    : source_(open_text(std::move(file), path, options, timing)) {
  // Some chunks for each thread even out that one takes longer than another.
  constexpr std::size_t chunks_per_thread = 4;
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(batch_bytes, 1));
  const std::size_t shared = batch / (chunks_per_thread * static_cast<std::size_t>(timing.threads));
  source_.chunk_bytes = std::clamp<std::size_t>(shared, 1, source_.chunk_bytes);
  const std::size_t all = source_.body().size() / source_.chunk_bytes + 1;
  source_.threads = static_cast<int>(std::min(static_cast<std::size_t>(source_.threads), all));
  slots_.resize(std::min(std::max<std::size_t>(batch / source_.chunk_bytes, 1), all));
}

std::span<const EntryRun> EntryReader::next_batch() {
  const std::string_view body = source_.body();
  const bool array = matrix().format == MatrixMarketFormat::array;
  Index chunks = 0;
  for (; chunks < static_cast<Index>(slots_.size()) && at_ < body.size(); ++chunks) {
    const std::size_t end = chunk_end(body, at_, source_.chunk_bytes);
    slots_[chunks].text = body.substr(at_, end - at_);
    slots_[chunks].make_room(array);
    at_ = end;
  }
#pragma omp parallel for schedule(dynamic) num_threads(source_.threads) if (chunks > 1)
  for (Index c = 0; c < chunks; ++c) slots_[c].parse(matrix(), slots_[c].size);

  runs_.clear();
  for (Index c = 0; c < chunks; ++c) {
    Slot& slot = slots_[c];
    const Index left = matrix().entries - found_;
    if (slot.result.problem != nullptr || slot.result.found > left) {
      slot.parse(matrix(), left);  // of two faults of a chunk the first counts
      fail_line(source_.text(), source_.path, source_.header, slot.result.problem,
                slot.result.surplus);
    }
    const auto count = static_cast<std::size_t>(slot.result.found);
    const std::size_t indices = array ? 0 : count;
    runs_.push_back({found_,
                     {slot.row.data(), indices},
                     {slot.column.data(), indices},
                     {slot.value.data(), count}});
    found_ += slot.result.found;
    below_ = below_ || slot.below;
    above_ = above_ || slot.above;
  }
  return runs_;
}

std::span<const EntryRun> EntryReader::next() {
  const std::span<const EntryRun> runs = next_batch();
  if (runs.empty()) {
    if (found_ < matrix().entries) source_.fail_at_end(found_);
    if (below_ && above_) check_triangles();
  }
  return runs;
}

void EntryReader::read_to_end() {
  while (!next().empty()) {
  }
}

/// A second pass, which files that keep to one triangle, nearly all, are spared.
void EntryReader::check_triangles() {
  at_ = 0;
  found_ = 0;
  std::vector<TriangleEntry> entries;
  for (auto runs = next_batch(); !runs.empty(); runs = next_batch()) {
    for (const EntryRun& run : runs) {
      for (std::size_t k = 0; k < run.values.size(); ++k) {
        if (run.row[k] != run.column[k]) entries.emplace_back(run.row[k], run.column[k]);
      }
    }
  }
  check_pairs(source_.path, matrix().symmetry, std::move(entries));
}

ElementPlace place_of_element(const MatrixMarketHeader& matrix, Index k) {
  if (matrix.symmetry == Symmetry::general) return {k % matrix.rows, k / matrix.rows};
  // Column j begins behind those before it, `longest` + (longest - 1) + ... elements.
  const Index longest = matrix.symmetry == Symmetry::symmetric ? matrix.rows : matrix.rows - 1;
  const auto before = [&](Index column) {  // below 2^63, and twice as much on the way
    const auto j = static_cast<std::uint64_t>(column);
    return static_cast<Index>(j * static_cast<std::uint64_t>(longest) - j * (j - 1) / 2);
  };
  Index low = 0, high = matrix.columns - 1;  // the last column that begins at or before k
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    if (before(middle) <= k) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return {first_stored_row(matrix.symmetry, low) + k - before(low), low};
}

}  // namespace spsolve::io
