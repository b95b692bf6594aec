#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace spsolve::inline io {

/// Inflates deflated data (RFC 1951) that lie in memory, as much at a time as is asked for.
class Inflater {
 public:
  /// gzip: with a header and a check sum (RFC 1952); zlib: likewise (RFC 1950).
  enum class Form { bare, gzip, zlib };
  enum class State { full, ended, cut_off, damaged };

  /// Deflated data inflate to no more than this times their size.
  static constexpr std::size_t most_growth = 1032;

  /// Throws Error(resources) where memory is short.
  explicit Inflater(Form form);

  /// Inflates from the front of `packed` to `to` and moves both forward, `room` becomes less: until
  /// there is no more room (full) or the data end (ended). cut_off: `packed` ends before the data.
  /// Throws Error(resources) where memory is short.
  State inflate(std::string_view& packed, char*& to, std::size_t& room);

  /// Begins anew, with other data.
  void reset();

  /// zlib's words for what is damaged.
  const char* problem() const;

 private:
  struct Stream;
  struct End {
    void operator()(Stream* stream) const;
  };
  std::unique_ptr<Stream, End> stream_;
};

}  // namespace spsolve::io
