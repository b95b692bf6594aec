#include "checkpoint/section_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/pulse.hpp"

namespace spsolve::inline checkpoint {

namespace {

constexpr std::array<char, 8> file_mark{'s', 'p', 's', 'o', 'l', 'v', 'e', '\n'};
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint32_t swapped_mark = 0x04030201;
constexpr std::uint32_t file_version = 2;
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// The head and entries as they stand in the file; no padding anywhere.
struct Head {
  std::array<char, 8> mark = file_mark;
  std::uint32_t byte_order = byte_order_mark;
  std::uint32_t version = file_version;
  std::int64_t end = 0;       // of the last entry
  std::int64_t sections = 0;  // how many
  std::uint64_t sum = 0;      // of this head, where it is 0
};
struct Entry {
  std::array<char, 32> name{};
  std::uint32_t version = 0, reserved = 0;
  std::int64_t size = 0;        // of the section's bytes, which lie before the entry
  std::uint64_t bytes_sum = 0;  // of those bytes
  std::uint64_t sum = 0;        // of this entry, where it is 0
};
static_assert(sizeof(Head) == 40 && sizeof(Entry) == 64, "no padding");

constexpr auto head_size = static_cast<std::int64_t>(sizeof(Head));
constexpr auto entry_size = static_cast<std::int64_t>(sizeof(Entry));

template <typename Record>
std::span<std::byte> bytes_of(Record& record) {
  return std::as_writable_bytes(std::span(&record, 1));
}

/// The checksum of a record whose `sum` counts as 0.
template <typename Record>
std::uint64_t sum_of(Record record) {
  record.sum = 0;
  return checksum(bytes_of(record));
}

}  // namespace

// --- to write

SectionWriter::SectionWriter(std::unique_ptr<io::File> file, std::int64_t size,
                             std::int64_t sections)
    : file_(std::move(file)), size_(size), sections_(sections) {}

SectionWriter::SectionWriter(const std::filesystem::path& path)
    : file_(std::make_unique<io::AtomicFile>(path)) {
  const Head none{};  // until commit()
  put(std::as_bytes(std::span(&none, 1)));
}

SectionWriter SectionWriter::adding_to(const std::filesystem::path& path) {
  const SectionReader there(path);
  return SectionWriter(std::make_unique<io::GrowingFile>(path, there.size()), there.size(),
                       static_cast<std::int64_t>(there.sections().size()));
}

void SectionWriter::cut(const std::filesystem::path& path, std::size_t sections) {
  const SectionReader there(path);
  if (sections >= there.sections().size()) return;
  const std::int64_t end = there.sections()[sections].offset;
  SectionWriter(std::make_unique<io::GrowingFile>(path, there.size()), end,
                static_cast<std::int64_t>(sections))
      .commit();
  // Not before the head names it no more.
  std::error_code ignored;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(end), ignored);
}

void SectionWriter::put(std::span<const std::byte> bytes) {
  file_->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  size_ += static_cast<std::int64_t>(bytes.size());
}

void SectionWriter::begin(const SectionKind& kind) {
  complete();
  if (kind.name.empty() || kind.name.size() >= sizeof(Entry::name)) {
    fail(ExitCode::internal, "'{}' is no name of a section", kind.name);
  }
  name_ = kind.name;
  version_ = kind.version;
  begin_ = size_;
  sum_ = Checksum();
}

void SectionWriter::write(std::span<const std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), piece_bytes))) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    sum_.add(piece);
    put(piece);
    note_move();
  }
}

void SectionWriter::complete() {
  if (name_.empty()) return;
  Entry entry;
  std::ranges::copy(name_, entry.name.begin());
  entry.version = version_;
  entry.size = size_ - begin_;
  entry.bytes_sum = sum_.value();
  entry.sum = sum_of(entry);
  put(bytes_of(entry));
  ++sections_;
  name_.clear();
}

std::int64_t SectionWriter::commit() {
  complete();
  Head head;
  head.end = size_;
  head.sections = sections_;
  head.sum = sum_of(head);
  file_->commit({reinterpret_cast<const char*>(&head), sizeof head});
  return size_;
}

// --- to read

