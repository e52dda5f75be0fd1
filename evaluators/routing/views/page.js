"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const narrow = () => innerWidth < 900;

  // A line through the middles of the legs carries the arrowheads; they turn with their leg.
  function line(route) {
    return { type: "scatter", mode: "lines", name: narrow() ? route.name.split(":")[0] : route.name, legendgroup: route.name, x: route.x, y: route.y,
      text: route.text, hoverinfo: "name", line: { color: route.colour, width: 2.5, dash: route.dash } };
  }

  function arrows(route) {
    const x = [], y = [], angle = [];
    for (let i = 1; i < route.x.length; i += 1) {
      const dx = route.x[i] - route.x[i - 1], dy = route.y[i] - route.y[i - 1];
      if (dx === 0 && dy === 0) continue;
      x.push(route.x[i - 1] + 0.55 * dx);
      y.push(route.y[i - 1] + 0.55 * dy);
      angle.push(Math.atan2(dx, dy) * 180 / Math.PI);
    }
    return { type: "scatter", mode: "markers", name: route.name, legendgroup: route.name, showlegend: false, x, y,
      hoverinfo: "skip", marker: { symbol: "arrow", size: 12, angle, color: route.colour } };
  }

  function end(route) {
    const last = route.x.length - 1;
    return { type: "scatter", mode: "markers", name: route.name, legendgroup: route.name, showlegend: false,
      x: [route.x[last]], y: [route.y[last]], hoverinfo: "skip",
      marker: { symbol: "circle-open", size: 19, color: route.colour, line: { width: 2.5 } } };
  }

  function marks(group) {
    const depot = group.symbol === "square", named = group.names.length <= (narrow() ? 25 : 60);
    return { type: "scatter", mode: named ? "markers+text" : "markers", name: group.name, x: group.x, y: group.y,
      text: group.names, textposition: "top right", textfont: { size: 11 }, hovertext: group.hover, hoverinfo: "text",
      marker: { size: depot ? 15 : 8, line: { width: 1, color: color("--card") },
        symbol: group.missed.map((one) => (one ? "x" : group.symbol)),
        color: group.missed.map((one) => (one ? "#8a8f98" : depot ? "#b4161f" : group.symbol === "diamond" ? "#b8a300" : color("--ink"))) } };
  }

  function draw() {
    const traces = [...data.routes.map(line), ...data.routes.map(arrows),
      ...data.routes.filter((one) => one.open).map(end), ...data.nodes.map(marks)];
    const grid = { gridcolor: color("--line"), zeroline: false, linecolor: color("--line"), automargin: true };
    Plotly.react("chart-map", traces, {
      autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", dragmode: "pan",
      font: { family: "system-ui, sans-serif", size: 12, color: color("--ink") }, margin: { l: 40, r: 10, t: 10, b: 30 },
      hoverlabel: { bgcolor: color("--card"), font: { color: color("--ink") }, namelength: -1 },
      legend: narrow() ? { orientation: "h", y: -0.08, yanchor: "top", x: 0 } : { y: 1, x: 1.01 },
      xaxis: grid, yaxis: { ...grid, scaleanchor: "x", scaleratio: 1 },
    }, { responsive: true, displaylogo: false, scrollZoom: true, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
  }

  dark.addEventListener("change", draw);
  addEventListener("resize", draw);
  draw();
})();
