"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { dark, color, palette, symbols, escape, narrow, draw } = charts;
  const done = data.rows.filter((one) => one.value !== null);
  const arms = [...new Set(data.rows.filter((one) => one.source).map((one) => one.arm))];
  const style = (arm) => {
    const index = arms.indexOf(arm);
    return index < 0 ? { color: color("--balanced"), symbol: "circle-open" } : { color: palette[index % palette.length], symbol: symbols[index % symbols.length] };
  };
  const groups = (rows) => [...new Set(rows.map((one) => one.arm))].map((arm) => [arm, rows.filter((one) => one.arm === arm)]);

  // Four fifths of the values decide what is shown; the bad tail lies beyond the edge.
  function room(values) {
    const sorted = [...values].sort((a, b) => (data.minimise ? a - b : b - a));
    const best = sorted[0], edge = sorted[Math.floor((sorted.length - 1) * 0.8)];
    const more = (edge - best || Math.abs(best) || 1) * 0.08;
    return data.minimise ? [best - more, edge + more] : [edge + more, best - more];
  }

  function convergence() {
    if (!done.length) return;
    const traces = groups(done).map(([arm, rows]) => ({ type: "scatter", mode: "markers", name: escape(arm), x: rows.map((one) => one.number), y: rows.map((one) => one.value),
      marker: { ...style(arm), size: rows.map((one) => (one.improved ? 11 : 7)) }, hovertemplate: "trial %{x}: %{y:.6g}<extra>" + escape(arm) + "</extra>" }));
    traces.push({ type: "scatter", mode: "lines", name: "best so far", x: data.rows.map((one) => one.number), y: data.rows.map((one) => one.best), line: { shape: "hv", color: color("--accent"), width: 2.5 } });
    if (data.optimum !== null) traces.push({ type: "scatter", mode: "lines", name: "optimum", x: [1, data.rows.length], y: [data.optimum, data.optimum], line: { color: color("--seed"), dash: "dash", width: 1.2 } });
    draw("chart-convergence", traces, { xaxis: { title: { text: "evaluation" } }, yaxis: { title: { text: "value" }, range: room(done.map((one) => one.value)) } });
  }

  function timeline() {
    const place = document.getElementById("chart-arms");
    const rows = data.rows.filter((one) => one.source);
    if (!place || !rows.length) return;
    place.style.height = `${110 + 26 * arms.length}px`;
    draw("chart-arms", groups(rows).map(([arm, mine]) => ({ type: "scatter", mode: "markers", name: escape(arm), x: mine.map((one) => one.number), y: mine.map(() => escape(arm)),
      text: mine.map((one) => escape(`${one.source}: ${one.reason}`.replace(/(.{60,80}?) /g, "$1\u0000")).replace(/\u0000/g, "<br>")), hovertemplate: "step %{x}<br>%{text}<extra></extra>",
      marker: { ...style(arm), size: mine.map((one) => (one.improved ? 15 : 9)), line: { width: mine.map((one) => (one.improved ? 2 : 0)), color: color("--ink") } } })),
    { showlegend: false, xaxis: { title: { text: narrow() ? "evaluation" : "evaluation (large: it improved the best value)" } }, yaxis: { type: "category", categoryorder: "array", categoryarray: arms.map(escape), autorange: "reversed", ticksuffix: "  " } });
  }

  function predictions() {
    const rows = done.filter((one) => one.mean !== null);
    if (!rows.length) return;
    const all = rows.flatMap((one) => [one.mean, one.value]);
    const ends = [Math.min(...all), Math.max(...all)];
    draw("chart-predictions", [
      { type: "scatter", mode: "lines", name: "as predicted", x: ends, y: ends, hoverinfo: "skip", line: { color: color("--balanced"), dash: "dot" } },
      ...groups(rows).map(([arm, mine]) => ({ type: "scatter", mode: "markers", name: escape(arm), x: mine.map((one) => one.mean), y: mine.map((one) => one.value), customdata: mine.map((one) => one.number),
        error_x: { type: "data", array: mine.map((one) => 2 * (one.deviation ?? 0)), thickness: 0.8, width: 0, color: color("--balanced") },
        marker: { ...style(arm), size: 8 }, hovertemplate: "trial %{customdata}<br>predicted %{x:.4g}, observed %{y:.4g}<extra>" + escape(arm) + "</extra>" })),
    ], { xaxis: { title: { text: "predicted" } }, yaxis: { title: { text: "observed" } } });
  }

  function parameters() {
    const place = document.getElementById("chart-importance");
    if (!place || !data.importances.length) return;
    place.style.height = `${90 + 30 * data.importances.length}px`;
    draw("chart-importance", [{ type: "bar", orientation: "h", y: data.importances.map((one) => escape(one.name)), x: data.importances.map((one) => one.total), marker: { color: color("--accent") }, hovertemplate: "%{y}: %{x:.3f}<extra></extra>" }],
      { bargap: 0.4, xaxis: { title: { text: "total Sobol’ index" }, range: [0, 1.02] }, yaxis: { type: "category", autorange: "reversed", ticksuffix: "  " } });
    const columns = narrow() ? 1 : Math.min(3, data.slices.length), rows = Math.ceil(data.slices.length / columns);
    const traces = [], layout = { grid: { rows, columns, pattern: "independent", ygap: 0.35, xgap: 0.12 }, showlegend: false };
    data.slices.forEach((one, index) => {
      const end = index ? String(index + 1) : "", axes = { xaxis: `x${end}`, yaxis: `y${end}`, hoverinfo: "skip" };
      const x = one.category ? one.values.map((value) => escape(value)) : one.values;
      const low = one.mean.map((mean, at) => mean - 2 * one.deviation[at]), high = one.mean.map((mean, at) => mean + 2 * one.deviation[at]);
      if (one.category) {
        traces.push({ type: "scatter", mode: "markers", x, y: one.mean, ...axes, error_y: { type: "data", array: one.deviation.map((d) => 2 * d) }, marker: { color: color("--accent"), size: 8 } });
      } else {
        traces.push({ type: "scatter", mode: "lines", x: [...x, ...[...x].reverse()], y: [...high, ...low.reverse()], ...axes, fill: "toself", line: { width: 0 }, fillcolor: dark.matches ? "rgba(86,197,150,.22)" : "rgba(11,110,79,.16)" });
        traces.push({ type: "scatter", mode: "lines", x, y: one.mean, ...axes, line: { color: color("--accent"), width: 2 } });
      }
      const grid = { gridcolor: color("--line"), zeroline: false, automargin: true };
      const key = `xaxis${end}`;
      layout[key] = { ...grid, title: { text: escape(one.name) }, ...(one.log ? { type: "log" } : {}), ...(one.category ? { type: "category" } : {}) };
      layout[`yaxis${end}`] = { ...grid };
      if (!one.category) traces.push({ type: "scatter", mode: "lines", x: [one.best, one.best], y: [Math.min(...low), Math.max(...high)], ...axes, line: { color: color("--seed"), dash: "dash", width: 1.2 } });
    });
    const area = document.getElementById("chart-slices");
    area.style.height = `${60 + 240 * rows}px`;
    draw("chart-slices", traces, layout);
  }

  function all() { convergence(); timeline(); predictions(); parameters(); }
  const link = document.getElementById("download-data");
  if (link) link.addEventListener("click", () => { link.href = "data:application/json;charset=utf-8," + encodeURIComponent(document.getElementById("data").textContent); });
  dark.addEventListener("change", all);
  let wide = !narrow();
  addEventListener("resize", () => { if (wide === narrow()) { wide = !wide; all(); } });
  all();
})();
