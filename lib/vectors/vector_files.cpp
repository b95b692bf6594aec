#include "vectors/vector_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "io/binary/dense_file.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "vectors/binary_vector_files.hpp"
#include "vectors/filling.hpp"

namespace spsolve::inline vectors {

namespace {

namespace fs = std::filesystem;

/// Calls visit(column, rows) for the parts of columns that the elements [first, last) of an array
/// of `rows` rows are, numbered column by column, as far as they are in `own`.
template <typename Visit>
void for_each_segment(Index rows, Range elements, Range own, Visit&& visit) {
  for (Index k = elements.first; k < elements.last;) {
    const Index column = k / rows;
    const Index begin = column * rows;
    const Index end = std::min(begin + rows, elements.last);
    const Range segment{std::max(k - begin, own.first), std::min(end - begin, own.last)};
    if (segment.size() > 0) visit(column, segment);
    k = end;
  }
}

/// How many of the elements are in rows of `own`.
Index count_in(Index rows, Range elements, Range own) {
  Index count = 0;
  for_each_segment(rows, elements, own, [&](Index, Range segment) { count += segment.size(); });
  return count;
}

/// The rows of a file of numbers with so many parts, of a layout of the rows of all parts.
RowLayout rows_of_file(const RowLayout& layout, Index parts) {
  return parts == 1 ? layout : layout_of_nodes(layout, parts);
}

}  // namespace

void require_real(const fs::path& file, const DenseShape& has, std::string_view what) {
  if (!has.is_complex) return;
  fail(ExitCode::input, "{}: the {} holds complex numbers, and real ones are wanted here",
       file.string(), what);
}

void require_shape(const fs::path& file, const DenseShape& has, Index rows, std::string_view what) {
  if (has.rows != rows) {
    fail(ExitCode::input, "{}: the {} has {} rows, but the matrix has {}; it needs one for each",
         file.string(), what, has.rows, rows);
  }
  if (has.columns < 1) {
    fail(ExitCode::input, "{}: the {} has no column; it needs one at least", file.string(), what);
  }
}

namespace {

// --- reading

/// An element that travels to the rank of its row.
struct Element {
  Index row, column;
  Index number;  ///< of its entry in the file; -1 for a mirror
  double value;
};

/// Rank 0's reader of the file, which has read it so far as its header is long, or throws what is
/// wrong with the file, in the order in which read_dense() would.
std::unique_ptr<io::EntryReader> open_file(const fs::path& file, const RowLayout& layout,
                                           Index parts, std::int64_t text_bytes) {
  auto reader = std::make_unique<io::EntryReader>(io::MappedFile::open(file), file, ReadOptions{},
                                                  text_bytes);
  const MatrixMarketHeader& matrix = reader->matrix();
  Index elements = 0;  // of the whole, whose number must be one
  const bool lies = io::lies_down(matrix, layout.rows);
  const Index rows = lies ? matrix.columns : matrix.rows;
  const Index columns = lies ? matrix.rows : matrix.columns;
  const bool fits = !__builtin_mul_overflow(rows, columns, &elements) &&
                    io::fits_in_memory(parts * layout.height(0), columns);
  if (!fits || reader->claims_too_much() || rows != layout.rows) reader->read_to_end();
  if (!fits) io::fail_dense_size(file, matrix);
  require_shape(file, {rows, columns}, layout.rows);
  if (parts == 1) require_real(file, {rows, columns, matrix.is_complex()}, "file");
  return reader;
}

/// The facts that all ranks know of a piece.
struct FilePiece {
  Range entries;  ///< their numbers in the file
  bool last = false;
};

/// The next piece of the file; `runs` are rank 0's alone. Collective.
FilePiece next_piece(Team& team, io::EntryReader* reader, std::span<const io::EntryRun>& runs) {
  together(team, [&] {
    if (reader != nullptr) runs = reader->next();
  });
  FilePiece piece;
  if (reader != nullptr) {
    piece.last = runs.empty();
    if (!runs.empty()) {
      piece.entries = {runs.front().first,
                       runs.back().first + static_cast<Index>(runs.back().values.size())};
    }
  }
  return broadcast_value(team, piece, 0);
}

/// The numbers of a general array, part after part of each piece.
struct ArrayParts {
  Index in_file = 1;    ///< of a number
  Index in_vector = 1;  ///< rows to a row of the file
};

/// A general array: each owner gets its values of a piece in the file's order. `layout`: of the
/// rows of the file.
void read_array(Team& team, io::EntryReader* reader, const RowLayout& layout,
                const ArrayParts& parts, Filling& band) {
  std::span<const io::EntryRun> runs;
  std::vector<double> values;
  FilePiece piece;
  const Range own = layout.band(team.rank());
  const auto read_part = [&](Index part) {
    const auto count = [&](int rank) {
      return count_in(layout.rows, piece.entries, layout.band(rank));
    };
    together(team, [&] {
      Index most = count(team.rank());
      for (int rank = 0; reader != nullptr && rank < team.size(); ++rank) {
        most = std::max(most, count(rank));
      }
      values.reserve(static_cast<std::size_t>(most));
    });
    if (reader != nullptr) {
      for (int owner = team.size() - 1; owner >= 0; --owner) {  // its own last: they stay there
        values.clear();
        for (const io::EntryRun& run : runs) {
          const Range elements{run.first, run.first + static_cast<Index>(run.values.size())};
          const std::span<const double> numbers = part == 0 ? run.values : run.imaginary;
          for_each_segment(layout.rows, elements, layout.band(owner),
                           [&](Index column, Range rows) {
                             const Index from = column * layout.rows + rows.first - run.first;
                             const auto begin = numbers.begin() + from;
                             values.insert(values.end(), begin, begin + rows.size());
                           });
        }
        if (owner != 0 && !values.empty()) send(team, std::span(values), owner);
      }
    } else {
      values.resize(static_cast<std::size_t>(count(team.rank())));
      if (!values.empty()) receive(team, std::span(values), 0);
    }
    const double* value = values.data();
    for_each_segment(layout.rows, piece.entries, own, [&](Index column, Range rows) {
      for (Index row = rows.first; row < rows.last; ++row) {
        band.at(parts.in_vector * row + part, column) = *value++;
      }
    });
  };
  while (!(piece = next_piece(team, reader, runs)).last) {
    for (Index part = 0; part < parts.in_file; ++part) read_part(part);
  }
}

/// Calls emit(element) for each entry of a piece and its mirror, in the file's order; `parts`: rows
/// to a row of the file.
template <typename Emit>
void for_each_entry(const MatrixMarketHeader& matrix, Index parts,
                    std::span<const io::EntryRun> runs, const Emit& emit) {
  for (const io::EntryRun& run : runs) {
    const auto emit_both = [&](Index i, Index j, std::size_t k) {
      const Index number = run.first + static_cast<Index>(k);
      io::put_element(matrix, parts, run, {i, j}, k,
                      [&, own = parts * i](Index row, Index column, double part) {
                        const bool stored = column == j && row - own >= 0 && row - own < parts;
                        emit(Element{row, column, stored ? number : -1, part});
                      });
    };
    if (matrix.format == MatrixMarketFormat::array) {
      io::for_each_element(matrix, run.first, run.values.size(), emit_both);
    } else {
      for (std::size_t k = 0; k < run.values.size(); ++k) emit_both(run.row[k], run.column[k], k);
    }
  }
}

/// The elements of a piece, those of each rank together, in the file's order; `first` are the
/// size + 1 numbers where each rank's begin.
void sort_by_owner(const MatrixMarketHeader& matrix, Index parts,
                   std::span<const io::EntryRun> runs, const RowLayout& layout,
                   std::vector<Element>& elements, std::vector<Index>& first) {
  std::ranges::fill(first, 0);
  for_each_entry(matrix, parts, runs, [&](const Element& element) {
    ++first[static_cast<std::size_t>(layout.owner(element.row)) + 1];
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> next = first;
  elements.resize(static_cast<std::size_t>(first.back()));
  for_each_entry(matrix, parts, runs, [&](const Element& element) {
    elements[next[layout.owner(element.row)]++] = element;
  });
}

/// Every other file: elements travel with their places, and add up. `layout`: of the rows of the
/// multivector, `parts` to a row of the file.
void read_elements(Team& team, io::EntryReader* reader, const MatrixMarketHeader& matrix,
                   const RowLayout& layout, Index parts, const fs::path& file, Filling& band) {
  const auto me = static_cast<std::size_t>(team.rank());
  std::span<const io::EntryRun> runs;
  std::vector<Element> elements;
  std::vector<Index> first(static_cast<std::size_t>(team.size()) + 1);
  // The first entry that made a sum too large for a double.
  constexpr Index none = std::numeric_limits<Index>::max();
  Element overflow{0, 0, none, 0.0};
  while (!next_piece(team, reader, runs).last) {
    together(team, [&] {
      if (reader != nullptr) sort_by_owner(matrix, parts, runs, layout, elements, first);
    });
    broadcast(team, std::span(first), 0);
    const auto count = [&](std::size_t rank) {
      return static_cast<std::size_t>(first[rank + 1] - first[rank]);
    };
    together(team, [&] {
      if (reader == nullptr) elements.resize(count(me));
    });
    std::span<const Element> mine(elements.data(), count(me));
    if (reader != nullptr) {
      for (int owner = 1; owner < team.size(); ++owner) {
        const auto rank = static_cast<std::size_t>(owner);
        const std::span leaving(elements.data() + first[rank], count(rank));
        if (!leaving.empty()) send(team, leaving, owner);
      }
    } else if (!elements.empty()) {
      receive(team, std::span(elements), 0);
    }
    for (const Element& element : mine) {
      double& sum = band.at(element.row, element.column);
      // An array names each element once; adding to zero would lose the sign of its zeros.
      sum = matrix.format == MatrixMarketFormat::array ? element.value : sum + element.value;
      const bool stored = element.number >= 0;
      if (stored && overflow.number == none && !std::isfinite(sum)) overflow = element;
    }
  }
  const std::vector<Element> all = all_gather(team, overflow);
  const Element& earliest = *std::ranges::min_element(all, {}, &Element::number);
  together(team, [&] {
    if (earliest.number != none) fail_sum(file, {earliest.row / parts, earliest.column});
  });
}

// --- writing

/// A rank's elements of an array file, one piece after another.
class OwnElements {
 public:
  explicit OwnElements(const Vectors& x)
      : x_(x), column_(x.columns() == 1 ? nullptr : x.similar(1)) {}

  /// Reads the piece's values among these elements of the whole, column by column.
  void read(Range elements, std::vector<double>& values) {
    values.resize(static_cast<std::size_t>(count_in(x_.rows(), elements, x_.own())));
    std::span<double> rest(values);
    for_each_segment(x_.rows(), elements, x_.own(), [&](Index column, Range rows) {
      const Index first = x_.own().first;
      const auto count = static_cast<std::size_t>(rows.size());
      if (column_ != nullptr && column != held_) column_->copy_columns(x_, column, 0, 1);
      held_ = column;
      const Vectors& from = column_ != nullptr ? *column_ : x_;
      from.read_rows({rows.first - first, rows.last - first}, rest.first(count));
      rest = rest.subspan(count);
    });
  }

 private:
  const Vectors& x_;
  std::unique_ptr<Vectors> column_;  // one column of x, unless x is that itself
  Index held_ = -1;                  // which
};

/// Brings the elements of all ranks to rank 0, into their order. Collective.
void gather_piece(Team& team, const RowLayout& layout, Range elements, std::vector<double>& mine,
                  std::vector<double>& piece) {
  if (team.rank() != 0) {
    if (!mine.empty()) send(team, std::span(mine), 0);
    return;
  }
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range band = layout.band(owner);
    if (owner > 0) {
      mine.resize(static_cast<std::size_t>(count_in(layout.rows, elements, band)));
      if (!mine.empty()) receive(team, std::span(mine), owner);
    }
    const double* value = mine.data();
    for_each_segment(layout.rows, elements, band, [&](Index column, Range rows) {
      const Index to = column * layout.rows + rows.first - elements.first;
      std::copy_n(value, rows.size(), piece.begin() + to);
      value += rows.size();
    });
  }
}

}  // namespace

std::unique_ptr<Vectors> read_vectors(Team& team, const RowLayout& layout,
                                      const VectorMemory& memory, const fs::path& file,
                                      const VectorPieces& pieces) {
  const Index parts = pieces.parts;
  const bool is_binary =
      together(team, [&] { return team.rank() == 0 && io::DenseFile::takes(file); });
  if (broadcast_value(team, is_binary, 0)) {
    return read_binary_vectors(team, layout, memory, file, pieces);
  }
  const RowLayout rows = rows_of_file(layout, parts);
  const auto reader = together(team, [&] {
    return team.rank() == 0 ? open_file(file, rows, parts, pieces.text_bytes) : nullptr;
  });
  MatrixMarketHeader matrix =
      broadcast_value(team, reader != nullptr ? reader->matrix() : MatrixMarketHeader{}, 0);
  if (io::lies_down(matrix, rows.rows)) std::swap(matrix.rows, matrix.columns);
  Filling band = together(team, [&] {
    if (!io::fits_in_memory(layout.height(team.rank()), matrix.columns)) {
      io::fail_dense_size(file, matrix);
    }
    return Filling(team, layout, memory, matrix.columns);
  });
  if (matrix.format == MatrixMarketFormat::array && matrix.symmetry == Symmetry::general) {
    read_array(team, reader.get(), rows, {matrix.parts(), parts}, band);
  } else {
    read_elements(team, reader.get(), matrix, layout, parts, file, band);
  }
  return together(team, [&] { return band.finish(); });
}

void write_vectors(const fs::path& file, const Vectors& x, std::string_view comment,
                   const VectorPieces& pieces) {
  Team& team = x.team();
  const Index elements = x.rows() * x.columns();
  const Index step = std::max<Index>(pieces.values, 1);
  std::unique_ptr<io::ArrayFile> writer;
  std::optional<OwnElements> own;
  std::vector<double> mine, piece;
  together(team, [&] {
    if (team.rank() == 0) {
      const Index parts = pieces.parts;
      writer = make_array_file(file, {x.rows() / parts, x.columns(), parts > 1}, comment);
    }
    own.emplace(x);
  });
  for (Index first = 0; first < elements; first += step) {
    const Range round{first, std::min(first + step, elements)};
    together(team, [&] {
      if (writer) writer->write(piece);  // of the round before
      own->read(round, mine);
      if (writer) {
        piece.resize(static_cast<std::size_t>(round.size()));
        mine.reserve(piece.size());  // others' parts come there, too
      }
    });
    gather_piece(team, x.layout(), round, mine, piece);
  }
  together(team, [&] {
    if (!writer) return;
    writer->write(piece);
    writer->commit();
  });
}

}  // namespace spsolve::vectors
