// Rooms of the sources include each other in one direction only.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;

/// Which rooms each room includes something of.
using Rooms = std::map<std::string, std::set<std::string>>;

/// lib/NAME, or the folder next to lib.
std::string room_of(const fs::path& file) {
  auto part = file.begin();
  const std::string first = part->string();
  return first == "lib" ? first + "/" + (++part)->string() : first;
}

void note_includes(const fs::path& folder, Rooms& rooms) {
  const fs::path root = test::source_folder();
  const std::regex include("^#include \"([^\"]+)\"");
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string kind = entry.path().extension();
    if (kind != ".cpp" && kind != ".hpp" && kind != ".cu" && kind != ".cuh") continue;
    const std::string room = room_of(fs::relative(entry.path(), root));
    std::ifstream file(entry.path());
    std::smatch found;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_search(line, found, include)) continue;
      for (const fs::path base : {"", "lib"}) {
        const fs::path included = base / found[1].str();
        if (fs::exists(root / included) && room_of(included) != room) {
          rooms[room].insert(room_of(included));
        }
      }
    }
  }
}

TEST(Rooms, IncludeEachOtherInOneDirection) {
  Rooms rooms;
  for (const char* folder : {"lib", "mpi", "api", "cuda", "apps", "python"}) {
    note_includes(folder, rooms);
  }
  EXPECT_GT(rooms.size(), 20u);
  EXPECT_TRUE(rooms["lib/team"].contains("lib/core"));
  // Rooms that include none of those left are taken away until all are, or a circle is left.
  for (bool found = true; found;) {
    found = false;
    for (auto room = rooms.begin(); room != rooms.end();) {
      const bool free = std::ranges::none_of(
          room->second, [&](const std::string& name) { return rooms.contains(name); });
      found = found || free;
      room = free ? rooms.erase(room) : std::next(room);
    }
  }
  std::vector<std::string> left;
  for (const auto& [room, included] : rooms) {
    left.push_back(fmt::format("{} includes {}", room, fmt::join(included, ", ")));
  }
  EXPECT_TRUE(left.empty()) << fmt::format("{}", fmt::join(left, "\n"));
}

}  // namespace
}  // namespace spsolve
