#include "io/matrix_market/entry_reader.hpp"

#include <limits>
#include <string>
#include <utility>

#include <omp.h>

#include "core/error.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace fs = std::filesystem;

namespace {

/// Characters of the shortest line: of an array "1", of a list "1 1", each with its LF; of a
/// complex one "1 1" and "1 1 1 1".
Index shortest_line(const MatrixMarketHeader& matrix) {
  const Index shortest = matrix.format == MatrixMarketFormat::array ? 2 : 4;
  return matrix.is_complex() ? (shortest == 2 ? 4 : 8) : shortest;
}

}  // namespace

ParsedHeader read_front(TextStream& stream) {
  std::string_view piece = stream.next();
  if (auto header = parse_header(piece, stream.path(), stream.at_end())) return *header;
  std::string front(piece);
  for (std::size_t tried = front.size();;) {
    piece = stream.next();
    front += piece;
    // Not after each piece, as it begins at the front.
    if (!stream.at_end() && front.size() < 2 * tried && front.size() <= most_blank_text) continue;
    tried = front.size();
    auto header = parse_header(front, stream.path(), stream.at_end());
    if (!header) continue;
    const std::size_t before = front.size() - piece.size();
    if (header->body >= before) {
      header->body -= before;
      return *header;
    }
    // The body begins in an earlier piece: the stream goes there again.
    stream.rewind();
    for (piece = stream.next(); header->body >= piece.size(); piece = stream.next()) {
      header->body -= piece.size();
    }
    return *header;
  }
}

MatrixMarketText::MatrixMarketText(MappedFile file, const fs::path& path,
                                   const ReadOptions& options)
    : threads(options.threads > 0 ? options.threads : omp_get_max_threads()),
      chunk_bytes(static_cast<std::size_t>(std::max<std::int64_t>(options.chunk_bytes, 1))),
      stream_(std::move(file), path),
      blank_text_(options.blank_text) {
  begin();
  stream_.will_read_all();
}

void MatrixMarketText::begin() {
  header_ = read_front(stream_);
  constexpr std::size_t longest = 1024;  // of a line, by the standard
  std::size_t needed = 0;
  const bool fits =
      !__builtin_mul_overflow(static_cast<std::size_t>(matrix().entries), longest, &needed) &&
      !__builtin_add_overflow(needed, blank_text_, &left_);
  if (!fits) left_ = std::numeric_limits<std::size_t>::max();
  found_ = 0;
  blank_run_ = 0;
  body_ = allowed(stream_.piece().substr(header_.body));
}

std::string_view MatrixMarketText::allowed(std::string_view piece) {
  too_much_ = piece.size() > left_;
  if (!too_much_) {
    left_ -= piece.size();
    return piece;
  }
  // With the line that goes too far, or so much of it that it is seen to be too long.
  std::size_t end = chunk_end(piece, 0, std::max<std::size_t>(left_, 1));
  if (end < left_) end += longest_line + 1;
  return piece.substr(0, end);
}

bool MatrixMarketText::advance(Index found) {
  blank_run_ = found == found_ ? blank_run_ + body_.size() : 0;
  found_ = found;
  too_much_ = too_much_ || blank_run_ > blank_text_;
  body_ = too_much_ ? std::string_view() : allowed(stream_.next());
  return !body_.empty();
}

void MatrixMarketText::rewind() {
  stream_.rewind();
  begin();
}

bool MatrixMarketText::claims_too_much() const {
  return matrix().entries >
         static_cast<Index>(stream_.most_bytes() - header_.body) / shortest_line(matrix()) + 1;
}

void MatrixMarketText::require_end(Index found) const {
  const Index entries = matrix().entries;
  const bool array = matrix().format == MatrixMarketFormat::array;
  const std::string_view says = array ? "implies" : "declares";
  if (too_much_) {
    fail_at(path(), header_.size_line,
            fmt::format("no more than {} MiB of comments and blank lines, and 1024 characters for "
                        "each of the {} entries that this line {}",
                        blank_text_ >> 20, entries, says),
            "more", "remove comments and blank lines, or correct the size line");
  }
  if (found == entries) return;
  fail_at(path(), stream_.lines_so_far(),
          fmt::format("{} entries, as line {} {}", entries, header_.size_line, says),
          fmt::format("the end of the file after {}", found),
          "the file is cut off, or its size line is wrong");
}

void MatrixMarketText::fail_line(const char* problem, bool surplus) {
  WrongLine wrong = wrong_line(stream_.piece(), problem, surplus);
  const std::string text(wrong.text);  // the piece goes when the stream goes on
  wrong.text = text;
  wrong.number += stream_.lines_before();
  // Gzip data that are damaged explain a wrong line better than the line does.
  for (std::size_t seen = 0; compressed();) {
    const std::string_view piece = stream_.next();
    if (piece.empty()) break;
    if (surplus) wrong.surplus += count_data_lines(piece);
    seen += piece.size();
    wrong.more_follow = seen > most_blank_text;
    if (wrong.more_follow) break;
  }
  io::fail_line(wrong, path(), header_);
}

