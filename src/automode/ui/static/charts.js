// Draws the charts of a page. Each says in `data-chart` what to draw; the tables below say the same.
"use strict";

const HEIGHT = 160;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function shown(unit, value) {
  if (value === null || value === undefined) return "–";
  const text = Number(value).toLocaleString(undefined, { maximumFractionDigits: 2 });
  return unit === "$" ? `$${text}` : unit ? `${text} ${unit}` : text;
}

function day(seconds) {
  return new Date(seconds * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

function options(chart, width) {
  const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_, least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [{ ...axis, values: (_, ticks) => ticks.map(day) }, { ...axis, size: 56, values: (_, ticks) => ticks.map((one) => shown(chart.unit, one)) }],
    series: [
      {},
      ...chart.lines.map((line) => ({ label: line.label, stroke: colour(line.colour), width: 2, points: { show: true, size: 5 }, spanGaps: true })),
    ],
  };
}

function draw(figure) {
  const chart = JSON.parse(figure.dataset.chart);
  const place = figure.querySelector(".plot");
  place.replaceChildren();
  const data = [chart.days, ...chart.lines.map((line) => line.values)];
  return new uPlot(options(chart, place.clientWidth || 300), data, place);
}

function drawAll() {
  for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
}

let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.addEventListener("DOMContentLoaded", drawAll);
