#include "report/page/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "matrix/structure.hpp"
#include "report/page/units.hpp"

namespace spsolve::inline report::svg {

namespace {

constexpr double width = 400, margin = 8;
constexpr double title_height = 34;
// Okabe and Ito's colours, which the colour-blind can tell apart.
constexpr std::string_view colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};

struct Ink {
  std::string_view name, colour;  ///< of a class, and the colour of it on a light page
};
constexpr Ink ink{"ink", "#222222"}, quiet{"quiet", "#555555"}, grid{"grid", "#dddddd"};

std::string begin(double height, std::string_view title) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>{2}</title>
<rect class="paper" width="{0:g}" height="{1:g}" fill="#ffffff"/>
<text class="ink" x="8" y="20" font-size="15" font-weight="600" fill="#222222">{2}</text>
)",
      width, height, escaped(title));
}

std::string text(double x, double y, std::string_view anchor, std::string_view words,
                 const Ink& of = ink) {
  return fmt::format(
      R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}">{}</text>)"
      "\n",
      of.name, x, y, anchor, of.colour, escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, const Ink& of, double thick = 1,
                 std::string_view dashes = "none") {
  return fmt::format(
      R"(<line class="line {}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{:g}" stroke-dasharray="{}"/>)"
      "\n",
      of.name, x1, y1, x2, y2, of.colour, thick, dashes);
}

/// The letters of a UTF-8 text.
std::size_t letters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

/// `text` cut to what `room` letters hold.
std::string cut(const std::string& text, std::size_t room) {
  if (letters(text) <= room) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && seen++ + 1 == room) break;
  }
  return text.substr(0, end) + "…";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string bars(std::string_view title, std::string_view about, const std::vector<Bar>& bars) {
  constexpr double length = width - 2 * margin, bar_height = 32;
  constexpr std::size_t letters_across = 54;
  double most = 0;
  for (const Bar& bar : bars) most = std::max({most, bar.value, bar.most});
  const double scale = most > 0 ? length / most : 0;
  double y = title_height + (about.empty() ? 0 : 16);
  std::string result = begin(y + bar_height * static_cast<double>(bars.size()) + 6, title);
  if (!about.empty()) result += text(margin, title_height + 4, "start", about, quiet);
  for (const Bar& bar : bars) {
    const double middle = y + 21;
    const std::size_t note = letters(bar.note);
    result += text(margin, y + 12, "start",
                   cut(bar.label, note + 8 < letters_across ? letters_across - note : 8));
    result += text(width - margin, y + 12, "end", bar.note, quiet);
    result +=
        fmt::format(R"(<rect class="c0" x="{:g}" y="{:.1f}" width="{:.2f}" height="8" fill="{}"/>)"
                    "\n",
                    margin, middle - 4, std::max(bar.value * scale, 0.5), colours[0]);
    if (bar.most > bar.least) {
      const double first = margin + bar.least * scale, last = margin + bar.most * scale;
      result += line(first, middle, last, middle, ink, 1.5);
      result += line(first, middle - 4, first, middle + 4, ink, 1.5);
      result += line(last, middle - 4, last, middle + 4, ink, 1.5);
    }
    y += bar_height;
  }
  return result + "</svg>\n";
}

namespace {

/// The decades of a logarithmic axis.
struct Decades {
  double first = 0, last = 0;
};

/// Those around the values of lines and levels; an error of zero is drawn at the lower end.
Decades decades_around(const std::vector<Line>& lines, const std::vector<AxisLevel>& levels) {
  double least = 1, most = 0;
  const auto include = [&](double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    least = most == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  };
  for (const Line& each : lines) {
    for (const double value : each.values) include(value);
  }
  for (const AxisLevel& level : levels) include(level.value);
  const double first = std::floor(std::log10(least)) - 0.5;
  return {first, std::max(std::ceil(std::log10(std::max(most, least))), first + 2)};
}

}  // namespace

std::string steps(std::string_view title, const std::vector<Line>& lines,
                  const std::vector<std::string>& labels, const std::vector<AxisLevel>& levels) {
  constexpr double left = 52, top = title_height + 24, across = width - left - margin, down = 180;
  const auto [first, last] = decades_around(lines, levels);
  const auto height_of = [&, first = first, last = last](double value) {
    const double power = value > 0 ? std::clamp(std::log10(value), first, last) : first;
    return top + down * (last - power) / (last - first);
  };
  const auto place_of = [&](std::size_t step) {
    return left + 30 +
           (across - 60) * static_cast<double>(step) /
               static_cast<double>(std::max<std::size_t>(1, labels.size() - 1));
  };

  std::string result = begin(top + down + 30, title);
  const int stride = std::max(1, static_cast<int>((last - first) / 6));
  for (int power = static_cast<int>(std::ceil(first)); power <= last; power += stride) {
    const double y = height_of(std::pow(10.0, power));
    result += line(left, y, left + across, y, grid);
    result += text(left - 8, y + 4, "end", power == 0 ? "1" : "10" + raised(power), quiet);
  }
  for (const AxisLevel& level : levels) {
    const double y = height_of(level.value);
    result += line(left, y, left + across, y, quiet, 1.2, "6 4");
    // At the end of the line that the values of the first line are farther away from.
    const std::vector<double>& values = lines.front().values;
    const bool at_end = !values.empty() && std::abs(height_of(values.front()) - y) <
                                               std::abs(height_of(values.back()) - y);
    result +=
        text(at_end ? left + across : left + 4, y - 5, at_end ? "end" : "start", level.name, quiet);
  }
  // As many labels as there is room for, and no dots where they would touch.
  constexpr std::size_t most_labels = 5, most_dots = 40;
  const std::size_t apart = (labels.size() + most_labels - 1) / most_labels;
  for (std::size_t step = 0; step < labels.size(); step += apart) {
    result += text(place_of(step), top + down + 18, "middle", labels[step], quiet);
  }
  double legend = margin;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string_view colour = colours[k % std::size(colours)];
    std::string points;
    for (std::size_t step = 0; step < lines[k].values.size(); ++step) {
      const double x = place_of(step), y = height_of(lines[k].values[step]);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      if (lines[k].values.size() > most_dots) continue;
      result += fmt::format(R"(<circle class="c{}" cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"/>)"
                            "\n",
                            k % std::size(colours), x, y, colour);
    }
    const std::string name = fmt::format("c{}", k % std::size(colours));
    result += fmt::format(
        R"(<polyline class="l{}" points="{}" fill="none" stroke="{}" stroke-width="2"/>)"
        "\n",
        k % std::size(colours), points, colour);
    result += text(legend, title_height + 6, "start", lines[k].name, {name, colour});
    legend += 7.5 * static_cast<double>(letters(lines[k].name)) + 18;
  }
  return result + "</svg>\n";
}

