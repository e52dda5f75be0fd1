"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // Okabe and Ito's colours, told apart by most colour-blind readers; symbols repeat the distinction.
  const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a8f98"];
  const symbols = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon"];
  const escape = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  let axis = "candidates";

  function draw(id, traces, layout) {
    const place = document.getElementById(id);
    if (!place) return;
    const grid = { gridcolor: color("--line"), zeroline: false, automargin: true, linecolor: color("--line") };
    Plotly.react(place, traces, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 13, color: color("--ink") },
      margin: { l: 56, r: 14, t: 10, b: 48 }, hovermode: "closest",
      hoverlabel: { bgcolor: color("--card"), font: { color: color("--ink") } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      ...layout, xaxis: { ...grid, ...layout.xaxis }, yaxis: { ...grid, ...layout.yaxis },
    }, { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
    return place;
  }

  function convergence() {
    const x = data.convergence.map((one) => one[axis]);
    const line = (name, key, style) => ({
      type: "scatter", mode: data.convergence.length < 60 ? "lines+markers" : "lines", name, x,
      y: data.convergence.map((one) => one[key]), line: { shape: "hv", ...style },
    });
    const seed = data.report.splits.search.map((one) => one.seed_objective).filter((one) => one !== null);
    const traces = [
      line("best", "best", { color: color("--accent"), width: 3 }),
      line("population mean", "mean", { color: color("--balanced"), width: 1.5, dash: "dot" }),
    ];
    if (seed.length) {
      const level = seed.reduce((a, b) => a + b, 0) / seed.length;
      traces.push({ type: "scatter", mode: "lines", name: "seed heuristic", x: [x[0], x[x.length - 1]],
        y: [level, level], line: { color: color("--seed"), dash: "dash", width: 1.5 } });
    }
    const title = { candidates: "candidates", calls: "model calls", tokens: "tokens", seconds: "seconds since the first candidate" }[axis];
    draw("chart-convergence", traces, { xaxis: { title: { text: title } }, yaxis: { title: { text: "objective, search split" } } });
  }

  function gaps() {
    const traces = [["seed", "seed heuristic", "--seed"], ["best", "best", "--accent"]].map(([who, name, tone]) => {
      const boxes = data.boxes.filter((one) => one.who === who);
      return {
        type: "box", name, marker: { color: color(tone), size: 4 }, boxpoints: "outliers",
        x: boxes.flatMap((one) => one.values.map(() => `${one.split}<br>${escape(one.dataset)}`)),
        y: boxes.flatMap((one) => one.values),
      };
    });
    draw("chart-gaps", traces, { boxmode: "group", yaxis: { title: { text: "gap (%) or measure per instance" } } });
  }

  function time() {
    const part = (front) => data.timed.filter((one) => one.front === front);
    const points = (rows, style) => ({ type: "scatter", x: rows.map((one) => one.seconds * 1000), y: rows.map((one) => one.objective),
      customdata: rows.map((one) => one.id), hovertemplate: "candidate %{customdata}<br>%{x:.4g} ms, objective %{y:.3f}<extra></extra>", ...style });
    const front = part(true).sort((a, b) => a.seconds - b.seconds);
    draw("chart-time", [
      points(part(false), { mode: "markers", name: "candidates", marker: { color: color("--balanced"), size: 6, opacity: 0.6 } }),
      points(front, { mode: "lines+markers", name: "Pareto front", line: { shape: "hv", color: color("--accent"), width: 2 }, marker: { size: 9, symbol: "diamond" } }),
    ], { xaxis: { title: { text: "CPU milliseconds per instance" }, type: "log" }, yaxis: { title: { text: "objective" } } });
  }

  const usable = data.nodes.filter((one) => one.objective !== null);
  const byId = new Map(usable.map((one) => [one.id, one]));
  function show(id) {
    const one = byId.get(Number(id));
    const place = document.getElementById("detail");
    if (!one || !place) return;
    place.querySelector(".meta").textContent = `Candidate ${one.id}, ${one.operator}, generation ${one.generation}, objective ${one.objective.toFixed(3)}, program ${one.hash}`;
    place.querySelector(".thought").textContent = one.thought;
    place.querySelector("pre").textContent = one.code;
    document.getElementById("pick").value = String(one.id);
  }
  // Operators share a generation: a small fixed offset keeps their candidates apart.
  const operators = [...new Set(usable.map((one) => one.operator))].sort();
  const spread = (one) => one.generation + (operators.indexOf(one.operator) - (operators.length - 1) / 2) * (0.5 / Math.max(1, operators.length));
  function lineage() {
    const edges = (wanted) => {
      const x = [], y = [];
      for (const one of usable) for (const parent of one.parents) {
        const from = byId.get(parent);
        if (from && (one.ancestor && from.ancestor) === wanted) { x.push(spread(from), spread(one), null); y.push(from.objective, one.objective, null); }
      }
      return { x, y, type: "scatter", mode: "lines", hoverinfo: "skip" };
    };
    const sorted = usable.map((one) => one.objective).sort((a, b) => a - b);
    const top = sorted[Math.floor((sorted.length - 1) * 0.95)], low = sorted[0];
    const room = (top - low || 1) * 0.08;
    const place = draw("chart-lineage", [
      { ...edges(false), name: "parent", line: { color: color("--balanced"), width: 0.6 }, opacity: 0.35 },
      { ...edges(true), name: "ancestry of the best", line: { color: color("--accent"), width: 3 } },
      ...operators.map((operator, index) => {
        const rows = usable.filter((one) => one.operator === operator);
        return { type: "scatter", mode: "markers", name: escape(operator), x: rows.map(spread), y: rows.map((one) => one.objective),
          customdata: rows.map((one) => one.id), hovertemplate: "candidate %{customdata}, objective %{y:.3f}<extra>" + escape(operator) + "</extra>",
          marker: { color: palette[index % palette.length], symbol: symbols[index % symbols.length],
            size: rows.map((one) => (one.ancestor ? 12 : 7)), line: { width: rows.map((one) => (one.ancestor ? 2 : 0)), color: color("--ink") } } };
      }),
    ], { xaxis: { title: { text: "generation" } }, yaxis: { title: { text: "objective (worst 5 % above the edge)" }, range: [low - room, top + room] } });
    if (place && !place.dataset.ready) {
      place.dataset.ready = "1";
      for (const event of ["plotly_hover", "plotly_click"]) place.on(event, (hit) => show(hit.points[0].customdata));
      const pick = document.getElementById("pick");
      for (const one of [...usable].sort((a, b) => a.objective - b.objective)) {
        pick.add(new Option(`${one.objective.toFixed(3)}  ${one.operator}, generation ${one.generation}, candidate ${one.id}`, one.id));
      }
      pick.addEventListener("change", () => show(pick.value));
      show(pick.value);
    }
  }

  function bars() {
    const names = data.operators.map((one) => escape(one.operator));
    const bar = (key, name, tone, pattern) => ({ type: "bar", name, x: names, marker: { color: tone, pattern: { shape: pattern } },
      y: data.operators.map((one) => 100 * one[key] / one.made), hovertemplate: "%{y:.0f} % of %{x}<extra>" + name + "</extra>" });
    draw("chart-operators", [bar("ok", "ran", palette[0], ""), bar("better", "better than its parents", palette[1], "/"), bar("entered", "entered the population", palette[2], ".")],
      { barmode: "group", xaxis: { type: "category" }, yaxis: { title: { text: "share of those made (%)" }, rangemode: "tozero" } });
    draw("chart-failures", [{ type: "bar", orientation: "h", y: data.failures.map((one) => escape(one.kind)), x: data.failures.map((one) => one.count), marker: { color: color("--seed") } }],
      { xaxis: { title: { text: "candidates" }, tickformat: "d" }, yaxis: { autorange: "reversed" } });
  }

  function insights() {
    const rows = data.report.insights.members.filter((one) => one.credits.length);
    draw("chart-insights", rows.map((one, index) => ({ type: "scatter", mode: "lines+markers", name: `insight ${one.id}`,
      x: one.credits.map((credit) => credit.step), y: one.credits.map((credit) => credit.effectiveness),
      text: one.credits.map((credit) => escape(credit.tier)), hovertemplate: "%{y:+.3f} after tier %{text}<extra>insight " + one.id + "</extra>",
      line: { color: palette[index % palette.length], width: 2 }, marker: { symbol: symbols[(index + Math.floor(index / 7)) % 7], size: 7 } })),
    { showlegend: rows.length <= 14, xaxis: { title: { text: "step (credited prompts)" } }, yaxis: { title: { text: "effectiveness" } } });
  }

  function all() { convergence(); gaps(); time(); lineage(); bars(); insights(); }
  for (const one of document.getElementsByName("axis")) one.addEventListener("change", () => { axis = one.value; convergence(); });
  const link = document.getElementById("download-data");
  if (link) link.addEventListener("click", () => { link.href = "data:application/json;charset=utf-8," + encodeURIComponent(document.getElementById("data").textContent); });
  dark.addEventListener("change", all);
  all();
})();
