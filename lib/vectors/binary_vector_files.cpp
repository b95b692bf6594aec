#include "vectors/binary_vector_files.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "io/binary/dense_file.hpp"
#include "io/files/special_file.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "vectors/filling.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline vectors {

namespace {

namespace fs = std::filesystem;

struct Seen {
  Index rows = 0, columns = 0, bytes = 0;
  bool is_complex = false;
  bool operator==(const Seen&) const = default;
};

Seen seen(const io::DenseFile& file) {
  return {file.rows(), file.columns(), static_cast<Index>(file.bytes()), file.is_complex()};
}

/// This rank's view of the file where it is the one that rank 0 has.
std::optional<io::DenseFile> open_as(const fs::path& path, const Seen& wanted) {
  if (io::descriptor_named(path, 0)) return std::nullopt;  // each process has its own
  try {
    if (!fs::is_regular_file(path) || !io::DenseFile::takes(path)) return std::nullopt;
    io::DenseFile file(path);
    file.stand_up(wanted.rows);
    if (file.is_mapped() && seen(file) == wanted) return file;
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
  return std::nullopt;
}

/// Rank 0 sends every other rank its rows. `layout`: of the rows of the file.
void deal_out(Team& team, const RowLayout& layout, const io::DenseFile* file, Index columns,
              const VectorPieces& pieces, Filling& band) {
  const Index parts = pieces.parts;
  const Index step = std::max<Index>(pieces.values / std::max<Index>(columns * parts, 1), 1);
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range all = layout.band(owner);
    for (Index first = all.first; first < all.last; first += step) {
      const Range rows{first, std::min(first + step, all.last)};
      const auto size = static_cast<std::size_t>(parts * rows.size() * columns);
      std::vector<double> piece;
      together(team, [&] {
        if (file == nullptr) return;
        piece.resize(size);
        file->read_rows(rows, owner == 0 ? band.row(parts * first) : piece.data(), parts);
      });
      if (owner == 0 || size == 0) continue;
      if (team.rank() == 0) send(team, std::span(piece), owner);
      if (team.rank() == owner) receive(team, std::span(band.row(parts * first), size), 0);
    }
  }
}

}  // namespace

std::unique_ptr<Vectors> read_binary_vectors(Team& team, const RowLayout& layout,
                                             const VectorMemory& memory, const fs::path& path,
                                             const VectorPieces& pieces) {
  const Index parts = pieces.parts;
  const RowLayout rows = parts == 1 ? layout : layout_of_nodes(layout, parts);
  std::optional<io::DenseFile> file;
  Seen first;
  together(team, [&] {
    if (team.rank() != 0) return;
    file.emplace(path);
    file->stand_up(rows.rows);
    first = seen(*file);
    const DenseShape shape{first.rows, first.columns, first.is_complex};
    require_shape(path, shape, rows.rows);
    if (parts == 1) require_real(path, shape, "file");
  });
  first = broadcast_value(team, first, 0);
  if (team.rank() != 0) file = open_as(path, first);
  const bool all_see_it = all_sum(team, file ? 1 : 0) == team.size();
  Filling band = together(team, [&] {
    if (!io::fits_in_memory(layout.height(team.rank()), first.columns)) {
      fail(ExitCode::resources, "{}: its {} x {} elements do not fit into memory", path.string(),
           first.rows, first.columns);
    }
    return Filling(team, layout, memory, first.columns);
  });
  if (all_see_it) {
    together(team, [&] {
      const Range own = rows.band(team.rank());
      if (own.size() > 0) file->read_rows(own, band.row(parts * own.first), parts);
    });
  } else {
    deal_out(team, rows, team.rank() == 0 ? &*file : nullptr, first.columns, pieces, band);
  }
  return together(team, [&] { return band.finish(); });
}

}  // namespace spsolve::vectors
