#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "distribute/reading/read_in_bands.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "io/files/gzip.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/matrix_market_chunk.hpp"
#include "io/matrix_market/matrix_market_header.hpp"
#include "matrix/convert.hpp"

namespace spsolve::inline distribute {

namespace {

namespace fs = std::filesystem;

/// Entries on their way to the ranks of their rows, those of each rank together; rows are those
/// after rotation.
struct Leaving {
  Coo list;
  std::vector<Index> first;  ///< size + 1 numbers: where each rank's begin

  Range of(std::size_t rank) const { return {first[rank], first[rank + 1]}; }
};

void resize(Coo& list, Index entries) {
  const auto size = static_cast<std::size_t>(entries);
  list.row.resize(size);
  list.column.resize(size);
  list.value.resize(size);
  if (list.is_complex) list.imaginary.resize(size);
}

/// The file as every rank sees it, in pieces of whole lines.
class PiecedFile {
 public:
  PiecedFile(const fs::path& path, Index piece_bytes)
      : path_(path), file_(io::MappedFile::open(path)), piece_bytes_(piece_bytes) {
    if (io::is_gzip(file_.text())) {
      fail(ExitCode::input,
           "{}: matrix.reader=parallel needs a file that is not compressed; gunzip it, or use "
           "matrix.reader=serial",
           path.string());
    }
    if (io::is_mat(file_.text())) {
      fail(ExitCode::input,
           "{}: matrix.reader=parallel reads no files of MATLAB; use matrix.reader=serial",
           path.string());
    }
    if (io::is_zip(file_.text()) || io::is_npy(file_.text()) || io::petsc_object(file_.text())) {
      fail(ExitCode::input,
           "{}: matrix.reader=parallel reads Matrix Market files and sparse ones of scipy and "
           "PETSc, "
           "and this is an array; use matrix.reader=serial",
           path.string());
    }
    header_ = *io::parse_header(file_.text(), path, true);
    if (header_.matrix.format == MatrixMarketFormat::array) {
      fail(ExitCode::input,
           "{}: matrix.reader=parallel takes coordinate files, and this is an array; use "
           "matrix.reader=serial",
           path.string());
    }
  }

  const MatrixMarketHeader& matrix() const { return header_.matrix; }
  Index bytes() const { return static_cast<Index>(file_.text().size()); }
  Index pieces() const {
    return (static_cast<Index>(body().size()) + piece_bytes_ - 1) / piece_bytes_;
  }

  /// The lines that begin in the p-th part of the body.
  std::string_view piece(Index p) const {
    const std::size_t begin = line_from(p), end = line_from(p + 1);
    return body().substr(begin, end - begin);
  }

  /// The entries of a piece, up to `limit`; what was found wrong goes into `result`.
  Coo entries(Index p, io::ChunkResult& result,
              Index limit = std::numeric_limits<Index>::max()) const {
    const std::string_view text = piece(p);
    const Index room = std::min(io::count_lines(text), limit);
    Coo list;
    list.is_complex = header_.matrix.is_complex();
    resize(list, room);
    const io::EntryTarget target{list.row.data(), list.column.data(), list.value.data(),
                                 list.imaginary.data()};
    result = io::parse_chunk(text.data(), text.data() + text.size(), header_.matrix, target, room);
    resize(list, result.found);
    return list;
  }

  [[noreturn]] void fail_at_line(const io::ChunkResult& result) const {
    io::fail_line(io::wrong_line(file_.text(), result.problem, result.surplus), path_, header_);
  }

  [[noreturn]] void fail_at_end(Index found) const {
    io::fail_at(
        path_, io::count_lines(file_.text()),
        fmt::format("{} entries, as line {} declares", header_.matrix.entries, header_.size_line),
        fmt::format("the end of the file after {}", found),
        "the file is cut off, or its size line is wrong");
  }

 private:
  std::string_view body() const { return file_.text().substr(header_.body); }

  /// Where the first line begins at or after p pieces; within one that is too long.
  std::size_t line_from(Index p) const {
    const std::size_t aim = static_cast<std::size_t>(p * piece_bytes_);
    if (aim == 0) return 0;
    if (aim >= body().size()) return body().size();
    const std::string_view rest = body().substr(aim - 1, io::longest_line + 1);
    return aim - 1 + std::min(rest.find('\n'), rest.size() - 1) + 1;
  }

