#include "io/binary/zip.hpp"

#include <algorithm>

#define ZLIB_CONST
#include <zlib.h>

#include "core/error.hpp"

namespace spsolve::inline io {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator64_mark = 0x07064b50;
constexpr std::uint64_t in_64_bits = 0xffffffff;  // stands where a number of 64 bits is elsewhere

const Bytef* as_bytes(const char* text) {
  return reinterpret_cast<const Bytef*>(text);
}

/// `size` bytes from `at` on as a number, the lowest first; 0 beyond the end.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t k = size; k-- > 0;) {
    const std::size_t place = at + k;
    value = value << 8 | (place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0);
  }
  return value;
}

[[noreturn]] void fail_broken(const std::string& archive) {
  fail(ExitCode::input,
       "{}: is cut off or damaged: it begins as a zip archive, and its table of contents cannot be "
       "found or read; copy or save it again",
       archive);
}

/// Where the table of contents is.
struct Directory {
  std::uint64_t entries, offset;
};

Directory find_directory(std::string_view bytes, const std::string& archive) {
  constexpr std::size_t end_size = 22, longest_comment = 65535;
  if (bytes.size() < end_size) fail_broken(archive);
  const std::size_t last = bytes.size() - end_size;
  const std::size_t first = last > longest_comment ? last - longest_comment : 0;
  for (std::size_t at = last + 1; at-- > first;) {
    if (number(bytes, at, 4) != end_mark) continue;
    Directory directory{number(bytes, at + 10, 2), number(bytes, at + 16, 4)};
    constexpr std::size_t locator_size = 20;
    if (at >= locator_size && number(bytes, at - locator_size, 4) == locator64_mark) {
      const std::uint64_t end64 = number(bytes, at - locator_size + 8, 8);
      if (end64 > bytes.size() || number(bytes, end64, 4) != end64_mark) fail_broken(archive);
      directory = {number(bytes, end64 + 32, 8), number(bytes, end64 + 48, 8)};
    }
    return directory;
  }
  fail_broken(archive);
}

/// Puts the numbers of 64 bits of an extra field in the place of those that were too large.
void read_extra(std::string_view extra, std::uint64_t& size, std::uint64_t& packed,
                std::uint64_t& offset) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t kind = number(extra, at, 2), length = number(extra, at + 2, 2);
    if (kind == 1) {
      std::size_t place = at + 4;
      for (std::uint64_t* value : {&size, &packed, &offset}) {
        if (*value != in_64_bits) continue;
        *value = number(extra, place, 8);
        place += 8;
      }
      return;
    }
    at += 4 + length;
  }
}

void put(std::string& text, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * k) & 0xff);
}

/// The part that a member's headers, the local and the central one, share; a date that means none.
void put_description(std::string& text, std::uint64_t size, bool large, std::uint32_t crc,
                     std::size_t name_size, std::size_t extra_size) {
  put(text, large ? 45 : 20, 2);  // version that is needed to read it
  put(text, 0, 2);
  put(text, 0, 2);  // stored
  put(text, 0, 2);
  put(text, 0x21, 2);  // 1980-01-01
  put(text, crc, 4);
  put(text, large ? in_64_bits : size, 4);
  put(text, large ? in_64_bits : size, 4);
  put(text, name_size, 2);
  put(text, extra_size, 2);
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "..." : "");
}

bool is_zip(std::string_view bytes) {
  return bytes.starts_with(std::string_view("PK\x03\x04", 4));
}

std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& archive) {
  const Directory directory = find_directory(bytes, archive);
  constexpr std::size_t central_size = 46, local_size = 30;
  std::vector<ZipMember> members;
  std::size_t at = directory.offset;
  for (std::uint64_t k = 0; k < directory.entries; ++k) {
    if (at > bytes.size() || bytes.size() - at < central_size ||
        number(bytes, at, 4) != central_mark) {
      fail_broken(archive);
    }
    const std::uint64_t flags = number(bytes, at + 8, 2), method = number(bytes, at + 10, 2);
    std::uint64_t packed = number(bytes, at + 20, 4), size = number(bytes, at + 24, 4);
    std::uint64_t offset = number(bytes, at + 42, 4);
    const std::size_t name_size = number(bytes, at + 28, 2), extra = number(bytes, at + 30, 2);
    const std::size_t next = at + central_size + name_size + extra + number(bytes, at + 32, 2);
    if (next > bytes.size()) fail_broken(archive);
    ZipMember member;
    member.name = shown(bytes.substr(at + central_size, name_size));
    read_extra(bytes.substr(at + central_size + name_size, extra), size, packed, offset);
    if ((method != 0 && method != 8) || (flags & 1) != 0) {
      fail(ExitCode::input, "{}: its member '{}' is {}; save it by numpy or scipy", archive,
           member.name, (flags & 1) != 0 ? "encrypted" : "neither stored nor deflated");
    }
    if (offset > bytes.size() || bytes.size() - offset < local_size ||
        number(bytes, offset, 4) != local_mark) {
      fail_broken(archive);
    }
    const std::size_t data =
        offset + local_size + number(bytes, offset + 26, 2) + number(bytes, offset + 28, 2);
    if (data > bytes.size() || bytes.size() - data < packed) fail_broken(archive);
    member.packed = bytes.substr(data, packed);
    member.size = size;
    member.crc = static_cast<std::uint32_t>(number(bytes, at + 16, 4));
    member.deflated = method == 8;
    if (!member.deflated && packed != size) fail_broken(archive);
    members.push_back(std::move(member));
    at = next;
  }
  return members;
}

