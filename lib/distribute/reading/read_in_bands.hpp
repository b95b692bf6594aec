#pragma once

#include <functional>
#include <string>

#include "distribute/layout/compressed_rows.hpp"
#include "distribute/layout/row_layout.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// A matrix in bands: what all ranks know of it, and this rank's rows.
struct BandedMatrix {
  RowLayout bands;
  Index columns = 0;
  Index nonzeros = 0;  ///< of all ranks
  CompressedRows rows;
};

/// The request to read_in_bands().
struct BandedReading {
  std::string name;     ///< a file that every rank can open, or a generator
  Index rotate_by = 0;  ///< as rotate_rows(), in rows of the file
  BandsChoice bands = BandsChoice::automatic;
  Index piece_bytes = Index{1} << 24;  ///< of text that a rank holds as entries at a time
  Index node = 1;                      ///< as many rows as this stay together
};

/// Reads a matrix with all ranks, none of which ever holds more than its own band and a piece of
/// the file: piece p of the file is parsed by rank p mod ranks, once to count and check, and once
/// to send each entry to the rank of its row, in rounds. Generated matrices are generated band by
/// band. From files of PETSc and of scipy (csr, not compressed) each rank reads the offsets of all
/// rows, the entries of its band, and an equal share of each array for its check sum. The rows are
/// those of load_real_form(), bit for bit; of a complex matrix an even node keeps the rows of a
/// number together.
///
/// Throws the same Error on every rank: what is wrong with the file, in the words and with the line
/// of the serial reader; and Error(input) for what only that takes: gzip, array files, other npz
/// files, and symmetric ones with entries in both triangles. Collective.
BandedMatrix read_in_bands(Team& team, const BandedReading& reading);

/// The bands that are asked for of rows with such a profile.
RowLayout bands_wanted(const BandedReading& reading, const NonzeroProfile& profile, int ranks);

/// Bands as they are, or with borders moved to the beginnings of nodes of so many rows.
RowLayout with_whole_nodes(const RowLayout& bands, Index node);

/// The rows of a file or of a generator alone; name as above. Parts of read_in_bands().
BandedMatrix read_file_in_bands(Team& team, const BandedReading& reading);
BandedMatrix read_rows_in_bands(Team& team, const BandedReading& reading);
BandedMatrix generate_in_bands(Team& team, const BandedReading& reading);

/// Refuses a file whose size differs from rank to rank. Collective.
void require_one_file(Team& team, std::size_t bytes, const std::string& name);

/// The rows of a range after all `rows` of them were rotated by `by`; rows_of(range) makes those of
/// a range before. Row i is row (i - by) mod rows then: at most two runs.
Csr<double> rotated_rows(const std::function<Csr<double>(Range)>& rows_of, Index rows, Index by,
                         Range wanted);

/// The profile of a matrix of so many rows whose rows, or the entries for them, are spread over the
/// ranks: `counts[b]` is this rank's share of those in rows [b step, (b + 1) step). Collective.
NonzeroProfile add_profiles(Team& team, Index rows, std::vector<Index> counts);

}  // namespace spsolve::distribute
