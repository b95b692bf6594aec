#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace spsolve::inline report {

/// A whole HTML page without a script or another file: `body` within the house's style, for a
/// desk, a phone and paper, by day and by night.
std::string page_of(std::string_view title, const std::string& body);

/// One figure of a table for people: text, not HTML.
struct Figure {
  std::string name;
  std::string value;
  std::string word;  ///< how the value is to be judged, or what it is; may be empty
};

/// A section with a heading and the figures line by line; "" where there are none.
std::string figure_table(std::string_view heading, const std::vector<Figure>& figures);

/// Pictures side by side where there is room, with a heading; "" where there are none.
std::string picture_grid(std::string_view heading, const std::vector<std::string>& pictures);

/// Something that is seen when its heading is clicked.
std::string folded(std::string_view heading, const std::string& content);

/// A list of objects as a table, a column for each key; at most `most_rows` of them, which are
/// numbered from `first` on.
std::string object_table(const nlohmann::ordered_json& list, std::size_t most_rows,
                         std::size_t first = 0);

/// A scalar, or a list of them, as a person reads it; `key` tells its unit.
std::string value_text(std::string_view key, const nlohmann::ordered_json& value);

/// The key of a field as the heading of its values.
std::string heading_of(std::string_view key);

/// The finite number, or text, at a JSON pointer; nothing, or "", where it is absent or no such.
std::optional<double> number_at(const nlohmann::ordered_json& object, const char* pointer);
std::string text_at(const nlohmann::ordered_json& object, const char* pointer);

}  // namespace spsolve::report
