#include "report/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "matrix/structure.hpp"

namespace spsolve::inline report::svg {

namespace {

constexpr double line_height = 22;
constexpr double title_height = 34;
// Okabe and Ito's colours, which the colour-blind can tell apart.
constexpr std::string_view colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};

std::string begin(double width, double height, std::string_view title) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>{2}</title>
<rect width="{0:g}" height="{1:g}" fill="#ffffff"/>
<text x="8" y="20" font-size="15" font-weight="600" fill="#222222">{2}</text>
)",
      width, height, escaped(title));
}

std::string text(double x, double y, std::string_view anchor, std::string_view words,
                 std::string_view colour = "#333333") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}">{}</text>)"
                     "\n",
                     x, y, anchor, colour, escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 double width = 1, std::string_view dashes = "none") {
  return fmt::format(
      R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{:g}" stroke-dasharray="{}"/>)"
      "\n",
      x1, y1, x2, y2, colour, width, dashes);
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour) {
  return fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"/>)"
                     "\n",
                     x, y, width, height, colour);
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

std::string bars(std::string_view title, const std::vector<Bar>& bars, std::string_view unit) {
  constexpr double left = 150, length = 330, letter = 7;
  double most = 0, right = 190;
  for (const Bar& bar : bars) {
    most = std::max({most, bar.value, bar.most});
    right = std::max(right, letter * static_cast<double>(bar.note.size()) + 16);
  }
  const double scale = most > 0 ? length / most : 0;
  const double height = title_height + line_height * static_cast<double>(bars.size()) + 10;
  std::string result = begin(left + length + right, height, title);
  double y = title_height;
  for (const Bar& bar : bars) {
    const double middle = y + line_height / 2 - 2;
    result += text(left - 8, middle + 4, "end", bar.label);
    result += rectangle(left, y, std::max(bar.value * scale, 0.5), line_height - 6, colours[0]);
    if (bar.most > bar.least) {
      const double first = left + bar.least * scale, last = left + bar.most * scale;
      result += line(first, middle, last, middle, "#222222", 1.5);
      result += line(first, middle - 4, first, middle + 4, "#222222", 1.5);
      result += line(last, middle - 4, last, middle + 4, "#222222", 1.5);
    }
    result += text(left + std::max(bar.value, bar.most) * scale + 8, middle + 4, "start",
                   bar.note.empty() ? fmt::format("{:.4g} {}", bar.value, unit) : bar.note);
    y += line_height;
  }
  return result + "</svg>\n";
}

std::string steps(std::string_view title, const std::vector<Line>& lines,
                  const std::vector<std::string>& labels, const std::vector<AxisLevel>& levels) {
  constexpr double left = 70, top = title_height + 6, across = 380, down = 200;
  // An error of zero is drawn on the axis's lower end.
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
  const double last = std::max(std::ceil(std::log10(std::max(most, least))), first + 2);
  const auto height_of = [&](double value) {
    const double power = value > 0 ? std::clamp(std::log10(value), first, last) : first;
    return top + down * (last - power) / (last - first);
  };
  const auto place_of = [&](std::size_t step) {
    return left + 30 +
           (across - 60) * static_cast<double>(step) /
               static_cast<double>(std::max<std::size_t>(1, labels.size() - 1));
  };

  std::string result = begin(left + across + 190, top + down + 36, title);
  const int stride = std::max(1, static_cast<int>((last - first) / 6));
  for (int power = static_cast<int>(std::ceil(first)); power <= last; power += stride) {
    const double y = height_of(std::pow(10.0, power));
    result += line(left, y, left + across, y, "#e2e2e2");
    result += text(left - 8, y + 4, "end", fmt::format("1e{}", power));
  }
  for (const AxisLevel& level : levels) {
    const double y = height_of(level.value);
    result += line(left, y, left + across, y, "#777777", 1.2, "6 4");
    result += text(left + across + 8, y + 4, "start", level.name, "#555555");
  }
  // As many labels as there is room for, and no dots where they would touch.
  constexpr std::size_t most_labels = 6, most_dots = 40;
  const std::size_t apart = (labels.size() + most_labels - 1) / most_labels;
  for (std::size_t step = 0; step < labels.size(); step += apart) {
    result += text(place_of(step), top + down + 18, "middle", labels[step]);
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string_view colour = colours[k % std::size(colours)];
    std::string points;
    for (std::size_t step = 0; step < lines[k].values.size(); ++step) {
      const double x = place_of(step), y = height_of(lines[k].values[step]);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      if (lines[k].values.size() > most_dots) continue;
      result += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4.5" fill="{}"/>)"
                            "\n",
                            x, y, colour);
    }
    result += fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>)"
                          "\n",
                          points, colour);
    result += text(left + across + 8, top + 14 + 18 * static_cast<double>(k), "start",
                   lines[k].name, colour);
  }
  return result + "</svg>\n";
}

std::string pattern(const Pattern& pattern) {
  return svg::pattern(fmt::format("Where the {} non-zeros lie", pattern.nonzeros), pattern);
}

std::string pattern(std::string_view title, const Pattern& pattern) {
  constexpr double left = 12, side = 400;
  if (pattern.counts.empty()) return begin(side, title_height, title) + "</svg>\n";
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
  std::string result = begin(std::max(across, 260.0) + 2 * left, down + title_height + 30, title);
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
                        left, title_height, cell);
  for (int shade = 0; shade < shades; ++shade) {
    if (paths[shade].empty()) continue;
    const int grey = 200 - 185 * shade / (shades - 1);
    result += fmt::format(R"(<path fill="#{0:02x}{0:02x}{1:02x}" d="{2}"/>)"
                          "\n",
                          grey, grey + 45, paths[shade]);
  }
  result += "</g>\n";
  result += fmt::format(
      R"(<rect x="{:g}" y="{:g}" width="{:.2f}" height="{:.2f}" fill="none" stroke="#666666"/>)"
      "\n",
      left, title_height, across, down);
  result += text(left, title_height + down + 20, "start",
                 fmt::format("{} x {}, {} x {} cells", pattern.rows, pattern.columns,
                             pattern.cells_down, pattern.cells_across));
  return result + "</svg>\n";
}

std::string row_lengths(const Pattern& pattern) {
  std::vector<Bar> rows;
  const auto& histogram = pattern.row_length_histogram;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const auto count = static_cast<double>(histogram[bin]);
    if (rows.empty() && count == 0) continue;  // the first lengths that occur
    rows.push_back({fmt::format("length {}", row_length_bin_name(bin)), count, count, count,
                    fmt::format("{} rows", histogram[bin])});
  }
  return bars("Rows by length", rows, "rows");
}

}  // namespace spsolve::report::svg