ReadTiming MatrixMarketText::timing() const {
  const std::size_t bytes = stream_.bytes_before() + stream_.piece().size();
  return {static_cast<std::int64_t>(bytes), 0, stream_.inflate_seconds(), threads};
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

void EntryReader::Slot::make_room(const MatrixMarketHeader& matrix) {
  const bool array = matrix.format == MatrixMarketFormat::array;
  const Index room = static_cast<Index>(text.size()) / shortest_line(matrix) + 1;
  if (room <= size) return;
  size = 0;
  value = UntouchedArray<double>(room);
  imaginary = UntouchedArray<double>(matrix.is_complex() ? room : 0);
  row = UntouchedArray<Index>(array ? 0 : room);
  column = UntouchedArray<Index>(array ? 0 : room);
  size = room;
}

void EntryReader::Slot::parse(const MatrixMarketHeader& matrix, Index limit) {
  result = parse_chunk(text.data(), text.data() + text.size(), matrix,
                       {row.data(), column.data(), value.data(), imaginary.data()},
                       std::min(limit, size));
  below = above = false;
  if (matrix.symmetry == Symmetry::general || matrix.format == MatrixMarketFormat::array) return;
  for (Index k = 0; k < result.found; ++k) {
    below = below || row[k] > column[k];
    above = above || row[k] < column[k];
  }
}

EntryReader::EntryReader(MappedFile file, const fs::path& path, const ReadOptions& options,
                         std::int64_t batch_bytes)
    : source_(std::move(file), path, options) {
  // Some chunks for each thread even out that one takes longer than another.
  constexpr std::size_t chunks_per_thread = 4;
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(batch_bytes, 1));
  const std::size_t shared =
      batch / (chunks_per_thread * static_cast<std::size_t>(source_.threads));
  source_.chunk_bytes = std::clamp<std::size_t>(shared, 1, source_.chunk_bytes);
  // Text that was just inflated is parsed at once, three times as fast: other threads would spin,
  // waiting for pieces, in the way of the one that inflates.
  if (source_.compressed()) source_.threads = 1;
  const std::size_t piece = source_.compressed() ? TextStream::largest_piece : 0;
  const std::size_t all = std::max(source_.body().size(), piece) / source_.chunk_bytes + 1;
  source_.threads = static_cast<int>(std::min(static_cast<std::size_t>(source_.threads), all));
  slots_.resize(std::min(std::max<std::size_t>(batch / source_.chunk_bytes, 1), all));
}

std::span<const EntryRun> EntryReader::next_batch() {
  if (at_ == source_.body().size() && source_.advance(found_)) at_ = 0;
  const std::string_view body = source_.body();
  const bool array = matrix().format == MatrixMarketFormat::array;
  Index chunks = 0;
  while (chunks < static_cast<Index>(slots_.size()) && at_ < body.size()) {
    const std::size_t end = chunk_end(body, at_, source_.chunk_bytes);
    if (end == at_) {  // at a line that is too long
      if (chunks > 0) break;
      const bool surplus =
          found_ == matrix().entries && count_data_lines(body.substr(at_, longest_line)) > 0;
      source_.fail_line(body.data() + at_, surplus);
    }
    slots_[chunks].text = body.substr(at_, end - at_);
    slots_[chunks++].make_room(matrix());
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
      source_.fail_line(slot.result.problem, slot.result.surplus);
    }
    const auto count = static_cast<std::size_t>(slot.result.found);
    const std::size_t indices = array ? 0 : count;
    runs_.push_back({found_,
                     {slot.row.data(), indices},
                     {slot.column.data(), indices},
                     {slot.value.data(), count},
                     {slot.imaginary.data(), matrix().is_complex() ? count : 0}});
    if (array) check_hermitian(source_.path(), matrix(), found_, runs_.back().imaginary);
    found_ += slot.result.found;
    below_ = below_ || slot.below;
    above_ = above_ || slot.above;
  }
  return runs_;
}

std::span<const EntryRun> EntryReader::next() {
  const std::span<const EntryRun> runs = next_batch();
  if (runs.empty()) {
    source_.require_end(found_);
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
  source_.rewind();
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
  check_pairs(source_.path(), matrix().symmetry, std::move(entries));
}

void check_hermitian(const fs::path& path, const MatrixMarketHeader& matrix, Index first,
                     std::span<const double> imaginary) {
  if (matrix.symmetry != Symmetry::hermitian) return;
  for_each_element(matrix, first, imaginary.size(), [&](Index i, Index j, std::size_t k) {
    if (i != j || imaginary[k] == 0) return;
    fail(
        ExitCode::input,
        "{}: the element at row {}, column {} of a hermitian matrix has the imaginary part {}, and "
        "its diagonal is real; correct it, or mark the matrix as general and store all elements",
        path.string(), i + 1, j + 1, imaginary[k]);
  });
}

ElementPlace place_of_element(const MatrixMarketHeader& matrix, Index k) {
  if (matrix.symmetry == Symmetry::general) return {k % matrix.rows, k / matrix.rows};
  // Column j begins after those before it, `longest` + (longest - 1) + ... elements.
  const Index longest = matrix.rows - first_stored_row(matrix.symmetry, 0);
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
