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
.plane{display:block;width:100%;max-width:560px;aspect-ratio:1;cursor:crosshair}
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

// Of shades the colours of the pictures by gnuplot, white for 0.
constexpr std::string_view plane_script = R"(
const steps=[[0,255,255,255],[.25,184,212,234],[.6,59,131,184],[1,6,47,85]];
function shade(v){
  const k=v<.25?1:v<.6?2:3,[a,b]=[steps[k-1],steps[k]],s=(v-a[0])/(b[0]-a[0]);
  return [1,2,3].map(i=>a[i]+s*(b[i]-a[i])).concat(255)}
function ticks(a,b){
  const raw=(b-a)/5,ten=10**Math.floor(Math.log10(raw)),step=ten*[1,2,5,10].find(m=>m*ten>=raw),all=[];
  for(let k=Math.ceil(a/step);k*step<=b;k++)all.push(+(k*step).toPrecision(6));
  return all}
for(const c of planes){
  const at=document.getElementById(c.id),note=at.nextElementSibling,g=at.getContext('2d'),n=c.side,edge=36;
  let view=c.view,size,start=null,image=null;
  if(n>0){
    image=document.createElement('canvas');image.width=image.height=n;
    const most=Math.max(...c.shades),all=new ImageData(n,n);
    c.shades.forEach((v,i)=>all.data.set(shade(v/most),4*((n-1-Math.floor(i/n))*n+i%n)));
    image.getContext('2d').putImageData(all,0,0)}
  const px=x=>edge+(size-2*edge)*(x-view[0])/(view[1]-view[0]),py=y=>size-edge-(size-2*edge)*(y-view[2])/(view[3]-view[2]);
  const place=e=>{const s=(size-2*edge);
    return [view[0]+(view[1]-view[0])*(e.offsetX-edge)/s,view[2]+(view[3]-view[2])*(size-edge-e.offsetY)/s]};
  const legend=()=>note.textContent=c.drawn.map(t=>t.name).join(', ');
  function draw(){
    size=at.clientWidth;const fine=window.devicePixelRatio||1;
    at.width=at.height=size*fine;g.scale(fine,fine);g.clearRect(0,0,size,size);
    g.save();g.beginPath();g.rect(edge,edge,size-2*edge,size-2*edge);g.clip();
    if(image){const [l,r,b,t]=c.view;g.imageSmoothingEnabled=false;g.drawImage(image,px(l),py(t),px(r)-px(l),py(b)-py(t))}
    c.drawn.forEach((t,i)=>{
      g.strokeStyle=g.fillStyle=colours[t.dots?1:i%8];g.lineWidth=2;g.beginPath();
      for(const [x,y] of t.points)
        if(t.dots){g.moveTo(px(x),py(y));g.arc(px(x),py(y),t.points.length>500?1.2:2.2,0,7)}else g.lineTo(px(x),py(y));
      t.dots?g.fill():g.stroke()});
    g.restore();g.strokeStyle='#888';g.strokeRect(edge,edge,size-2*edge,size-2*edge);
    g.fillStyle=getComputedStyle(note).color;g.font='12px system-ui,sans-serif';
    g.textAlign='center';for(const x of ticks(view[0],view[1]))g.fillText(x,px(x),size-edge+16);
    g.fillText(c.across,size/2,size-4);
    g.textAlign='right';for(const y of ticks(view[2],view[3]))g.fillText(y,edge-5,py(y)+4);
    g.textAlign='left';g.fillText(c.up,4,edge-10)}
  at.onmousedown=e=>start=place(e);
  at.onmousemove=e=>{
    const [x,y]=place(e),[l,r,b,t]=c.view,i=Math.floor(n*(x-l)/(r-l)),j=Math.floor(n*(y-b)/(t-b));
    note.textContent=c.across+' = '+x.toPrecision(4)+', '+c.up+' = '+y.toPrecision(4)+(i>=0&&i<n&&j>=0&&j<n?': '+c.shades[j*n+i].toPrecision(4):'');
    if(start){draw();const [p,q]=start;g.strokeRect(px(p),py(q),px(x)-px(p),py(y)-py(q))}};
  at.onmouseup=e=>{
    const [x,y]=place(e),[p,q]=start||[x,y],wide=Math.max(Math.abs(x-p),Math.abs(y-q));
    if(wide>.01*(view[1]-view[0])){const l=Math.min(x,p),b=Math.min(y,q);view=[l,l+wide,b,b+wide]}
    start=null;draw()};
  at.onmouseleave=()=>{start=null;legend();draw()};
  at.ondblclick=()=>{view=c.view;draw()};
  window.addEventListener('resize',draw);
  legend();draw()}
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

/// As long as a picture needs it.
json short_number(double x) { return std::isfinite(x) ? json(std::stod(rounded(x, 6))) : json(); }

json object_of(const plane& c, std::size_t number) {
  json shades = json::array(), drawn = json::array();
  for (const double v : c.shades) shades.push_back(short_number(v));
  for (const drawn_points& t : c.drawn) {
    json points = json::array();
    for (const auto& [x, y] : t.points) points.push_back({short_number(x), short_number(y)});
    drawn.push_back({{"name", t.name}, {"dots", t.dots}, {"points", std::move(points)}});
  }
  return {{"id", "plane" + std::to_string(number)},
          {"across", c.across},
          {"up", c.up},
          {"view", {c.from[0], c.to[0], c.from[1], c.to[1]}},
          {"side", c.side},
          {"shades", std::move(shades)},
          {"drawn", std::move(drawn)}};
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
  json pictures = json::array();
  for (const plane& c : planes) {
    pictures.push_back(object_of(c, pictures.size()));
    text += "<h2>" + escaped(c.title) + "</h2>\n<canvas class=\"plane\" id=\"" +
            pictures.back()["id"].get<std::string>() + "\"></canvas><div class=\"legend\"></div>\n";
  }
  if (!gradient.empty()) text += gradient_rows(gradient);
  text += "<h2>What was printed</h2>\n<pre>" + escaped(this->text) + "</pre>\n";
  text += "<footer>Drag across a chart to zoom in, double-click to see all. revode " REVODE_VERSION
          "; charts by dygraphs (MIT).</footer>\n<script>";
  text.append(report_script())
      .append("</script>\n<script>\nconst charts=" + script_text(all) + ";\n");
  text.append(script);
  if (!planes.empty())
    text.append("const planes=" + script_text(pictures) + ";\n").append(plane_script);
  return text.append("</script>\n</html>\n");
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