SectionReader::SectionReader(const std::filesystem::path& path) : path_(path) {
  // A pipe of that name must not keep anybody waiting.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) refuse("cannot be opened ({})", std::strerror(errno));
  try {
    read_entries();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

SectionReader::~SectionReader() {
  ::close(descriptor_);
}

void SectionReader::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor_, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse("cannot be read ({})", std::strerror(errno));
    if (done == 0) refuse("ends too early, after {} bytes", offset);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

void SectionReader::read_entries() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) refuse("is no file");
  const std::int64_t size = status.st_size;
  Head head;
  // The beginning tells what a file of another form is, however short.
  const auto beginning = static_cast<std::int64_t>(offsetof(Head, end));
  if (size < beginning)
    refuse("is no checkpoint or analysis, or is truncated: it has {} bytes", size);
  read_at(0, bytes_of(head).first(static_cast<std::size_t>(std::min(size, head_size))));
  if (head.mark != file_mark) refuse("is no checkpoint or analysis");
  if (head.byte_order == swapped_mark) refuse("was written in the other order of bytes");
  if (head.byte_order != byte_order_mark) refuse("is damaged: its head is not as written");
  if (head.version != file_version) {
    refuse("has version {} of the form; this program reads version {}", head.version, file_version);
  }
  if (size < head_size) refuse("is truncated: it has {} bytes", size);
  if (sum_of(head) != head.sum) refuse("is damaged: its head is not as written");
  if (head.end > size) refuse("is truncated: it has {} bytes, not {}", size, head.end);
  std::int64_t end = head.end;
  while (end > head_size) {
    Entry entry;
    const std::int64_t at = end - entry_size;
    if (at < head_size) refuse("contradicts itself");
    read_at(at, bytes_of(entry));
    if (sum_of(entry) != entry.sum) refuse("is damaged: an entry is not as written");
    if (entry.size < 0 || entry.size > at - head_size || entry.name.back() != 0 ||
        entry.reserved != 0) {
      refuse("contradicts itself");
    }
    end = at - entry.size;
    sections_.push_back(
        {std::string(entry.name.data()), entry.version, end, entry.size, entry.bytes_sum});
  }
  if (end != head_size || static_cast<std::int64_t>(sections_.size()) != head.sections) {
    refuse("contradicts itself");
  }
  std::ranges::reverse(sections_);
  end_ = head.end;
}

const FileSection* SectionReader::find(std::string_view name) const {
  const auto found =
      std::ranges::find(sections_.rbegin(), sections_.rend(), name, &FileSection::name);
  return found == sections_.rend() ? nullptr : &*found;
}

const FileSection& SectionReader::section(const SectionKind& kind) const {
  const FileSection* found = find(kind.name);
  if (found == nullptr) refuse("has no section '{}'", kind.name);
  if (found->version != kind.version) {
    refuse("has version {} of the section '{}'; this program reads version {}", found->version,
           kind.name, kind.version);
  }
  return *found;
}

void SectionReader::verify() const {
  std::vector<std::byte> piece;
  for (const FileSection& section : sections_) {
    piece.resize(std::min(piece_bytes, static_cast<std::size_t>(section.size)));
    Checksum sum;
    for (std::int64_t done = 0; done < section.size;) {
      const auto bytes = std::span(piece).first(
          std::min(piece.size(), static_cast<std::size_t>(section.size - done)));
      read_at(section.offset + done, bytes);
      sum.add(bytes);
      done += static_cast<std::int64_t>(bytes.size());
      note_move();
    }
    if (sum.value() != section.sum) {
      refuse("is damaged: the checksum of its section '{}' is not that of its contents",
             section.name);
    }
  }
}

void SectionReader::read(const FileSection& section, std::int64_t first,
                         std::span<std::byte> bytes) const {
  const auto count = static_cast<std::int64_t>(bytes.size());
  if (first < 0 || count > section.size - first) {
    refuse("holds {} bytes in its section '{}', not {}", section.size, section.name, first + count);
  }
  read_at(section.offset + first, bytes);
  note_move();
}

std::vector<std::byte> SectionReader::read(const FileSection& section) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(section.size));
  read(section, 0, bytes);
  return bytes;
}

}  // namespace spsolve::checkpoint
