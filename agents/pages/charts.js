"use strict";
// What the charts of every report share.
const charts = (() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // Okabe and Ito's colours, told apart by most colour-blind readers; symbols repeat the distinction.
  const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a8f98", "#7a5cc2", "#9c6b3f", "#b8a300"];
  const symbols = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down", "x", "pentagon"];
  const escape = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const narrow = () => innerWidth < 640;

  function draw(id, traces, layout) {
    const place = document.getElementById(id);
    if (!place) return;
    const grid = { gridcolor: color("--line"), zeroline: false, automargin: true, linecolor: color("--line") };
    Plotly.react(place, traces, {
      autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 13, color: color("--ink") },
      margin: { l: 56, r: 14, t: 10, b: 48 }, hovermode: "closest",
      hoverlabel: { bgcolor: color("--card"), font: { color: color("--ink") } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      ...layout, xaxis: { ...grid, ...layout.xaxis }, yaxis: { ...grid, ...layout.yaxis },
    }, { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
    return place;
  }

  return { dark, color, palette, symbols, escape, narrow, draw };
})();
