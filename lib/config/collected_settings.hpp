#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "config/config.hpp"
#include "config/override.hpp"
#include "config/schema.hpp"
#include "config/yaml_tree.hpp"

namespace spsolve::inline config {

/// Where a setting comes from: a place of the file, or the override of this number from 1.
struct Origin {
  int override_number = 0;
  int line = 1;
  int column = 1;

  auto order() const { return std::tuple(override_number, line, column); }
};

/// Settings and problems of a configuration file and of overrides; finish() makes the Config.
class CollectedSettings {
 public:
  /// A configuration of more is refused.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  CollectedSettings(std::string_view name, const std::filesystem::path& folder,
                    std::span<const Override> overrides)
      : name_(name), folder_(folder), overrides_(overrides) {}

  /// Takes in the text of a file.
  void read(std::string_view text);
  /// Takes in the overrides, which count more than the file.
  void apply_overrides();
  /// Throws Error(input) with all problems that were found, the first ones first.
  Config finish();

 private:
  struct Given {
    std::string text;
    Origin origin;
  };
  struct Problem {
    Origin origin;
    std::string sentence;
  };

  /// `subject` is the key that the user meant, as far as known.
  void report(const Origin& origin, std::string sentence, std::string_view subject) {
    problems_.push_back({origin, std::move(sentence)});
    blame(subject);
  }
  /// Notes that a problem of `subject` is reported: it need not be called missing as well.
  void blame(std::string_view subject) {
    matrix_blamed_ = matrix_blamed_ || subject == "matrix" || subject.starts_with("matrix.");
  }

  /// The words that may stand at the top of the file, or, with `section`, in that section.
  static std::vector<std::string_view> words_in(const Section* section);

  void read_entries(const YamlNode& mapping, const Section* section);
  void read_option(const Option& option, const YamlEntry& entry);
  void read_section(const Section& section, const YamlEntry& entry);
  void unknown_key(const std::string& word, const Section* section, const Origin& origin);
  void give(const Option& option, const std::string& text, bool quoted, const Origin& origin,
            std::string_view note = "");
  void give_shorthand(const Section& section, const std::string& text, const Origin& origin);
  void drop_what_contradicts(std::string_view key);
  void check_together();
  std::string resolved(const Option& option, const Given& given) const;
  std::string message() const;

  const Given* given(std::string_view key) const {
    const auto found = given_.find(key);
    return found == given_.end() ? nullptr : &found->second;
  }

  std::string name_;
  std::filesystem::path folder_;
  std::span<const Override> overrides_;
  std::map<std::string_view, Given> given_;  // by the keys of the table
  std::vector<Problem> problems_;
  Origin matrix_origin_;
  bool matrix_blamed_ = false;  // a problem names the matrix already
};

}  // namespace spsolve::config