std::uint32_t joined_crc(std::uint32_t front, std::uint32_t back, std::size_t size) {
  return static_cast<std::uint32_t>(::crc32_combine(front, back, static_cast<z_off_t>(size)));
}

// Its pieces in threads.
std::uint32_t crc_of(std::string_view bytes) {
  constexpr std::size_t piece = std::size_t{1} << 22;
  const auto pieces = static_cast<Index>((bytes.size() + piece - 1) / piece);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(pieces));
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (Index k = 0; k < pieces; ++k) {
    const std::string_view part = bytes.substr(static_cast<std::size_t>(k) * piece, piece);
    sums[k] = static_cast<std::uint32_t>(
        ::crc32(0, as_bytes(part.data()), static_cast<uInt>(part.size())));
  }
  std::uint32_t sum = 0;
  for (Index k = 0; k < pieces; ++k) {
    const std::size_t size = std::min(piece, bytes.size() - static_cast<std::size_t>(k) * piece);
    sum = joined_crc(sum, sums[k], size);
  }
  return sum;
}

void require_room(const ZipMember& member, std::int64_t most, const std::string& archive) {
  if (!member.deflated || member.size <= static_cast<std::size_t>(most)) return;
  fail(ExitCode::resources,
       "{}: its member '{}' inflates to {} MiB, more than half of the memory that is free; use "
       "a larger machine",
       archive, member.name, member.size >> 20);
}

void require_crc(const ZipMember& member, std::uint32_t sum, const std::string& archive) {
  if (sum == member.crc) return;
  fail(ExitCode::input,
       "{}: its member '{}' is damaged, as its check sum differs; copy or save it again", archive,
       member.name);
}

ZipStream::ZipStream(const ZipMember& member, const std::string& archive)
    : member_(member), archive_(archive), packed_(member.packed) {
  if (member.size / Inflater::most_growth > member.packed.size()) fail_broken(archive);
  if (member.deflated) inflater_.emplace(Inflater::Form::bare);
}

std::string_view ZipStream::next(std::size_t size) {
  size = std::min(size, left());
  if (size == 0 && read_ > 0) return {};
  std::string_view bytes = packed_.substr(0, size);
  bool good = true;
  if (inflater_) {
    const auto needed = static_cast<Index>(std::max<std::size_t>(size, 1));
    if (buffer_.size() < needed) buffer_ = UntouchedArray<char>(needed);
    char* to = buffer_.data();
    std::size_t room = size;
    const Inflater::State state = inflater_->inflate(packed_, to, room);
    bytes = {buffer_.data(), size};
    const bool last = read_ + size == member_.size;
    good = room == 0 && (last ? state == Inflater::State::ended && packed_.empty()
                              : state == Inflater::State::full);
  } else {
    packed_.remove_prefix(size);
  }
  read_ += size;
  if (!good) {
    fail(ExitCode::input, "{}: its member '{}' is damaged; copy or save it again", archive_,
         member_.name);
  }
  return bytes;
}

std::string_view ZipStream::checked(std::size_t size) {
  const std::string_view bytes = next(size);
  sum_ = joined_crc(sum_, crc_of(bytes), bytes.size());
  if (read_ == member_.size) require_crc(member_, sum_, archive_);
  return bytes;
}

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  at_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const std::vector<std::string_view>& parts) {
  Written member{name, 0, at_, 0};
  for (const std::string_view part : parts) {
    member.crc = joined_crc(member.crc, crc_of(part), part.size());
    member.size += part.size();
  }
  std::string header;
  put(header, local_mark, 4);
  const bool large = member.size >= large_;
  put_description(header, member.size, large, member.crc, name.size(), large ? 20 : 0);
  header += name;
  if (large) {
    put(header, 1, 2);
    put(header, 16, 2);
    put(header, member.size, 8);
    put(header, member.size, 8);
  }
  write(header);
  for (const std::string_view part : parts) write(part);
  written_.push_back(std::move(member));
}

void ZipWriter::commit() {
  const std::uint64_t begin = at_;
  std::string table;
  for (const Written& member : written_) {
    const bool large = member.size >= large_, far = member.offset >= large_;
    const int extra = (large ? 16 : 0) + (far ? 8 : 0);
    put(table, central_mark, 4);
    put(table, 45, 2);
    put_description(table, member.size, large, member.crc, member.name.size(),
                    static_cast<std::size_t>(extra > 0 ? extra + 4 : 0));
    put(table, 0, 2);  // comment
    put(table, 0, 2);  // disk
    put(table, 0, 2);
    put(table, 0, 4);
    put(table, far ? in_64_bits : member.offset, 4);
    table += member.name;
    if (extra > 0) {
      put(table, 1, 2);
      put(table, static_cast<std::uint64_t>(extra), 2);
      if (large) put(table, member.size, 8);
      if (large) put(table, member.size, 8);
      if (far) put(table, member.offset, 8);
    }
  }
  const std::uint64_t size = table.size();
  const bool far = begin + size >= large_;
  if (far) {
    put(table, end64_mark, 4);
    put(table, 44, 8);
    put(table, 45, 2);
    put(table, 45, 2);
    put(table, 0, 8);  // disks
    put(table, written_.size(), 8);
    put(table, written_.size(), 8);
    put(table, size, 8);
    put(table, begin, 8);
    put(table, locator64_mark, 4);
    put(table, 0, 4);
    put(table, begin + size, 8);
    put(table, 1, 4);
  }
  put(table, end_mark, 4);
  put(table, 0, 4);
  put(table, written_.size(), 2);
  put(table, written_.size(), 2);
  put(table, size, 4);
  put(table, far ? in_64_bits : begin, 4);
  put(table, 0, 2);
  write(table);
  file_.commit();
}

}  // namespace spsolve::io
