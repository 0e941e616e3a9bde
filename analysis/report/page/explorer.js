"use strict";
// The explorer looks predictions up that were computed ahead; nothing is computed here but places
// in arrays, and the arithmetic of a multiple times a size.
(() => {
  const data = JSON.parse(document.getElementById("predictions").textContent);
  if (!data.languages) return;
  const byId = (id) => document.getElementById(id);
  const unpack = (text, Kind) =>
    new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  const points = unpack(data.points, Uint16Array);
  const ends = unpack(data.ends, Uint8Array);
  const multiples = unpack(data.multiples, Int32Array);
  const remarks = unpack(data.remarks, Uint16Array);
  const names = new Map(data.languages.map((row) => [row.code, row.name]));
  const places = new Map(data.languages.map((row, place) => [row.code, place]));
  const modes = ["off", "on"];
  const form = byId("explorer-form");
  const language = byId("language"), size = byId("size"), family = byId("family");

  function option(value, text) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = text;
    return made;
  }

  function fill() {
    for (const [label, seen] of [["Evaluated", true], ["Not evaluated", false]]) {
      const group = document.createElement("optgroup");
      group.label = label;
      data.languages.forEach((row, place) => {
        if (row.seen === seen) group.append(option(place, `${row.name} (${row.code})`));
      });
      if (group.children.length) language.append(group);
    }
    data.families.forEach((name, place) =>
      family.append(option(place, name === null ? "another family" : name)));
    size.max = data.sizes.length - 1;
    language.value = places.get("swh") ?? 0;
    size.value = Math.max(data.sizes.indexOf(8), 0);
    family.value = Math.max(data.families.indexOf("Qwen3"), 0);
  }

  const tenths = (value) => (value / 10).toFixed(1);

  function look(setting, place) {
    const cell = ((setting.family * 2 + setting.mode) * data.sizes.length + setting.size)
      * data.languages.length + place;
    const own = ends.subarray(cell * 2 * data.levels.length, (cell + 1) * 2 * data.levels.length);
    return {
      plugIn: tenths(points[2 * cell]),
      integrated: tenths(points[2 * cell + 1]),
      intervals: data.levels.map((level, i) => [level, own[2 * i], own[2 * i + 1]]),
      multiple: multiples[cell] < 0 ? null : tenths(multiples[cell]),
    };
  }

  function described(setting) {
    const name = data.families[setting.family];
    const kind = name === null ? "a model of another family" : `a new ${name} model`;
    return `${kind} of ${data.sizes[setting.size]}B, reasoning ${modes[setting.mode]}`;
  }

  // the evaluated model that is most like the one described: family, then mode, then size
  function nearestModel(setting) {
    const name = data.families[setting.family];
    const size = Math.log2(data.sizes[setting.size]);
    const unlike = (row) => [
      row.family !== name && name !== null, row.mode !== modes[setting.mode],
      Math.abs(Math.log2(row.size) - size)];
    return data.observed.reduce((best, row) => {
      const [a, b] = [unlike(row), unlike(best)];
      const at = a.findIndex((value, i) => value !== b[i]);
      return at >= 0 && a[at] < b[at] ? row : best;
    });
  }

  function drawing(found, english, width) {
    const left = 8, right = 8, top = 26, across = width - left - right;
    const x = (percent) => (left + across * percent / 100).toFixed(1);
    const shapes = [];
    for (const tick of [0, 25, 50, 75, 100]) {
      const anchor = tick === 0 ? "start" : tick === 100 ? "end" : "middle";
      shapes.push(`<line x1="${x(tick)}" x2="${x(tick)}" y1="${top - 4}" y2="${top + 40}" ` +
        `stroke="var(--rule)"/><text x="${x(tick)}" y="${top + 58}" text-anchor="${anchor}">` +
        `${tick}%</text>`);
    }
    [...found.intervals].reverse().forEach(([level, low, high]) => {
      const [height, opacity] = { 50: [24, 1], 80: [16, 0.55], 95: [8, 0.28] }[level] || [8, 0.3];
      shapes.push(`<rect x="${x(low)}" width="${Math.max(across * (high - low) / 100, 1)}" ` +
        `y="${top + 18 - height / 2}" height="${height}" fill="var(--ours)" ` +
        `opacity="${opacity}"/>`);
    });
    const at = x(found.plugIn);
    shapes.push(`<circle cx="${at}" cy="${top + 18}" r="5" fill="var(--raised)" ` +
      `stroke="var(--ink)" stroke-width="2"/>`);
    const tip = Number(x(english)), anchor = tip > width - 90 ? "end" : "start";
    shapes.push(`<path d="M${tip} ${top - 2}v40" stroke="var(--published)" stroke-width="2"/>` +
      `<text x="${tip + (anchor === "end" ? -5 : 5)}" y="${top - 9}" text-anchor="${anchor}">` +
      `in English</text>`);
    return `<svg viewBox="0 0 ${width} 90" height="90" role="img" aria-label="Plug-in ` +
      `prediction ${found.plugIn}%, with its intervals on a scale from 0 to 100%; in English ` +
      `${english}%">${shapes.join("")}</svg>`;
  }

  function cell(kind, text) {
    const made = document.createElement(kind);
    if (kind === "th") made.scope = "row";
    made.textContent = text;
    return made;
  }

  function near(setting, row, model) {
    const kinds = [["by_vector", (text) => `grammar ${text}`],
                   ["by_resource", (text) => `text ${text}`]];
    const rows = kinds.flatMap(([kind, told]) => row[kind].map(([code, text], place) => {
      const made = document.createElement("tr");
      if (place === 0) made.className = "first-of-kind";
      made.append(cell("th", names.get(code)), cell("td", told(text)),
        cell("td", look(setting, places.get(code)).plugIn),
        cell("td", model.accuracy[code] ?? "–"));
      return made;
    }));
    byId("nearest").replaceChildren(...rows);
    byId("observed-of").textContent = `Observed is ${model.variant}, the nearest model.`;
  }

  // all languages for the model described, best first: a dot each, its 80% interval behind it
  function strip(setting, place) {
    const width = Math.max(byId("strip").clientWidth, 240), left = 118, across = width - left - 12;
    const rows = data.languages.map((row, at) => ({ row, at, found: look(setting, at) }))
      .sort((a, b) => b.found.plugIn - a.found.plugIn || a.at - b.at);
    const x = (percent) => (left + across * percent / 100).toFixed(1), height = 13 * rows.length + 22;
    const ticks = [0, 25, 50, 75, 100].map((tick) =>
      `<line x1="${x(tick)}" x2="${x(tick)}" y1="14" y2="${height}" stroke="var(--rule)"/>` +
      `<text x="${x(tick)}" y="10" text-anchor="middle">${tick}</text>`);
    const shapes = rows.map(({ row, at, found }, line) => {
      const y = 13 * line + 24, [, low, high] = found.intervals[1], own = at === place;
      return `<g><title>${escaped(row.name)}: ${found.plugIn}%, 80% interval ${low} to ${high}%` +
        `</title><text x="${left - 8}" y="${y + 4}" text-anchor="end"` +
        `${own ? ' font-weight="700"' : ""}>${escaped(row.name)}</text>` +
        `<line x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}" stroke="var(--ours)" ` +
        `stroke-width="4" opacity=".3"/><circle cx="${x(found.plugIn)}" cy="${y}" r="3.5" ` +
        `fill="${row.seen ? "var(--ours)" : "var(--raised)"}" stroke="var(--ours)" ` +
        `stroke-width="1.5"/></g>`;
    });
    byId("strip").innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="` +
      `Predicted accuracy in ${rows.length} languages, from ${escaped(rows[0].row.name)} ` +
      `(${rows[0].found.plugIn}%) to ${escaped(rows.at(-1).row.name)} ` +
      `(${rows.at(-1).found.plugIn}%)">${ticks.join("")}${shapes.join("")}</svg>`;
  }

  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

  // the model described in every language, as a spreadsheet reads it
  function asCsv(setting) {
    const ends = data.levels.flatMap((level) => [`low_${level}`, `high_${level}`]);
    const lines = data.languages.map((row, at) => {
      const found = look(setting, at);
      const share = (percent) => Number((percent / 100).toFixed(4));
      return [row.code, `"${row.name.replaceAll('"', '""')}"`, row.seen, share(found.plugIn),
              share(found.integrated), ...found.intervals.flatMap((one) => one.slice(1).map(share))];
    });
    return [["language", "name", "evaluated", "plug_in", "integrated", ...ends], ...lines]
      .map((cells) => cells.join(",")).join("\n") + "\n";
  }

  // what is chosen, in the address: a link to it
  function toAddress(setting, row) {
    const state = new URLSearchParams({
      language: row.code, size: data.sizes[setting.size],
      family: data.families[setting.family] ?? "", reasoning: modes[setting.mode],
    });
    history.replaceState(null, "", `#explorer?${state}`);
  }

  function fromAddress() {
    const [section, query] = location.hash.slice(1).split("?");
    if (section !== "explorer" || !query) return false;
    const state = new URLSearchParams(query);
    const wanted = [
      [language, places.get(state.get("language"))],
      [size, data.sizes.indexOf(Number(state.get("size")))],
      [family, data.families.indexOf(state.get("family") || null)],
    ];
    for (const [control, place] of wanted) if (place >= 0) control.value = place;
    if (modes.includes(state.get("reasoning"))) form.elements.reasoning.value = state.get("reasoning");
    return true;
  }

  const copies = {
    sentence: () => byId("sentence").textContent,
    command: () => byId("command").textContent,
    link: () => location.href,
    csv: () => asCsv(chosen()),
  };

  async function copied(event) {
    const what = event.target.dataset.copy;
    if (!what) return;
    event.preventDefault();
    const text = copies[what]();
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from disk may not write there
      const box = byId("copied-text");
      box.hidden = false;
      box.value = text;
      box.select();
    }
    byId("copied").textContent = `Copied: ${event.target.textContent.trim()}.`;
  }

  function save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([asCsv(chosen())], { type: "text/csv" }));
    link.download = "predictions.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function quoted(text) { // as a shell takes it for one word
    return /^[\w.,:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  }

  let saying;

  const chosen = () => ({
    family: Number(family.value), size: Number(size.value),
    mode: modes.indexOf(form.elements.reasoning.value),
  });

  function show() {
    const setting = chosen();
    const place = Number(language.value), row = data.languages[place];
    const found = look(setting, place), english = look(setting, data.reference);
    const billions = data.sizes[setting.size], model = described(setting);
    byId("size-shown").textContent = `${billions}B`;
    size.setAttribute("aria-valuetext", `${billions} billion parameters`);
    byId("setting").textContent = `${row.name}: ${model}`;
    byId("plug-in").textContent = found.plugIn;
    byId("integrated").textContent = found.integrated;
    byId("english").textContent = english.plugIn;
    for (const [level, low, high] of found.intervals) {
      byId(`interval-${level}`).textContent = `${low}–${high}`;
    }
    byId("multiple").textContent = found.multiple === null ? "–"
      : `× ${found.multiple < 1 ? "≤1" : found.multiple}`;
    byId("multiple-said").textContent = place === data.reference
      ? "English is what multiples are against."
      : found.multiple === null
        ? `No size up to ${data.limit}B is predicted here what ${billions}B is in English.`
        : found.multiple < 1
        ? `Such a model is predicted no less here than in English (${english.plugIn}%).`
        : `To be predicted here what ${billions}B is predicted in English (${english.plugIn}%), ` +
          `such a model needs ${found.multiple} times the parameters, about ` +
          `${Number((found.multiple * billions).toPrecision(2))}B.`;
    byId("drawing").innerHTML =
      drawing(found, english.plugIn, Math.max(byId("drawing").clientWidth, 240));
    const said = data.texts[remarks[setting.family * data.languages.length + place]];
    byId("warnings").replaceChildren(...said.map((text) => cell("li", text)));
    near(setting, row, nearestModel(setting));
    const name = data.families[setting.family];
    byId("command").textContent = `transfer predict --params ${billions} ` +
      (name === null ? "" : `--family ${quoted(name)} `) +
      `--reasoning ${modes[setting.mode]} --language ${quoted(row.code)}`;
    byId("sentence").textContent = `In ${row.name}, ${model} is predicted to solve ` +
      `${found.plugIn}% of the questions (80% interval ${found.intervals[1][1]} to ` +
      `${found.intervals[1][2]}%), in English ${english.plugIn}%.`;
    strip(setting, place);
    clearTimeout(saying); // said once the hand rests, not at every step of the slider
    saying = setTimeout(() => {
      byId("said").textContent = `${row.name}, ${model}: ${found.plugIn}%, ` +
        `80% interval ${found.intervals[1][1]} to ${found.intervals[1][2]}%.`;
    }, 400);
  }

  // a box that holds all of its table is no stop on the way of the Tab key
  function stops() {
    for (const box of document.querySelectorAll(".scroll")) {
      box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
    }
  }

  fill();
  fromAddress();
  show();
  form.addEventListener("input", () => {
    show();
    toAddress(chosen(), data.languages[Number(language.value)]);
  });
  form.addEventListener("click", copied);
  document.querySelector(".all-languages").addEventListener("toggle", show); // it has a width now
  byId("save").addEventListener("click", (event) => { event.preventDefault(); save(); });
  window.addEventListener("hashchange", () => { if (fromAddress()) show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(() => { show(); stops(); }).observe(form);
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
  });
})();