std::string pattern(const Pattern& pattern) {
  return svg::pattern(fmt::format("Where the {} non-zeros lie", count_text(pattern.nonzeros)),
                      pattern);
}

std::string pattern(std::string_view title, const Pattern& pattern) {
  constexpr double side = width - 2 * margin;
  if (pattern.counts.empty()) return begin(title_height, title) + "</svg>\n";
  const double cell =
      side / static_cast<double>(std::max(pattern.cells_down, pattern.cells_across));
  const double across = cell * static_cast<double>(pattern.cells_across);
  const double down = cell * static_cast<double>(pattern.cells_down);
  // Cells that hold a row or a column more than others must not look fuller.
  const auto lines = [](Index which, Index cells, Index all) {
    const auto first = [&](Index number) { return (number * all + cells - 1) / cells; };
    return static_cast<double>(first(which + 1) - first(which));
  };
  const auto density = [&](Index i, Index j) {
    return static_cast<double>(pattern.counts[i * pattern.cells_across + j]) /
           (lines(i, pattern.cells_down, pattern.rows) *
            lines(j, pattern.cells_across, pattern.columns));
  };
  const double largest_cell =
      std::ceil(static_cast<double>(pattern.rows) / pattern.cells_down) *
      std::ceil(static_cast<double>(pattern.columns) / pattern.cells_across);
  double fullest = 0;
  for (Index i = 0; i < pattern.cells_down; ++i) {
    for (Index j = 0; j < pattern.cells_across; ++j) fullest = std::max(fullest, density(i, j));
  }
  std::string result = begin(down + title_height + 28, title);
  // One path for each shade, in units of a cell, keeps a page of thousands of cells small.
  constexpr int shades = 8;
  std::string paths[shades];
  for (Index i = 0; i < pattern.cells_down; ++i) {
    for (Index j = 0; j < pattern.cells_across; ++j) {
      const Index count = pattern.counts[i * pattern.cells_across + j];
      if (count == 0) continue;
      // Shades go by the logarithm: one non-zero must be seen next to a cell of thousands.
      const double share =
          std::log1p(density(i, j) * largest_cell) / std::log1p(fullest * largest_cell);
      const int shade = std::clamp(static_cast<int>(share * shades), 0, shades - 1);
      paths[shade] += fmt::format("M{} {}h1v1h-1z", j, i);
    }
  }
  result += fmt::format(R"svg(<g transform="translate({:g},{:g}) scale({:.6g})">)svg"
                        "\n",
                        margin, title_height, cell);
  for (int shade = 0; shade < shades; ++shade) {
    if (paths[shade].empty()) continue;
    result += fmt::format(R"(<path class="cell" fill="#0f2a5a" fill-opacity="{:.2f}" d="{}"/>)"
                          "\n",
                          0.3 + 0.7 * shade / (shades - 1), paths[shade]);
  }
  result += "</g>\n";
  result += fmt::format(
      R"(<rect class="line quiet" x="{:g}" y="{:g}" width="{:.2f}" height="{:.2f}" fill="none" stroke="#666666"/>)"
      "\n",
      margin, title_height, across, down);
  const std::string shape =
      fmt::format("{} × {}", count_text(pattern.rows), count_text(pattern.columns));
  result += text(margin, title_height + down + 18, "start",
                 largest_cell > 1 ? fmt::format("{}, drawn as {} × {} cells", shape,
                                                pattern.cells_down, pattern.cells_across)
                                  : shape,
                 quiet);
  return result + "</svg>\n";
}

std::string row_lengths(const Pattern& pattern) {
  std::vector<Bar> rows;
  const auto& histogram = pattern.row_length_histogram;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const auto count = static_cast<double>(histogram[bin]);
    if (rows.empty() && count == 0) continue;  // the first lengths that occur
    rows.push_back({fmt::format("{} non-zeros", row_length_bin_name(bin)), count, count, count,
                    counted_text(histogram[bin], "row")});
  }
  return bars("Rows by length", "", rows);
}

}  // namespace spsolve::report::svg
