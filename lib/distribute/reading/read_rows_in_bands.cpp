// Binary files that hold rows as they are: each rank takes its band from where it lies.

#include <memory>
#include <vector>

#include "distribute/reading/read_in_bands.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/petsc.hpp"
#include "io/files/mapped_file.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline distribute {

namespace {

struct RowFile {
  io::MappedFile file;
  io::NpzRows found;

  explicit RowFile(const std::string& name) : file(io::MappedFile::open(name, "a matrix")) {
    if (io::is_zip(file.text())) {
      found = io::npz_rows(file.text(), name);
    } else {
      found.rows = io::petsc_rows(file.text(), name);
    }
  }
};

/// Compares the sum of a member, of which every rank adds up an equal part.
void check_sum(Team& team, const io::ZipMember& member, const std::string& name) {
  const auto bytes = static_cast<Index>(member.packed.size());
  const RowLayout parts{bytes, team.size()};
  const Range own = parts.band(team.rank());
  const std::vector<std::uint32_t> sums =
      all_gather(team, io::crc_of(member.packed.substr(own.first, own.size())));
  std::uint32_t sum = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    sum = io::joined_crc(sum, sums[rank], static_cast<std::size_t>(parts.band(rank).size()));
  }
  together(team, [&] { io::require_crc(member, sum, name); });
}

}  // namespace

BandedMatrix read_rows_in_bands(Team& team, const BandedReading& reading) {
  const auto file = together(team, [&] { return std::make_unique<RowFile>(reading.name); });
  require_one_file(team, file->file.text().size(), reading.name);
  for (const io::ZipMember& member : file->found.members) check_sum(team, member, reading.name);
  const StoredRows& stored = file->found.rows;
  const Index parts = has_two_parts(stored.values.type) ? complex_parts : 1;
  const Index rows = parts * stored.rows, by = parts * reading.rotate_by;
  BandedMatrix result;
  result.columns = parts * stored.columns;
  const Index step = NonzeroProfile::step_for(rows);
  std::vector<Index> counts(static_cast<std::size_t>((rows + step - 1) / step), 0);
  const Range share = RowLayout{rows, team.size()}.band(team.rank());
  for (Index i = share.first; i < share.last; ++i) {
    const Index from = ((i - by) % rows + rows) % rows / parts;
    counts[i / step] += parts * (stored.offsets[from + 1] - stored.offsets[from]);
  }
  result.bands = bands_wanted(reading, add_profiles(team, rows, std::move(counts)), team.size());
  result.rows = together(team, [&] {
    Csr<double> own = rotated_rows(
        [&](Range run) {
          return csr_from_rows(stored, {run.first / parts, run.last / parts}, reading.name);
        },
        rows, by, result.bands.band(team.rank()));
    own.columns = result.columns;
    return compress_columns(std::move(own));
  });
  result.nonzeros = all_sum(team, result.rows.rows.nonzeros());
  return result;
}

}  // namespace spsolve::distribute
