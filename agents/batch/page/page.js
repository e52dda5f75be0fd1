"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { dark, color, escape, narrow, draw } = charts;
  const SHOWN = 40; // rows of a chart or table; the filter finds the others
  // Names of programs differ at their ends as often as at their beginnings.
  const short = (name, most = 34) => (name.length > most ? name.slice(0, most / 2) + "…" + name.slice(1 - most / 2) : name);
  const text = (value) => (value === null ? "–" : Number(value.toPrecision(5)).toString());

  // Two programs may have names that begin alike: an invisible mark keeps their rows apart.
  const label = (part, row) => escape(short(part.programs[row], narrow() ? 18 : 34)) + "\u200b".repeat(row % 97);

  function chosen(part, at) {
    const wanted = document.getElementById(`filter-${at}`).value.trim().toLowerCase();
    const all = part.programs.map((_, row) => row).filter((row) => part.programs[row].toLowerCase().includes(wanted));
    const rows = all.slice(0, SHOWN);
    document.getElementById(`count-${at}`).textContent = rows.length < all.length ? `the best ${rows.length} of ${all.length} by rank` : `${all.length} shown`;
    return rows;
  }

  function height(id, rows, more) {
    const place = document.getElementById(id);
    if (place) place.style.height = `${Math.max(220, more + 22 * rows)}px`;
  }

  // 0 is the best of the column, 1 the worst shown.
  function relative(part, rows) {
    return rows.map((row) => part.datasets.map((_, column) => {
      const known = rows.map((one) => part.values[one][column]).filter((one) => one !== null);
      const value = part.values[row][column], low = Math.min(...known), high = Math.max(...known);
      return value === null ? null : high > low ? (value - low) / (high - low) : 0;
    }));
  }

  function heat(part, at, rows) {
    const id = `chart-heat-${at}`;
    height(id, rows.length, 150);
    const y = rows.map((row) => label(part, row)), x = part.datasets.map((one, column) => escape(short(one, 24)) + "\u200b".repeat(column % 97));
    const said = rows.map((row) => part.datasets.map((name, column) => {
      const failed = part.failed[row][column] ? `<br>failed ${part.failed[row][column]} of ${part.done[row][column]}` : "";
      return `${escape(part.programs[row])}<br>${escape(name)}: ${text(part.values[row][column])}${failed}`;
    }));
    const few = part.datasets.length <= (narrow() ? 3 : 10);
    const traces = [{ type: "heatmap", x, y, z: relative(part, rows), customdata: said, hovertemplate: "%{customdata}<extra></extra>", showscale: false, xgap: 2, ygap: 2, zmin: 0, zmax: 1,
      colorscale: dark.matches ? [[0, "#1f7a57"], [0.5, "#6d6a3a"], [1, "#8f3f2f"]] : [[0, "#8fd3b3"], [0.5, "#f3e7b5"], [1, "#e59a85"]],
      ...(few ? { text: rows.map((row) => part.datasets.map((_, column) => text(part.values[row][column]))), texttemplate: "%{text}", textfont: { size: 12, color: color("--ink") } } : {}) }];
    const crosses = rows.flatMap((row, index) => part.datasets.map((_, column) => [row, index, column])).filter(([row, , column]) => part.failed[row][column] && part.values[row][column] === null);
    traces.push({ type: "scatter", mode: "markers", x: crosses.map(([, , column]) => x[column]), y: crosses.map(([, index]) => y[index]), customdata: crosses.map(([, index, column]) => said[index][column]), hovertemplate: "%{customdata}<extra></extra>",
      marker: { symbol: "x-thin", size: 9, line: { width: 2, color: color("--seed") } }, showlegend: false });
    draw(id, traces, { xaxis: { type: "category", side: "top", showgrid: false, tickangle: part.datasets.length > 4 || narrow() ? -40 : 0 }, yaxis: { type: "category", autorange: "reversed", showgrid: false, ticksuffix: "  " }, margin: { l: 56, r: 14, t: 60, b: 14 } });
  }

  // Rows by rank; a bar joins those that are not told apart.
  function ranks(part, at, rows) {
    const id = `chart-ranks-${at}`, ranked = rows.filter((row) => part.ranks[row] !== null);
    if (!document.getElementById(id)) return;
    const place = new Map(ranked.map((row, index) => [row, index]));
    const bars = part.cliques.map(([first, last]) => ranked.filter((row) => row >= first && row <= last)).filter((group) => group.length > 1);
    height(id, ranked.length, 90);
    const right = Math.max(...ranked.map((row) => part.ranks[row]), 1), left = Math.min(...ranked.map((row) => part.ranks[row]), right), gap = (right - left || 1) * 0.035;
    const traces = [];
    bars.forEach((group, index) => {
      const x = right + gap * (1 + index), ends = [place.get(group[0]), place.get(group[group.length - 1])];
      traces.push({ type: "scatter", mode: "lines", x: [x, x], y: ends, line: { width: 6, color: color("--ink") }, opacity: 0.75, showlegend: false, hovertemplate: "not told apart<extra></extra>" });
    });
    traces.push({ type: "scatter", mode: "markers", x: ranked.map((row) => part.ranks[row]), y: ranked.map((_, index) => index), customdata: ranked.map((row) => escape(part.programs[row])), hovertemplate: "%{customdata}<br>mean rank %{x:.3f}<extra></extra>", marker: { size: 10, color: color("--accent") }, showlegend: false });
    draw(id, traces, { xaxis: { title: { text: "mean rank" }, range: [left - gap, right + gap * (bars.length + 1.5)] }, yaxis: { tickmode: "array", tickvals: ranked.map((_, index) => index), ticktext: ranked.map((row) => label(part, row)), range: [ranked.length - 0.4, -0.6], ticksuffix: "  " } });
  }

  function time(part, at, rows) {
    const first = part.datasets.length === 1;
    const quality = (row) => (first ? part.values[row][0] : part.ranks[row]);
    const points = rows.filter((row) => part.seconds[row] !== null && quality(row) !== null && quality(row) !== undefined);
    const sorted = [...points].sort((a, b) => part.seconds[a] - part.seconds[b] || quality(a) - quality(b));
    let best = Infinity;
    const front = sorted.filter((row) => (quality(row) < best ? ((best = quality(row)), true) : false));
    draw(`chart-time-${at}`, [
      { type: "scatter", mode: "lines", x: front.map((row) => 1000 * part.seconds[row]), y: front.map(quality), line: { shape: "hv", color: color("--seed"), width: 1.6 }, hoverinfo: "skip", showlegend: false },
      { type: "scatter", mode: "markers", x: points.map((row) => 1000 * part.seconds[row]), y: points.map(quality), customdata: points.map((row) => escape(part.programs[row])), hovertemplate: "%{customdata}<br>%{x:.3g} ms, %{y:.4g}<extra></extra>", marker: { size: 9, color: color("--accent") }, showlegend: false },
    ], { xaxis: { type: "log", title: { text: "processor ms an instance" } }, yaxis: { title: { text: first ? "mean gap or measure" : "mean rank" } } });
  }

  function table(part, at, rows, sort) {
    const place = document.getElementById(`table-${at}`), head = place.tHead, body = place.tBodies[0];
    const columns = [["Program", (row) => part.programs[row]], ["Rank", (row) => part.ranks[row]], ["ms an instance", (row) => (part.seconds[row] === null ? null : 1000 * part.seconds[row])],
      ...part.datasets.map((name, column) => [name, (row) => part.values[row][column], (row) => part.failed[row][column]])];
    const line = document.createElement("tr");
    columns.forEach(([name], index) => {
      const cell = document.createElement("th"), button = document.createElement("button");
      cell.scope = "col";
      if (index) cell.className = "n";
      button.type = "button";
      button.className = "sort";
      button.textContent = name + (sort.column === index ? (sort.down ? " ↓" : " ↑") : "");
      button.addEventListener("click", () => table(part, at, rows, { column: index, down: sort.column === index && !sort.down }));
      cell.append(button);
      line.append(cell);
    });
    head.replaceChildren(line);
    const value = columns[sort.column][1], sign = sort.down ? -1 : 1;
    const order = [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    body.replaceChildren(...order.map((row) => {
      const one = document.createElement("tr");
      columns.forEach(([, get, failures], index) => {
        const cell = document.createElement(index ? "td" : "th"), found = get(row);
        cell.textContent = index ? text(found) : found;
        if (index) cell.className = "n";
        if (failures && failures(row)) {
          cell.textContent = found === null ? `failed ${failures(row)}` : cell.textContent;
          cell.classList.add("bad");
        }
        one.append(cell);
      });
      return one;
    }));
  }

  function one(part, at) {
    const rows = chosen(part, at);
    heat(part, at, rows);
    ranks(part, at, rows);
    time(part, at, rows);
    table(part, at, rows, { column: 1, down: false });
  }

  const all = () => data.parts.forEach(one);
  data.parts.forEach((part, at) => document.getElementById(`filter-${at}`).addEventListener("input", () => one(part, at)));
  dark.addEventListener("change", all);
  let wide = !narrow();
  addEventListener("resize", () => { if (wide === narrow()) { wide = !wide; all(); } });
  all();
})();
