"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { dark, color, escape, narrow, draw } = charts;
  const OBJECTIVE = 0, SECONDS = 1, OUTCOME = 2, LISTED = 200;
  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const brief = (value, digits = 4) => (value === null ? "–" : String(Number(value.toPrecision(digits))));
  const crop = (text, most) => { const marks = [...text]; return marks.length > most ? "…" + marks.slice(1 - most).join("") : text; };

  // One row for each program, best ranks first; means only where every data set gave a value.
  function rowsOf(problem) {
    const rows = problem.programs.map((name, at) => {
      const cells = problem.cells[at], values = cells.map((one) => one[OBJECTIVE]), times = cells.map((one) => one[SECONDS]);
      const whole = !values.includes(null);
      return { name, cells, rank: problem.ranks[at], objective: whole && problem.unit ? mean(values) : null, seconds: whole && !times.includes(null) ? mean(times) : null,
        failed: cells.filter((one) => one[OUTCOME] && one[OUTCOME] !== "open").length };
    });
    const key = (one) => one.rank ?? one.objective ?? Infinity;
    return rows.sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)));
  }

  function scale(values) {
    const sorted = values.filter((one) => one !== null).sort((a, b) => a - b);
    if (!sorted.length) return () => null;
    const best = sorted[0], worst = sorted[Math.floor((sorted.length - 1) * 0.9)];
    return (value) => (value === null ? null : worst > best ? Math.max(0, Math.min(1, (value - best) / (worst - best))) : value > best ? 1 : 0);
  }

  function heat(view) {
    const { problem, place, shown } = view, id = `chart-heat-${view.index}`;
    const area = document.getElementById(id), long = narrow() ? 14 : 34;
    area.style.height = `${Math.max(180, 110 + shown.length * (shown.length > 60 ? 15 : 24))}px`;
    const column = (at) => view.rows.map((one) => one.cells[at][OBJECTIVE]);
    const all = scale(view.rows.flatMap((one) => one.cells.map((cell) => cell[OBJECTIVE])));
    const scales = problem.datasets.map((_, at) => (place.querySelector(".colours").value === "all" ? all : scale(column(at))));
    const roomy = (area.clientWidth - long * 8) / problem.datasets.length > 52;
    const x = problem.datasets.map((_, at) => at), y = shown.map((_, at) => at);
    const hover = shown.map((one) => one.cells.map((cell, at) => `${escape(one.name)}<br>${escape(problem.datasets[at])} (${problem.instances[at]} instances)<br>`
      + (cell[OUTCOME] ? `<b>${escape(cell[OUTCOME])}</b>` : `${brief(cell[OBJECTIVE], 6)} ${escape(problem.unit)}`)
      + (cell[SECONDS] === null ? "" : `<br>${brief(1000 * cell[SECONDS], 3)} ms an instance`)));
    const common = { type: "heatmap", x, y, xgap: 1, ygap: 1, showscale: false, hovertext: hover, hovertemplate: "%{hovertext}<extra></extra>", texttemplate: "%{text}", textfont: { size: 11 } };
    const colours = dark.matches ? [[0, "#2f9e75"], [0.5, "#2c4f5a"], [1, "#242b36"]] : [[0, "#0b6e4f"], [0.5, "#8fc7b0"], [1, "#f1efe8"]];
    const failed = (cell) => cell[OUTCOME] && cell[OUTCOME] !== "open";
    const label = (cell) => (failed(cell) ? (roomy ? `✕ ${escape(crop(cell[OUTCOME], 9))}` : "✕") : roomy && cell[OBJECTIVE] !== null ? brief(cell[OBJECTIVE], 3) : "");
    const labels = shown.map((one) => one.cells.map(label));
    const few = problem.datasets.length <= 60, ticks = few ? x : x.filter((at) => at % Math.ceil(x.length / 60) === 0);
    draw(id, [
      { ...common, text: labels, z: shown.map((one) => one.cells.map((cell, at) => scales[at](cell[OBJECTIVE]))), zmin: 0, zmax: 1, colorscale: colours, hoverongaps: false },
      { ...common, text: labels, z: shown.map((one) => one.cells.map((cell) => (failed(cell) ? 1 : null))), zmin: 0, zmax: 1, colorscale: dark.matches ? [[0, "#6b2f1a"], [1, "#6b2f1a"]] : [[0, "#f6c7ae"], [1, "#f6c7ae"]], hoverongaps: false },
    ], { margin: { l: 8, r: 8, t: 8, b: 8 },
      xaxis: { tickvals: ticks, ticktext: ticks.map((at) => escape(crop(problem.datasets[at], narrow() ? 16 : 26))), tickangle: problem.datasets.length > (narrow() ? 2 : 5) ? -40 : 0, showgrid: false, side: "bottom" },
      yaxis: { tickvals: y, ticktext: shown.map((one) => escape(crop(one.name, long))), autorange: "reversed", showgrid: false, ticksuffix: " " } });
  }

  function trade(view) {
    const { problem, rows, shown, place, index } = view, area = document.getElementById(`chart-trade-${index}`);
    const gapped = Boolean(problem.unit), quality = (one) => (gapped ? one.objective : one.rank);
    const ready = rows.filter((one) => one.seconds > 0 && quality(one) !== null);
    const note = place.querySelector(".trade-note");
    area.hidden = !ready.length;
    note.textContent = ready.length ? `CPU milliseconds an instance and ${gapped ? "objective" : "rank"}, means over all data sets; the line is the Pareto front.${ready.length < rows.length ? ` ${rows.length - ready.length} programs without a value on every data set are left out.` : ""}` : "No program has a value on every data set.";
    if (!ready.length) return;
    const front = [];
    [...ready].sort((a, b) => a.seconds - b.seconds || quality(a) - quality(b)).forEach((one) => { if (!front.length || quality(one) < quality(front[front.length - 1])) front.push(one); });
    const points = (some) => ({ type: "scatter", mode: "markers", x: some.map((one) => 1000 * one.seconds), y: some.map(quality), text: some.map((one) => escape(crop(one.name, 60))), hovertemplate: "%{text}<br>%{x:.3g} ms, %{y:.4g}<extra></extra>" });
    const visible = new Set(shown), best = new Set(front);
    draw(area.id, [
      { ...points(ready.filter((one) => !visible.has(one) && !best.has(one))), name: "not shown above", marker: { color: color("--balanced"), size: 6, opacity: 0.45 } },
      { ...points(ready.filter((one) => visible.has(one) && !best.has(one))), name: "shown above", marker: { color: color("--explore"), size: 8 } },
      { ...points(front), name: "Pareto front", mode: "lines+markers", line: { shape: "hv", color: color("--accent"), width: 1.5 }, marker: { color: color("--accent"), size: 10, symbol: "diamond" } },
    ].filter((one) => one.x.length), { xaxis: { title: { text: "CPU ms per instance" }, type: "log", dtick: "D1" }, yaxis: { title: { text: gapped ? problem.unit : "mean rank" } } });
  }

  const cell = (row, text, kind = "td", classes = "") => { const made = row.appendChild(document.createElement(kind)); made.textContent = text; if (classes) made.className = classes; return made; };

  function columnsOf(problem) {
    const columns = [["Program", (one) => one.name], ["Mean rank", (one) => one.rank, 3]];
    if (problem.unit && problem.datasets.length > 1) columns.push([`Mean ${problem.unit}`, (one) => one.objective, 5]);
    columns.push(["CPU ms per instance", (one) => (one.seconds === null ? null : 1000 * one.seconds), 3], ["Failed data sets", (one) => one.failed, 9]);
    if (problem.datasets.length <= 8) problem.datasets.forEach((name, at) => columns.push([name, (one) => one.cells[at][OBJECTIVE], 5, (one) => one.cells[at][OUTCOME]]));
    return columns;
  }

  function table(view) {
    const head = view.place.querySelector(".programs thead"), body = view.place.querySelector(".programs tbody");
    const columns = columnsOf(view.problem);
    head.replaceChildren();
    const line = head.appendChild(document.createElement("tr"));
    columns.forEach(([name], at) => {
      const made = cell(line, "", "th", at ? "n" : "");
      made.scope = "col";
      const button = made.appendChild(document.createElement("button"));
      button.type = "button"; button.textContent = name;
      if (view.sorted === at) made.setAttribute("aria-sort", view.down ? "descending" : "ascending");
      button.addEventListener("click", () => { view.down = view.sorted === at && !view.down; view.sorted = at; table(view); head.querySelectorAll("button")[at].focus(); });
    });
    const get = columns[view.sorted][1], sign = view.down ? -1 : 1;
    const rows = [...view.shown].sort((a, b) => {
      const one = get(a), two = get(b);
      if (one === null || two === null) return (one === null) - (two === null); // nothing comes last, both ways
      return sign * (typeof one === "string" ? one.localeCompare(two) : one - two);
    });
    body.replaceChildren(...rows.map((one) => {
      const row = document.createElement("tr");
      columns.forEach(([, value, digits, outcome], at) => {
        const failed = outcome && outcome(one);
        cell(row, failed || (at ? brief(value(one), digits) : value(one)), at ? "td" : "th", at ? `n${failed ? " bad" : ""}` : "");
      });
      return row;
    }));
  }

  function failures(view) {
    const body = view.place.querySelector(".failures tbody");
    if (!body) return;
    const text = view.text, found = view.problem.failures.filter((one) => one.program.toLowerCase().includes(text));
    const note = view.place.querySelector(".failed-note"), total = Number(note.dataset.total), kept = view.problem.failures.length;
    note.textContent = `${total} failed${text ? `, ${found.length} of programs that match` : ""}${found.length > LISTED ? `; the first ${LISTED} are listed` : ""}${total > kept ? ` (this page holds ${kept}; the CSV file has all)` : ""}.`;
    body.replaceChildren(...found.slice(0, LISTED).map((one) => {
      const row = document.createElement("tr");
      cell(row, one.program, "th"); cell(row, one.dataset); cell(row, one.seed, "td", "n").dataset.label = "seed";
      cell(row, one.outcome, "td", "bad"); cell(row, one.message, "td", "text");
      return row;
    }));
  }

  function show(view) {
    view.text = view.place.querySelector(".filter").value.trim().toLowerCase();
    const matching = view.rows.filter((one) => one.name.toLowerCase().includes(view.text));
    view.shown = matching.slice(0, Number(view.place.querySelector(".count").value));
    view.place.querySelector(".matches").textContent = matching.length > view.shown.length ? `${view.shown.length} of ${matching.length} shown` : `${matching.length} shown`;
    heat(view); trade(view); table(view); failures(view);
  }

  const views = data.problems.map((problem, index) => {
    const place = document.getElementById(`p${index}`);
    const view = { problem, index, place, rows: rowsOf(problem), shown: [], text: "", sorted: 1, down: false };
    let waiting = 0;
    place.querySelector(".filter").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => show(view), 120); });
    for (const name of [".count", ".colours"]) place.querySelector(name).addEventListener("change", () => show(view));
    return view;
  });
  const all = () => views.forEach(show);
  dark.addEventListener("change", all);
  let wide = innerWidth, later = 0;
  addEventListener("resize", () => { if (wide !== innerWidth) { wide = innerWidth; clearTimeout(later); later = setTimeout(all, 150); } });
  all();
})();
