#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spsolve::inline report {

// Numbers with units, and names, as a page shows them to people.

/// A count with its thousands apart, "53 600"; of four digits as it is.
std::string count_text(std::int64_t count);

/// A number of any size to `digits` digits: as it is from 0.01 to 99 999, and else as a power of
/// ten, "5.8·10⁻¹⁷"; "unknown" where it is not finite.
std::string number_text(double value, int digits = 2);

/// `power` as an exponent is written: "⁻¹⁷".
std::string raised(int power);

/// Seconds with the unit that suits them: us, ms, s, min or h.
std::string duration_text(double seconds);

/// `value` with a unit by powers of a thousand: "147 Mflop".
std::string magnitude_text(double value, std::string_view unit);

/// "1 rank", "3 ranks", "2 fronts".
std::string counted_text(std::int64_t count, std::string_view what);

/// A phase of a run in words: eliminate is "elimination".
std::string words_for_phase(std::string_view phase);

/// A method, an order or another name of the configuration in words: sparse_lu is "sparse LU".
/// Names without words of their own get spaces for underscores.
std::string words_for_name(std::string_view name);

}  // namespace spsolve::report
