// Rooms of the sources include each other in one direction only.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;

/// Which rooms each room includes something of.
using Rooms = std::map<std::string, std::set<std::string>>;

/// The room of a file of lib or cuda, down to the second level below: lib/sparse, or
/// lib/sparse/fronts; of apps down to the first; else the top folder.
std::string room_of(const fs::path& file) {
  const std::vector<fs::path> parts(file.begin(), std::prev(file.end()));
  const std::string top = parts.front().string();
  const std::size_t depth = top == "lib" || top == "cuda" ? 3 : top == "apps" ? 2 : 1;
  fs::path room;
  for (std::size_t k = 0; k < std::min(depth, parts.size()); ++k) room /= parts[k];
  return room.string();
}

/// Which rooms below `folder`, a folder of `root`, include something of which.
void note_includes(const fs::path& root, const fs::path& folder, Rooms& rooms) {
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

/// The rooms of circles, and those that lead to one, each with what it includes of them; "" where
/// there is none. Rooms that include none of those left are taken away until all are.
std::string circles_of(Rooms rooms) {
  for (bool found = true; found;) {
    found = false;
    for (auto room = rooms.begin(); room != rooms.end();) {
      std::erase_if(room->second, [&](const std::string& name) { return !rooms.contains(name); });
      found = found || room->second.empty();
      room = room->second.empty() ? rooms.erase(room) : std::next(room);
    }
  }
  std::vector<std::string> left;
  for (const auto& [room, included] : rooms) {
    left.push_back(fmt::format("{} includes {}", room, fmt::join(included, ", ")));
  }
  return fmt::format("{}", fmt::join(left, "\n"));
}

/// What the library's interface includes of tasks, which are the application's: both go the way of
/// rooms below.
std::string interface_includes_of_tasks(const Rooms& rooms) {
  std::vector<std::string> wrong;
  for (const auto& [room, included] : rooms) {
    if (!room.starts_with("api")) continue;
    for (const std::string& other : included) {
      if (other.starts_with("lib/task")) wrong.push_back(room + " includes " + other);
    }
  }
  return fmt::format("{}", fmt::join(wrong, "\n"));
}

TEST(Rooms, IncludeEachOtherInOneDirection) {
  Rooms rooms;
  for (const char* folder : {"lib", "mpi", "api", "cuda", "apps", "python"}) {
    note_includes(test::source_folder(), folder, rooms);
  }
  EXPECT_GT(rooms.size(), 80u);
  EXPECT_TRUE(rooms["lib/team"].contains("lib/core"));
  EXPECT_TRUE(rooms["lib/sparse/analysis"].contains("lib/sparse/fronts"));
  EXPECT_TRUE(rooms["api"].contains("lib/choice"));
  EXPECT_EQ(circles_of(rooms), "");
  EXPECT_EQ(interface_includes_of_tasks(rooms), "");
}

/// What sockets include that is neither theirs nor the library's public interface.
std::string includes_behind_the_interface(const fs::path& root) {
  const std::regex include("^#include \"([^\"]+)\"");
  std::vector<std::string> wrong;
  for (const auto& entry : fs::recursive_directory_iterator(root / "sockets")) {
    std::ifstream file(entry.path());
    std::smatch found;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_search(line, found, include)) continue;
      const std::string name = found[1];
      if (!name.starts_with("sockets/") && !name.starts_with("spsolve/")) wrong.push_back(line);
    }
  }
  return fmt::format("{}", fmt::join(wrong, "\n"));
}

TEST(Rooms, SocketsIncludeTheInterfaceAlone) {
  EXPECT_EQ(includes_behind_the_interface(test::source_folder()), "");
  const test::TemporaryFolder sources;
  fs::create_directories(sources / "sockets/some");
  std::ofstream(sources / "sockets/some/call.cpp")
      << "#include \"spsolve/spsolve.hpp\"\n#include \"core/error.hpp\"\n";
  EXPECT_EQ(includes_behind_the_interface(sources / ""), "#include \"core/error.hpp\"");
}

/// Files of lib and cuda whose names are not in the namespace of their room, spsolve::sparse for
/// lib/sparse and spsolve::cuda::sparse for cuda/sparse; inline, so that others need not name it.
std::string files_of_other_namespaces(const fs::path& root) {
  std::vector<std::string> wrong;
  for (const std::string top : {"lib", "cuda"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string kind = entry.path().extension();
      if (kind != ".cpp" && kind != ".hpp" && kind != ".cu" && kind != ".cuh") continue;
      const fs::path file = fs::relative(entry.path(), root);
      std::ifstream text(entry.path());
      const std::string all((std::istreambuf_iterator<char>(text)), {});
      const std::string room =
          fmt::format("namespace spsolve{}::inline {}", top == "cuda" ? "::cuda" : "",
                      std::next(file.begin())->string());
      if (all.find("\nnamespace spsolve") != all.npos && all.find(room) == all.npos) {
        wrong.push_back(file);
      }
    }
  }
  return fmt::format("{}", fmt::join(wrong, "\n"));
}

TEST(Rooms, EachHasANamespace) {
  EXPECT_EQ(files_of_other_namespaces(test::source_folder()), "");
}

TEST(Rooms, ACircleOfTheSecondLevelIsSeen) {
  const test::TemporaryFolder sources;
  const auto write = [&](const fs::path& file, const std::string& include) {
    fs::create_directories((sources / file).parent_path());
    std::ofstream(sources / file) << fmt::format("#include \"{}\"\n", include);
  };
  write("lib/core/types.hpp", "cstdint");
  write("lib/sparse/fronts/front.hpp", "core/types.hpp");
  write("lib/sparse/solve/solve.hpp", "sparse/fronts/front.hpp");
  Rooms rooms;
  note_includes(sources / "", "lib", rooms);
  EXPECT_EQ(circles_of(rooms), "");
  write("lib/sparse/fronts/front.cpp", "sparse/solve/solve.hpp");
  note_includes(sources / "", "lib", rooms);
  EXPECT_EQ(circles_of(rooms),
            "lib/sparse/fronts includes lib/sparse/solve\n"
            "lib/sparse/solve includes lib/sparse/fronts");
}

TEST(Rooms, ATaskInTheInterfaceIsSeen) {
  const test::TemporaryFolder sources;
  const auto write = [&](const fs::path& file, const std::string& include) {
    fs::create_directories((sources / file).parent_path());
    std::ofstream(sources / file) << fmt::format("#include \"{}\"\n", include);
  };
  write("lib/choice/choice.hpp", "cstdint");
  write("lib/task/input/input.hpp", "choice/choice.hpp");
  write("api/solver.cpp", "choice/choice.hpp");
  Rooms rooms;
  note_includes(sources / "", "api", rooms);
  EXPECT_EQ(interface_includes_of_tasks(rooms), "");
  write("api/matrix.cpp", "task/input/input.hpp");
  note_includes(sources / "", "api", rooms);
  EXPECT_EQ(interface_includes_of_tasks(rooms), "api includes lib/task/input");
}

}  // namespace
}  // namespace spsolve