  const fs::path path_;
  const io::MappedFile file_;
  const Index piece_bytes_;
  io::ParsedHeader header_;
};

/// Calls emit(row, column, value) for each entry of a list and for its mirror, in the file's order,
/// with rows rotated; of complex entries for the numbers of the real form.
template <typename Emit>
void with_mirrors(const Coo& list, const MatrixMarketHeader& matrix, Index rotate_by,
                  const Emit& emit) {
  const Index parts = matrix.parts();
  const auto emit_rotated = [&, by = parts * rotate_by, rows = parts * matrix.rows](
                                Index row, Index column, double value) {
    emit(by == 0 ? row : (row + by) % rows, column, value);
  };
  if (list.is_complex) {
    for (Index k = 0; k < list.entries(); ++k) {
      with_blocks(matrix.symmetry, list.row[k], list.column[k], list.value[k], list.imaginary[k],
                  emit_rotated);
    }
    return;
  }
  for (Index k = 0; k < list.entries(); ++k) {
    with_mirror(matrix.symmetry, list.row[k], list.column[k], list.value[k], emit_rotated);
  }
}

/// First pass: counts this rank's pieces, and finds the first wrong line of the file.
NonzeroProfile count(Team& team, const PiecedFile& file, Index rotate_by) {
  const MatrixMarketHeader& matrix = file.matrix();
  const Index rounds = (file.pieces() + team.size() - 1) / team.size();
  const Index rows = matrix.parts() * matrix.rows;
  const Index step = NonzeroProfile::step_for(rows);
  struct Counted {
    Index found = 0;
    bool wrong = false;
  };
  struct Pass {
    std::vector<Counted> pieces;
    std::vector<Index> counts;
    bool below = false, above = false;
  };
  Pass mine = together(team, [&] {
    Pass pass;
    pass.pieces.resize(static_cast<std::size_t>(rounds));
    pass.counts.assign(static_cast<std::size_t>((rows + step - 1) / step), 0);
    for (Index round = 0; round < rounds; ++round) {
      const Index p = round * team.size() + team.rank();
      if (p >= file.pieces()) break;
      io::ChunkResult result;
      const Coo list = file.entries(p, result);
      pass.pieces[round] = {result.found, result.problem != nullptr};
      if (result.problem != nullptr) break;  // what follows counts no more
      for (Index k = 0; k < list.entries(); ++k) {
        pass.below = pass.below || list.row[k] > list.column[k];
        pass.above = pass.above || list.row[k] < list.column[k];
      }
      with_mirrors(list, matrix, rotate_by,
                   [&](Index row, Index, double) { ++pass.counts[row / step]; });
    }
    return pass;
  });

  // all[rank * rounds + round]: piece round * ranks + rank
  std::vector<Counted> all(static_cast<std::size_t>(rounds * team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine.pieces)),
                        std::as_writable_bytes(std::span(all)));
  Index found = 0, culprit = -1;
  Index limit = 0;  // entries that the culprit's piece may still have
  for (Index p = 0; p < file.pieces() && culprit < 0; ++p) {
    const Counted& piece =
        all[static_cast<std::size_t>(p % team.size() * rounds + p / team.size())];
    limit = matrix.entries - found;
    if (piece.wrong || piece.found > limit) culprit = p;
    found += piece.found;
  }
  together(team, [&] {
    if (culprit >= 0 && culprit % team.size() == team.rank()) {
      io::ChunkResult result;
      file.entries(culprit, result, limit);
      file.fail_at_line(result);
    }
    if (culprit < 0 && found < matrix.entries && team.rank() == 0) file.fail_at_end(found);
  });
  const bool both = all_sum(team, mine.below ? 1 : 0) > 0 && all_sum(team, mine.above ? 1 : 0) > 0;
  if (matrix.symmetry != Symmetry::general && both) {
    fail_everywhere(ExitCode::input,
                    "matrix.reader=parallel takes symmetric files that keep to one triangle, and "
                    "this one has entries in both; use matrix.reader=serial");
  }
  return add_profiles(team, rows, std::move(mine.counts));
}

/// A piece of the file by the ranks of its rows, in the file's order; counted before, so that no
/// array grows.
Leaving sort_by_owner(const Coo& piece, const MatrixMarketHeader& matrix, const RowLayout& bands,
                      Index rotate_by) {
  std::vector<Index> next(static_cast<std::size_t>(bands.ranks) + 1, 0);
  with_mirrors(piece, matrix, rotate_by,
               [&](Index row, Index, double) { ++next[bands.owner(row) + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  Leaving leaving{{}, next};
  resize(leaving.list, next.back());
  with_mirrors(piece, matrix, rotate_by, [&](Index row, Index column, double value) {
    const Index place = next[bands.owner(row)]++;
    leaving.list.row[place] = row;
    leaving.list.column[place] = column;
    leaving.list.value[place] = value;
  });
  return leaving;
}

/// One round of the second pass: what all ranks have for this one goes to the end of `list`, which
/// has room for it, that of lower ranks first.
void exchange_entries(Team& team, const Leaving& leaving, Coo& list) {
  const auto size = static_cast<std::size_t>(team.size());
  std::vector<Index> mine(size), all(size * size);
  for (std::size_t to = 0; to < size; ++to) mine[to] = leaving.of(to).size();
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  const auto me = static_cast<std::size_t>(team.rank());
  Index place = list.entries(), coming = 0;
  for (std::size_t from = 0; from < size; ++from) coming += all[from * size + me];
  together(team, [&] { resize(list, place + coming); });
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (std::size_t other = 0; other < size; ++other) {
    const Index count = all[other * size + me];
    const Range sent = leaving.of(other);
    const int rank = static_cast<int>(other);
    const auto travel = [&](const auto& from, auto& to) {
      const std::span out(from.data() + sent.first, static_cast<std::size_t>(sent.size()));
      const std::span in(to.data() + place, static_cast<std::size_t>(count));
      if (other == me) {
        std::copy(out.begin(), out.end(), in.begin());
        return;
      }
      if (!in.empty()) incoming.push_back({rank, std::as_writable_bytes(in)});
      if (!out.empty()) outgoing.push_back({rank, std::as_bytes(out)});
    };
    travel(leaving.list.row, list.row);
    travel(leaving.list.column, list.column);
    travel(leaving.list.value, list.value);
    place += count;
  }
  const auto messages = team.messages(outgoing, incoming);
  messages->start();
  messages->wait();
}

/// Second pass: this rank's entries, in the file's order, rows counted from its first.
Coo collect(Team& team, const PiecedFile& file, const NonzeroProfile& profile,
            const RowLayout& bands, Index rotate_by) {
  const Index rounds = (file.pieces() + team.size() - 1) / team.size();
  const Range own = bands.band(team.rank());
  Coo list;
  list.rows = own.size();
  together(team, [&] {
    const auto& before = profile.nonzeros_before;
    const Index most =
        before[(own.last + profile.step - 1) / profile.step] - before[own.first / profile.step];
    list.row.reserve(static_cast<std::size_t>(most));
    list.column.reserve(static_cast<std::size_t>(most));
    list.value.reserve(static_cast<std::size_t>(most));
  });
  for (Index round = 0; round < rounds; ++round) {
    const Leaving leaving = together(team, [&] {
      const Index p = round * team.size() + team.rank();
      io::ChunkResult result;
      const Coo piece = p < file.pieces() ? file.entries(p, result) : Coo{};
      return sort_by_owner(piece, file.matrix(), bands, rotate_by);
    });
    // Pieces of one round follow each other in the file as their ranks do.
    exchange_entries(team, leaving, list);
  }
  for (Index& row : list.row) row -= own.first;
  return list;
}

/// The entries as rows whose columns are numbered as they occur.
CompressedRows compress(Coo&& list, Index columns) {
  CompressedRows result;
  result.columns = columns;
  std::vector<Index>& global = result.global_columns;
  global = list.column;
  std::sort(global.begin(), global.end());
  global.erase(std::unique(global.begin(), global.end()), global.end());
  global.shrink_to_fit();
  const Index entries = list.entries();
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < entries; ++k) {
    list.column[k] =
        std::lower_bound(global.begin(), global.end(), list.column[k]) - global.begin();
  }
  list.columns = static_cast<Index>(global.size());
  result.rows = csr_from_coo(std::move(list));
  return result;
}

}  // namespace

BandedMatrix read_file_in_bands(Team& team, const BandedReading& reading) {
  auto file = together(
      team, [&] { return std::make_unique<PiecedFile>(reading.name, reading.piece_bytes); });
  require_one_file(team, static_cast<std::size_t>(file->bytes()), reading.name);
  const MatrixMarketHeader matrix = file->matrix();
  const Index by =
      matrix.rows == 0 ? 0 : (reading.rotate_by % matrix.rows + matrix.rows) % matrix.rows;
  const NonzeroProfile profile = count(team, *file, by);
  BandedMatrix result;
  const Index parts = matrix.parts();
  result.columns = parts * matrix.columns;
  result.bands = bands_wanted(reading, profile, team.size());
  Coo list = collect(team, *file, profile, result.bands, by);
  file.reset();  // its text is memory of this rank
  result.rows = together(team, [&] {
    CompressedRows rows = compress(std::move(list), result.columns);
    const Index first = result.bands.band(team.rank()).first;
    check_sums(reading.name, rows.rows, [&](ElementPlace place) -> ElementPlace {
      return {((first + place.row) / parts + matrix.rows - by) % matrix.rows,
              rows.global_columns[place.column] / parts};
    });
    return rows;
  });
  result.nonzeros = all_sum(team, result.rows.rows.nonzeros());
  return result;
}

}  // namespace spsolve::distribute
