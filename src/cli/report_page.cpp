// SPDX-License-Identifier: Apache-2.0
#include <cli/report_page.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include <cli/report_script.hpp>
#include <cli/request.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--ink:#222;--soft:#666;--paper:#fff;--panel:#f5f5f2;--line:#ddd;--bar:#0072b2}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e4;--soft:#a5a5a0;--paper:#181a1b;--panel:#232627;--line:#3a3d3f;--bar:#56b4e9}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1000px;margin:0 auto;padding:1.2rem}
h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.05rem;margin:1.6rem 0 .3rem}
pre,code{font:13px/1.45 ui-monospace,monospace}pre{background:var(--panel);padding:.8rem;overflow-x:auto;border-radius:4px}
.chart{width:100%;height:320px}.legend{min-height:1.5em;font-size:13px;color:var(--soft)}
.dygraph-axis-label,.dygraph-label{color:var(--soft)}
table{border-collapse:collapse;font-size:14px}td{padding:.1rem .8rem .1rem 0;font-variant-numeric:tabular-nums}
.bar{display:inline-block;height:.7em;background:var(--bar)}.bar.minus{background:#d55e00}
footer{margin-top:2rem;color:var(--soft);font-size:13px}
)";

// Lines upwards are drawn below the curves; a double click shows all again.
constexpr std::string_view script = R"(
const colours=['#0072b2','#d55e00','#009e73','#cc79a7','#56b4e9','#e69f00','#8c8c8c','#999933'];
for(const c of charts){
  const at=document.getElementById(c.id);
  new Dygraph(at,c.rows,{
    labels:[c.across,...c.names],labelsDiv:at.nextElementSibling,legend:'always',xlabel:c.across,
    colors:c.names.map((_,i)=>colours[i%8]),strokeWidth:c.dots?0:1.5,drawPoints:c.dots,pointSize:2,
    stepPlot:c.bars,fillGraph:c.bars,includeZero:c.bars,connectSeparatedPoints:true,axisLabelFontSize:12,
    digitsAfterDecimal:6,sigFigs:8,gridLineColor:'rgba(128,128,128,.25)',axisLineColor:'#888',
    axes:{x:{logscale:c.log_across,axisLabelFormatter:x=>+x.toPrecision(4),valueFormatter:x=>c.across+' = '+x.toPrecision(8)},y:{logscale:c.log_up,axisLabelWidth:70,axisLabelFormatter:y=>+y.toPrecision(4)}},
    underlayCallback:(g,area,d)=>{g.strokeStyle='rgba(128,128,128,.6)';
      for(const x of c.marks){const left=d.toDomXCoord(x);g.beginPath();g.moveTo(left,area.y);g.lineTo(left,area.y+area.h);g.stroke()}}});
}
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

/// Of numbers that are none, and of those that a logarithm refuses, null.
json numbers(const std::vector<double>& row, bool logarithmic) {
  json list = json::array();
  for (std::size_t i = 0; i < row.size(); ++i)
    list.push_back(std::isfinite(row[i]) && !(logarithmic && i > 0 && row[i] <= 0) ? json(row[i])
                                                                                   : json());
  return list;
}

json object_of(const chart& c, std::size_t number) {
  json rows = json::array();
  for (const auto& row : c.rows) rows.push_back(numbers(row, c.logarithmic_up));
  return {{"id", "chart" + std::to_string(number)},
          {"across", c.across},
          {"names", c.names},
          {"rows", std::move(rows)},
          {"log_across", c.logarithmic_across},
          {"log_up", c.logarithmic_up},
          {"dots", c.dots},
          {"bars", c.bars},
          {"marks", c.marks}};
}

/// As JavaScript within a page: no "</" ends it early.
std::string script_text(const json& data) {
  std::string text = data.dump(-1, ' ', true, json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

std::string gradient_rows(const std::vector<named_number>& gradient) {
  double most = 0;
  for (const named_number& g : gradient)
    if (std::isfinite(g.value)) most = std::max(most, std::abs(g.value));
  std::string text = "<h2>Gradient</h2>\n<table>\n";
  for (const named_number& g : gradient) {
    const double share = most > 0 && std::isfinite(g.value) ? std::abs(g.value) / most : 0;
    text += "<tr><td>" + escaped(g.name) + "</td><td>" + rounded(g.value, 10) +
            "</td><td><span class=\"bar" + (g.value < 0 ? " minus" : "") +
            "\" style=\"width:" + std::to_string(static_cast<int>(std::lround(300 * share))) +
            "px\"></span></td></tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string report_page::html() const {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escaped(title) + "</title>\n<style>";
  text.append(report_style()).append(style).append("</style>\n<h1>" + escaped(title) + "</h1>\n");
  text += "<p><code>" + escaped(command) + "</code></p>\n";
  json all = json::array();
  for (const chart& c : charts) {
    all.push_back(object_of(c, all.size()));
    text += "<h2>" + escaped(c.title) + "</h2>\n<div class=\"chart\" id=\"" +
            all.back()["id"].get<std::string>() + "\"></div><div class=\"legend\"></div>\n";
  }
  if (!gradient.empty()) text += gradient_rows(gradient);
  text += "<h2>What was printed</h2>\n<pre>" + escaped(this->text) + "</pre>\n";
  text += "<footer>Drag across a chart to zoom in, double-click to see all. revode " REVODE_VERSION
          "; charts by dygraphs (MIT).</footer>\n<script>";
  text.append(report_script())
      .append("</script>\n<script>\nconst charts=" + script_text(all) + ";");
  return text.append(script).append("</script>\n</html>\n");
}

bool has_charts() { return !report_script().empty(); }

void check_report(const std::string& path) {
  if (!path.ends_with(".html"))
    misuse("invalid --report " + in_quotes(path) +
           " (a report is a page) give a name that ends in .html?");
  check_output("--report", path);
  if (!has_charts())
    misuse(
        "--report with a command that was built without its charts (dygraphs was not found then) "
        "install Debian's libjs-dygraphs and build it anew?");
}

}  // namespace revode::cli
