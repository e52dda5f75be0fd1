"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { dark, color, palette, symbols, escape, narrow, draw } = charts;
  const unit = data.gaps ? "gap in %" : data.report.measure;
  let axis = "candidates", scale = "linear";

  // The worst 5 % would flatten all the rest: they lie above the edge; a double click shows them.
  function room(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const top = sorted[Math.floor((sorted.length - 1) * 0.95)], low = sorted[0];
    const more = (top - low || Math.abs(top) || 1) * 0.08;
    return { range: [low - more, top + more], clipped: sorted[sorted.length - 1] > top + more };
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
    draw("chart-convergence", traces, { hovermode: "x unified", xaxis: { title: { text: title } },
      yaxis: { title: { text: `${unit}, search split` }, type: scale, ...(scale === "log" ? { dtick: "D2" } : {}) } });
  }

  function gaps() {
    const called = (one) => (one.dataset.includes(one.split) ? one.dataset : `${one.split}: ${one.dataset}`);
    const label = (one) => escape(narrow() ? called(one).replace(/^(.{6,}?[-_ ])/, "$1\u0000") : called(one)).replace("\u0000", "<br>");
    const place = document.getElementById("chart-gaps");
    if (place) place.style.height = `${90 + 46 * new Set(data.boxes.map(called)).size}px`;
    const traces = [["best", "best", "--accent"], ["seed", "seed heuristic", "--seed"]].map(([who, name, tone]) => {
      const boxes = data.boxes.filter((one) => one.who === who);
      const few = boxes.every((one) => one.values.length <= 16);
      return {
        type: "box", orientation: "h", name, marker: { color: color(tone), size: 4, opacity: 0.75 }, line: { width: 1.5 },
        boxpoints: few ? "all" : "outliers", pointpos: 0, jitter: few ? 0.5 : 0,
        y: boxes.flatMap((one) => one.values.map(() => label(one))), x: boxes.flatMap((one) => one.values),
      };
    });
    draw("chart-gaps", traces, { boxmode: "group", boxgap: 0.25, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, traceorder: "normal" },
      xaxis: { title: { text: `${unit} of each instance` } }, yaxis: { autorange: "reversed", type: "category", tickfont: { size: 12 }, ticksuffix: "  " } });
  }

  function time() {
    if (!data.timed.length) return;
    const part = (front) => data.timed.filter((one) => one.front === front);
    const points = (rows, style) => ({ type: "scatter", x: rows.map((one) => one.seconds * 1000), y: rows.map((one) => one.objective),
      customdata: rows.map((one) => one.id), hovertemplate: "candidate %{customdata}<br>%{x:.4g} ms, objective %{y:.4g}<extra></extra>", ...style });
    const front = part(true).sort((a, b) => a.seconds - b.seconds);
    const { range, clipped } = room(data.timed.map((one) => one.objective));
    draw("chart-time", [
      points(part(false), { mode: "markers", name: "candidates", marker: { color: color("--balanced"), size: 6, opacity: 0.6 } }),
      points(front, { mode: "lines+markers", name: "Pareto front", line: { shape: "hv", color: color("--accent"), width: 2 }, marker: { size: 9, symbol: "diamond" } }),
    ], { xaxis: { title: { text: "CPU milliseconds per instance" }, type: "log", tickangle: 0, ...(narrow() ? { dtick: "D2" } : {}) },
      yaxis: { title: { text: clipped ? `${unit} (worst 5 % ${narrow() ? "hidden" : "above the edge"})` : unit }, range } });
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
    if (!usable.length) return;
    const { range, clipped } = room(usable.map((one) => one.objective));
    const last = Math.max(...usable.map((one) => one.generation));
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
    ], { xaxis: { title: { text: "generation" }, ...(last <= 20 ? { dtick: 1 } : {}) },
      yaxis: { title: { text: clipped ? `${unit} (worst 5 % ${narrow() ? "hidden" : "above the edge"})` : unit }, range } });
    if (place && !place.dataset.ready) {
      place.dataset.ready = "1";
      for (const event of ["plotly_hover", "plotly_click"]) place.on(event, (hit) => show(hit.points[0].customdata));
      const pick = document.getElementById("pick");
      for (const one of [...usable].sort((a, b) => a.objective - b.objective)) {
        pick.add(new Option(`${one.objective.toFixed(3)}  ${one.operator}, generation ${one.generation}, candidate ${one.id}`, one.id));
      }
      pick.addEventListener("change", () => show(pick.value));
      const best = usable.find((one) => data.report.best && data.report.best.hash.startsWith(one.hash));
      show(best ? best.id : pick.value);
    }
  }

  function bars() {
    const names = data.operators.map((one) => escape(one.operator));
    const bar = (key, name, tone, pattern) => ({ type: "bar", name, x: names, marker: { color: tone, pattern: { shape: pattern } },
      y: data.operators.map((one) => 100 * one[key] / one.made), hovertemplate: "%{y:.0f} % of %{x}<extra>" + name + "</extra>" });
    draw("chart-operators", [bar("ok", "ran", palette[0], ""), bar("better", "better than its parents", palette[1], "/"), bar("entered", "entered the population", palette[2], ".")],
      { barmode: "group", xaxis: { type: "category" }, yaxis: { title: { text: "share of those made (%)" }, rangemode: "tozero" } });
    const place = document.getElementById("chart-failures");
    if (!place) return;
    place.style.height = `${90 + 38 * data.failures.length}px`;
    draw("chart-failures", [{ type: "bar", orientation: "h", y: data.failures.map((one) => escape(one.kind)), x: data.failures.map((one) => one.count), marker: { color: color("--seed") } }],
      { bargap: 0.4, xaxis: { title: { text: "candidates" }, rangemode: "tozero", dtick: Math.max(...data.failures.map((one) => one.count)) < 10 ? 1 : undefined },
        yaxis: { autorange: "reversed", type: "category", ticksuffix: "  " } });
  }

  function insights() {
    const rows = data.insights.filter((one) => one.points.length).sort((a, b) => a.id - b.id);
    const place = document.getElementById("chart-insights");
    if (!place || !rows.length) return;
    place.style.height = `${130 + 24 * rows.length}px`;
    const short = (one) => (narrow() ? `insight ${one.id}` : `${one.text.length > 46 ? one.text.slice(0, 45) + "…" : one.text}  ${one.id}`);
    const names = rows.map((one) => escape(short(one)));
    const marks = rows.flatMap((one, row) => one.points.map(([step, count, credit, effect]) => ({ step, count, credit, effect, row, id: one.id })));
    const limit = Math.max(0.1, ...marks.map((one) => Math.abs(one.effect)));
    const most = Math.max(...marks.map((one) => one.count));
    // Blue for what helped, orange for what did not: told apart by colour-blind readers, grey between.
    const shades = [[0, "#c04a00"], [0.5, dark.matches ? "#59616d" : "#d5d7db"], [1, "#0072b2"]];
    const x = [], y = [];
    rows.forEach((one, row) => { x.push(one.points[0][0], one.points[one.points.length - 1][0], null); y.push(names[row], names[row], null); });
    draw("chart-insights", [
      { type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line: { color: color("--line"), width: 5 } },
      { type: "scatter", mode: "markers", x: marks.map((one) => one.step), y: marks.map((one) => names[one.row]),
        text: marks.map((one) => `insight ${one.id}, step ${one.step}<br>${one.count} prompts, mean credit ${one.credit.toFixed(2)}<br>effectiveness ${one.effect.toFixed(3)}`),
        hovertemplate: "%{text}<extra></extra>",
        marker: { opacity: 1, size: marks.map((one) => 8 + 8 * Math.sqrt(one.count / most)), color: marks.map((one) => one.effect), cmin: -limit, cmax: limit, colorscale: shades, line: { width: 1, color: color("--card") },
          colorbar: { orientation: "h", thickness: 10, len: 0.5, x: 0, xanchor: "left", y: 1.01, yanchor: "bottom", outlinewidth: 0, tickvals: [-limit, 0, limit], ticktext: [`−${limit.toFixed(2)}`, narrow() ? "0" : "effectiveness 0", `+${limit.toFixed(2)}`], tickangle: 0 } } },
    ], { showlegend: false, margin: { l: 40, r: 14, t: 60, b: 48 }, xaxis: { title: { text: "step" } },
      yaxis: { type: "category", categoryorder: "array", categoryarray: names, autorange: "reversed", tickfont: { size: 11.5 }, ticksuffix: "  " } });
  }

  function all() { convergence(); gaps(); time(); lineage(); bars(); insights(); }
  for (const one of document.getElementsByName("axis")) one.addEventListener("change", () => { axis = one.value; convergence(); });
  const log = document.getElementById("log");
  if (log) {
    log.closest("label").hidden = !data.convergence.every((one) => one.best === null || one.best > 0);
    log.addEventListener("change", () => { scale = log.checked ? "log" : "linear"; convergence(); });
  }
  const link = document.getElementById("download-data");
  if (link) link.addEventListener("click", () => { link.href = "data:application/json;charset=utf-8," + encodeURIComponent(document.getElementById("data").textContent); });
  dark.addEventListener("change", all);
  let wide = !narrow();
  addEventListener("resize", () => { if (wide === narrow()) { wide = !wide; all(); } });
  all();
})();
