"use strict";
// The explorer looks predictions up that were computed ahead; nothing is computed here but places
// in arrays, and the arithmetic of a multiple times a size.
(() => {
  const data = JSON.parse(document.getElementById("predictions").textContent);
  if (!data.models) return;
  const byId = (id) => document.getElementById(id);
  const unpack = (text, Kind) =>
    new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  const points = unpack(data.points, Uint16Array);
  const ends = unpack(data.ends, Uint8Array);
  const multiples = unpack(data.multiples, Int32Array);
  const remarks = unpack(data.remarks, Uint16Array);
  const places = new Map(data.languages.map((row, place) => [row.code, place]));
  const modes = ["off", "on"];
  const described = data.families.length * modes.length * data.sizes.length;
  const evaluated = data.models.filter((one) => one.third !== null);
  const bases = [...new Map(data.models.map((one) => [one.base, one])).values()];
  const form = byId("explorer-form");

  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const tenths = (value) => (value / 10).toFixed(1);
  const grouped = (value) => value.toLocaleString("en");
  const quoted = (text) => // as a shell takes it for one word
    /^[\w.,:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  // a name as features.names compares it: without case, accents and what stands between words
  const plain = (text) => (text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .match(/\p{L}+|\d+(?:\.\d+)*/gu) ?? []).join("");

  function made(kind, attributes = {}, text = "") {
    const element = document.createElement(kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  }

  // ---- what is chosen: {base} or {size, family} (places), mode (place), language (place) ----

  const named = (setting) => setting.base === null ? -1 : data.models.findIndex((one) =>
    one.base === setting.base && one.mode === modes[setting.mode]);
  const modesOf = (base) => modes.filter((mode) =>
    data.models.some((one) => one.base === base && one.mode === mode));

  function look(setting, place) {
    const own = named(setting);
    const row = own >= 0 ? described + own
      : (setting.family * modes.length + setting.mode) * data.sizes.length + setting.size;
    const cell = row * data.languages.length + place, width = 2 * data.levels.length;
    const group = own >= 0 ? data.families.length + own : setting.family;
    return {
      plugIn: points[2 * cell],
      integrated: points[2 * cell + 1],
      intervals: data.levels.map((level, i) =>
        [level, ends[width * cell + 2 * i], ends[width * cell + 2 * i + 1]]),
      multiple: multiples[cell] < 0 ? null : tenths(multiples[cell]),
      observed: own < 0 ? undefined : data.models[own].accuracy[data.languages[place].code],
      remarks: [...data.notes[row],
                ...data.texts[remarks[group * data.languages.length + place]]],
    };
  }

  function modelName(setting) {
    const mode = setting.mode ? "with reasoning" : "without reasoning";
    if (setting.base !== null) {
      return modesOf(setting.base).length > 1 ? `${setting.base} ${mode}` : setting.base;
    }
    const family = data.families[setting.family], size = `${data.sizes[setting.size]}B`;
    return family === null ? `a ${size} model of another family ${mode}`
      : `a new ${family} model of ${size} ${mode}`;
  }

  const billions = (setting) => setting.base === null ? data.sizes[setting.size]
    : data.models[named(setting)].size;

  function options(setting) { // of transfer predict
    const name = data.families[setting.family];
    const model = setting.base !== null ? `--model ${quoted(setting.base)}`
      : `--params ${data.sizes[setting.size]}` + (name === null ? "" : ` --family ${quoted(name)}`);
    return `${model} --reasoning ${modes[setting.mode]}`;
  }

  const command = (setting) => `transfer predict ${options(setting)} --language ` +
    quoted(data.languages[setting.language].code);

  // a box that is searched by name: rows in groups, of {value, name, note, names}
  class Picker {
    constructor(input, groups, chosen) {
      Object.assign(this, { input, groups, chosen, at: -1, shown: [] });
      this.list = made("ul", { role: "listbox", id: `${input.id}-list`, hidden: "",
                               "aria-label": input.labels[0].textContent });
      input.after(this.list);
      input.setAttribute("aria-controls", this.list.id);
      input.addEventListener("focus", () => input.select());
      input.addEventListener("mousedown", (event) => { // whose cursor would end the selection
        event.preventDefault();
        input.focus();
        input.select();
      });
      input.addEventListener("click", () => this.open(""));
      input.addEventListener("input", (event) => { event.stopPropagation(); this.open(input.value); });
      input.addEventListener("blur", () => this.close());
      input.addEventListener("keydown", (event) => this.key(event));
      this.list.addEventListener("pointerdown", (event) => { // before the box loses focus
        event.preventDefault();
        const option = event.target.closest("[role=option]");
        if (option) this.choose(Number(option.dataset.place));
      });
    }

    open(text) {
      const wanted = plain(text);
      const rank = (row) => Math.min(...row.names.map((name) => {
        const at = wanted === "" ? 0 : name.indexOf(wanted);
        return name === wanted ? -1 : at < 0 ? Infinity : at > 0 ? 1 : 0;
      }));
      this.shown = [];
      this.list.replaceChildren(...this.groups.flatMap(([label, rows, always], number) => {
        const ranks = new Map(rows.map((row) => [row, always ? 2 : rank(row)]));
        const found = rows.filter((row) => ranks.get(row) < Infinity)
          .sort((a, b) => ranks.get(a) - ranks.get(b));
        if (!found.length) return [];
        const id = `${this.list.id}-${number}`;
        const group = made("ul", { role: "group", "aria-labelledby": id });
        group.append(made("li", { role: "presentation", id, class: "group" }, label));
        for (const row of found) {
          const place = this.shown.push(row) - 1;
          const option = made("li", { role: "option", id: `${this.list.id}-option-${place}`,
            "data-place": place, "aria-selected": "false" }, row.name);
          const note = row.note || (row.others ?? []).find((name) => wanted !== ""
            && !plain(row.name).includes(wanted) && plain(name).includes(wanted));
          if (note) option.append(made("small", {}, note));
          group.append(option);
        }
        const item = made("li", { role: "presentation" });
        item.append(group);
        return [item];
      }));
      this.list.hidden = false;
      this.input.setAttribute("aria-expanded", "true");
      const first = this.shown.map((row, place) => [wanted === "" ? 9 : rank(row), place])
        .sort((a, b) => a[0] - b[0])[0];
      const current = this.shown.findIndex((row) => row.value === this.value);
      this.mark(wanted === "" ? current : first ? first[1] : -1);
    }

    close() {
      this.list.hidden = true;
      this.input.setAttribute("aria-expanded", "false");
      this.input.removeAttribute("aria-activedescendant");
      this.input.value = this.label;
    }

    mark(place) {
      const options = this.list.querySelectorAll("[role=option]");
      options[this.at]?.setAttribute("aria-selected", "false");
      this.at = place;
      if (!options[place]) { this.input.removeAttribute("aria-activedescendant"); return; }
      options[place].setAttribute("aria-selected", "true");
      options[place].scrollIntoView({ block: "nearest" });
      this.input.setAttribute("aria-activedescendant", options[place].id);
    }

    key(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        if (this.list.hidden) { this.open(""); return; }
        const count = this.shown.length;
        this.mark(this.at < 0 ? (step > 0 ? 0 : count - 1) : (this.at + step + count) % count);
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (!this.list.hidden && this.at >= 0) this.choose(this.at);
      } else if (event.key === "Escape") this.close();
    }

    choose(place) {
      const { value } = this.shown[place];
      this.close();
      this.chosen(value);
      this.input.select(); // what is typed next takes its place
    }

    show(value, label) {
      Object.assign(this, { value, label });
      this.input.value = label;
    }
  }

  const languageRows = (kept, note) => data.languages
    .map((row, place) => ({ row, place })).filter(({ row }) => kept(row))
    .map(({ row, place }) => ({
      value: place, name: row.name, note: note(row), others: row.others,
      names: [row.name, row.code, ...row.others].map(plain),
    }));
  const few = (row) => !row.seen && row.pages < data.scarce;
  const pages = (row) => `${grouped(row.pages)} pages`;
  const languageGroups = [
    ["Evaluated", languageRows((row) => row.seen, () => "")],
    ["Not evaluated", languageRows((row) => !row.seen && !few(row), () => "")],
    [`Hardly any data: fewer than ${grouped(data.scarce)} pages`, languageRows(few, pages)],
  ];
  const OTHER = "";
  const modelRows = (rows) => rows.map((one) => ({
    value: one.base, name: one.base, note: `${one.size}B`,
    names: [one.base, `${one.family} ${one.size}b`].map(plain),
  }));
  const isEvaluated = (one) => evaluated.some((other) => other.base === one.base);
  const modelGroups = [
    ["Another model", [{ value: OTHER, name: "Describe a model: size, family", names: [] }], true],
    ["Evaluated", modelRows(bases.filter(isEvaluated))],
    ["Registered, not evaluated", modelRows(bases.filter((one) => !isEvaluated(one)))],
  ];
  modelGroups.push(modelGroups.shift()); // it stands last

  // ---- a setting's controls ----

  class Controls {
    constructor(host, number, changed) {
      Object.assign(this, { host, changed });
      host.append(byId("controls").content.cloneNode(true));
      const parts = Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => {
        part.id = part.dataset.part + number;
        part.closest(".control").querySelector("label").htmlFor = part.id;
        return [part.dataset.part, part];
      }));
      Object.assign(this, parts);
      this.radios = [...host.querySelectorAll("[type=radio]")];
      for (const radio of this.radios) {
        radio.name = `reasoning${number}`;
        radio.addEventListener("input", () => this.set({ mode: modes.indexOf(radio.value) }));
      }
      data.families.forEach((name, place) =>
        this.family.append(made("option", { value: place }, name ?? "another family")));
      this.size.max = data.sizes.length - 1;
      this.size.addEventListener("input", () => this.set({ size: Number(this.size.value) }));
      this.family.addEventListener("input", () => this.set({ family: Number(this.family.value) }));
      this.models = new Picker(this.model, modelGroups, (base) =>
        this.set({ base: base === OTHER ? null : base }));
      this.languages = new Picker(this.language, languageGroups, (language) =>
        this.set({ language }));
    }

    put(setting) {
      this.value = setting = { ...this.value, ...setting };
      const known = setting.base === null ? modes : modesOf(setting.base);
      if (!known.includes(modes[setting.mode])) setting.mode = modes.indexOf(known[0]);
      for (const radio of this.radios) {
        radio.checked = radio.value === modes[setting.mode];
        radio.disabled = !known.includes(radio.value);
      }
      for (const one of this.host.querySelectorAll(".described")) one.hidden = setting.base !== null;
      this.size.value = setting.size;
      this.size.setAttribute("aria-valuetext", `${data.sizes[setting.size]} billion parameters`);
      this.host.querySelector("output").textContent = `${data.sizes[setting.size]}B`;
      this.family.value = setting.family;
      this.models.show(setting.base ?? OTHER, setting.base ?? "A model described below");
      this.languages.show(setting.language, data.languages[setting.language].name);
    }

    set(change) {
      this.put(change);
      this.changed();
    }
  }

  // ---- the answer ----

  const HOW_FAR = ["Inside the data", "Somewhat outside the data", "Far outside the data"];

  function farInWords(row) {
    if (row.seen) return "One of the languages learned from";
    const reasons = row.reasons.map((text) => text.replace(" than any language learned from", ""));
    const told = reasons.length ? `: it ${reasons.join(" and ")} than any language learned from` : "";
    return `${HOW_FAR[row.far]}${told}${few(row) ? `, with ${pages(row)}` : ""}`;
  }

  const whole = (value) => Math.round(value / 10);
  const range = (found, i = 1) => `${found.intervals[i][1]} to ${found.intervals[i][2]}%`;

  function answer(setting, end) {
    const row = data.languages[setting.language], found = look(setting, setting.language);
    byId(`setting${end}`).textContent = `${row.name}: ${modelName(setting)}`;
    byId(`number${end}`).textContent = `${whole(found.plugIn)}%`;
    byId(`likely${end}`).textContent = range(found);
    byId(`far${end}`).textContent = farInWords(row);
    byId(`far${end}`).className = `far-${row.seen ? 0 : row.far}`;
    return found;
  }

  function sentence(setting) {
    const found = look(setting, setting.language), english = look(setting, data.reference);
    const name = data.languages[setting.language].name, model = modelName(setting);
    const seen = found.observed === undefined ? "" : `, ${found.observed}% were observed`;
    return `In ${name}, ${model} is predicted to solve ${whole(found.plugIn)}% of the questions ` +
      `(likely range ${range(found)})${seen}; in English ${whole(english.plugIn)}%.`;
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
    shapes.push(`<circle cx="${x(found.plugIn / 10)}" cy="${top + 18}" r="5" ` +
      `fill="var(--raised)" stroke="var(--ink)" stroke-width="2"/>`);
    const tip = Number(x(english / 10)), anchor = tip > width - 90 ? "end" : "start";
    shapes.push(`<path d="M${tip} ${top - 2}v40" stroke="var(--published)" stroke-width="2"/>` +
      `<text x="${tip + (anchor === "end" ? -5 : 5)}" y="${top - 9}" text-anchor="${anchor}">` +
      `in English</text>`);
    return `<svg viewBox="0 0 ${width} 90" height="90" role="img" aria-label="Prediction ` +
      `${tenths(found.plugIn)}%, with its 50, 80 and 95% intervals on a scale from 0 to 100%; in ` +
      `English ${tenths(english)}%">${shapes.join("")}</svg>`;
  }

  // the evaluated model that is most like the one chosen: itself, or by family, mode, size
  function nearestModel(setting) {
    const family = setting.base === null ? data.families[setting.family]
      : data.models[named(setting)].family;
    const size = Math.log2(billions(setting));
    const unlike = (row) => [
      row.base !== setting.base || row.mode !== modes[setting.mode],
      row.family !== family && family !== null, row.mode !== modes[setting.mode],
      Math.abs(Math.log2(row.size) - size)];
    return evaluated.reduce((best, row) => {
      const [a, b] = [unlike(row), unlike(best)];
      const at = a.findIndex((value, i) => value !== b[i]);
      return at >= 0 && a[at] < b[at] ? row : best;
    });
  }

  function near(setting, row) {
    const model = nearestModel(setting);
    const kinds = [["by_vector", (text) => `grammar ${text}`],
                   ["by_resource", (text) => `text ${text}`]];
    byId("nearest").replaceChildren(...kinds.flatMap(([kind, told]) =>
      row[kind].map(([code, text], place) => {
        const line = made("tr", place === 0 ? { class: "first-of-kind" } : {});
        const at = places.get(code);
        line.append(made("th", { scope: "row" }, data.languages[at].name), made("td", {}, told(text)),
          made("td", {}, tenths(look(setting, at).plugIn)), made("td", {}, model.accuracy[code] ?? "–"));
        return line;
      })));
    byId("observed-of").textContent = model.base === setting.base ? ""
      : `(observed of ${model.variant}, the nearest model)`;
  }

  function details(setting, found) {
    const row = data.languages[setting.language], english = look(setting, data.reference);
    byId("plug-in").textContent = tenths(found.plugIn);
    byId("integrated").textContent = tenths(found.integrated);
    byId("english").textContent = tenths(english.plugIn);
    byId("pages").textContent = grouped(row.pages);
    for (const [level, low, high] of found.intervals) {
      byId(`interval-${level}`).textContent = `${low}–${high}`;
    }
    const size = billions(setting);
    byId("multiple").textContent = found.multiple === null ? "–"
      : `× ${found.multiple < 1 ? "≤1" : found.multiple}`;
    byId("multiple-said").textContent = setting.language === data.reference
      ? "English is what multiples are against."
      : found.multiple === null
        ? `No size up to ${data.limit}B is predicted here what ${size}B is in English.`
        : found.multiple < 1
        ? "Such a model is predicted no less here than in English."
        : `To be predicted here what ${size}B is predicted in English, such a model needs ` +
          `${found.multiple} times the parameters, about ` +
          `${Number((found.multiple * size).toPrecision(2))}B.`;
    byId("drawing").innerHTML =
      drawing(found, english.plugIn, Math.max(byId("drawing").clientWidth, 240));
    byId("warnings").replaceChildren(...found.remarks.map((text) => made("li", {}, text)));
    near(setting, row);
    const words = command(setting).split(/ (?=--)/)
      .map((part) => made("span", { class: "part" }, part));
    byId("command").replaceChildren(...words.flatMap((part, i) => i ? [" ", part] : [part]));
  }

  // all languages for a model, best first, those without data apart; a second model beside it
  function strip(setting, other) {
    const width = Math.max(byId("strip").clientWidth, 240), left = 142, across = width - left - 12;
    const x = (percent) => (left + across * percent / 100).toFixed(1);
    const rows = data.languages.map((row, at) => ({ row, at, found: look(setting, at) }))
      .sort((a, b) => few(a.row) - few(b.row) || b.found.plugIn - a.found.plugIn || a.at - b.at);
    const apart = rows.findIndex(({ row }) => few(row));
    const down = (line) => 15 * line + 26 + (apart >= 0 && line >= apart ? 30 : 0);
    const height = down(rows.length) - 8;
    const ticks = [0, 25, 50, 75, 100].map((tick) =>
      `<line x1="${x(tick)}" x2="${x(tick)}" y1="14" y2="${height}" stroke="var(--rule)"/>` +
      `<text x="${x(tick)}" y="10" text-anchor="middle">${tick}</text>`);
    if (apart >= 0) {
      ticks.push(`<text x="4" y="${down(apart) - 16}" font-weight="700">` +
        `${languageGroups[2][0]}</text>`);
    }
    const dot = (found, y, colour, fill) =>
      `<line x1="${x(found.intervals[1][1])}" x2="${x(found.intervals[1][2])}" y1="${y}" ` +
      `y2="${y}" stroke="var(${colour})" stroke-width="4" opacity=".3"/>` +
      `<circle cx="${x(found.plugIn / 10)}" cy="${y}" r="3.5" fill="${fill}" ` +
      `stroke="var(${colour})" stroke-width="1.5"/>`;
    const shapes = rows.map(({ row, at, found }, line) => {
      const y = down(line), own = at === setting.language;
      return `<g data-language="${at}"><title>${escaped(row.name)}: ${tenths(found.plugIn)}%, ` +
        `likely ${range(found)}</title><text x="${left - 8}" y="${y + 4}" text-anchor="end"` +
        `${own ? ' font-weight="700"' : ""}>${escaped(row.name)}</text>` +
        (other ? dot(look(other, at), y, "--published", "var(--raised)") : "") +
        dot(found, y, "--ours", row.seen ? "var(--ours)" : "var(--raised)") + "</g>";
    });
    byId("strip").innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="` +
      `Predicted accuracy in ${rows.length} languages, from ${escaped(rows[0].row.name)} ` +
      `(${tenths(rows[0].found.plugIn)}%) downwards">${ticks.join("")}${shapes.join("")}</svg>`;
  }

  // ---- the picture: what was observed, a line per model; what is asked on top ----

  const SHADES = ["--small", "--middle", "--large"];
  const onMap = data.languages.filter((row) => row.seen).sort((a, b) => a.pages - b.pages);
  const mean = (one) => Object.values(one.accuracy).reduce((sum, text) => sum + Number(text), 0);
  const ordered = [...evaluated].sort((a, b) => mean(b) - mean(a));
  const sizes = (third) => {
    const own = evaluated.filter((one) => one.third === third).map((one) => one.size);
    return `${Math.min(...own)}–${Math.max(...own)}B`;
  };
  let map, pointed = -1;

  const ASKED = ["--ink", "--published"];
  const hasLine = (setting) => (data.models[named(setting)]?.third ?? null) !== null;

  function place(asked) {
    const width = Math.max(byId("picture").clientWidth, 260), narrow = width < 480;
    const height = narrow ? 330 : Math.min(Math.max(0.62 * width, 380), 470);
    const at = (row) => Math.log10(row.pages);
    const rows = [...onMap, ...asked.map((setting) => data.languages[setting.language])];
    const low = Math.min(...rows.map(at)) - 0.12, high = Math.max(...rows.map(at)) + 0.08;
    const box = { left: 40, right: width - 10, top: 44, bottom: height - 84 };
    return {
      width, height, box, low, high,
      x: (row) => box.left + (at(row) - low) / (high - low) * (box.right - box.left),
      y: (percent) => box.bottom - percent / 100 * (box.bottom - box.top),
    };
  }

  // names under the axis at least 14 px apart, as near to their ticks as may be
  function spread(wanted, first, last) {
    const at = [...wanted];
    for (let i = 1; i < at.length; i++) at[i] = Math.max(at[i], at[i - 1] + 14);
    at[at.length - 1] = Math.min(at[at.length - 1], last);
    for (let i = at.length - 2; i >= 0; i--) at[i] = Math.min(at[i], at[i + 1] - 14);
    return at.map((value) => Math.max(value, first));
  }

  function trace(one) {
    return onMap.filter((row) => one.accuracy[row.code] !== undefined)
      .map((row) => [map.x(row), map.y(Number(one.accuracy[row.code])), row]);
  }

  const path = (steps) => `M${steps.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

  function picture(asked) {
    map = place(asked);
    const { box, width, height, x, y } = map, shapes = [];
    for (const percent of [0, 25, 50, 75, 100]) {
      shapes.push(`<line x1="${box.left}" x2="${box.right}" y1="${y(percent)}" ` +
        `y2="${y(percent)}" stroke="var(--rule)"/><text x="${box.left - 6}" ` +
        `y="${y(percent) + 4}" text-anchor="end">${percent}${percent === 100 ? "%" : ""}</text>`);
    }
    const ticks = spread(onMap.map(x), box.left, box.right);
    onMap.forEach((row, i) => shapes.push(
      `<path d="M${x(row)} ${box.bottom}v4L${ticks[i]} ${box.bottom + 12}" fill="none" ` +
      `stroke="var(--faint)"/><text transform="translate(${ticks[i] + 3} ${box.bottom + 16}) ` +
      `rotate(-60)" text-anchor="end">${escaped(row.name)}</text>`));
    let unnamed = true;
    for (let power = Math.ceil(map.low); power <= map.high; power++) {
      const told = { 3: "1,000", 4: "10,000", 5: "100,000", 6: "1 million", 7: "10 million",
                     8: "100 million" }[power];
      const at = x({ pages: 10 ** power }), unit = unnamed ? " pages" : "";
      if (told && at < box.right - 30) {
        unnamed = false;
        shapes.push(`<line x1="${at}" x2="${at}" y1="${box.top}" y2="${box.bottom}" ` +
          `stroke="var(--rule)"/><text x="${at}" y="${box.top - 6}" text-anchor="middle">` +
          `${width < 480 ? told.replace(" million", "M").replace(",000", "k") : told}${unit}</text>`);
      }
    }
    let legend = box.left;
    [2, 1, 0].forEach((third) => {
      if (!evaluated.some((one) => one.third === third)) return;
      const text = sizes(third);
      shapes.push(`<line x1="${legend}" x2="${legend + 16}" y1="10" y2="10" stroke-width="2.5" ` +
        `stroke="var(${SHADES[third]})"/><text x="${legend + 21}" y="14">${text}</text>`);
      legend += 38 + 7 * text.length;
    });
    asked.forEach((setting, number) => {
      const text = modelName(setting), needed = 38 + 7 * text.length;
      if (!hasLine(setting) || legend + needed > width) return;
      shapes.push(`<line x1="${legend}" x2="${legend + 16}" y1="10" y2="10" stroke-width="2.5" ` +
        `stroke="var(${ASKED[number]})"/><text x="${legend + 21}" y="14">${escaped(text)}</text>`);
      legend += needed;
    });
    const means = [0, 1, 2].map((third) => {
      const own = evaluated.filter((one) => one.third === third);
      if (own.length < 2) return "";
      const steps = onMap.map((row) => [x(row), y(own.reduce(
        (sum, one) => sum + Number(one.accuracy[row.code] ?? NaN), 0) / own.length)]);
      return steps.some(([, at]) => Number.isNaN(at)) ? ""
        : `<path class="mean" d="${path(steps)}" stroke="var(${SHADES[third]})"/>`;
    });
    const lines = ordered.map((one, i) =>
      `<g role="option" id="line-${i}" aria-selected="false" aria-label="${escaped(one.variant)}: ` +
      `${trace(one).map(([, , row]) => `${row.name} ${one.accuracy[row.code]}%`).reverse()
        .join(", ")}">` +
      `<path class="line" d="${path(trace(one))}" stroke="var(${SHADES[one.third]})"/></g>`);
    byId("picture").innerHTML = `<svg viewBox="0 0 ${width} ${height}" height="${height}" ` +
      `role="group" aria-label="Accuracy by language against its Common Crawl pages"><g ` +
      `aria-hidden="true">${shapes.join("")}</g><g role="listbox" tabindex="0" id="lines" ` +
      `aria-label="Evaluated models, best first"><rect x="${box.left}" y="${box.top}" ` +
      `width="${box.right - box.left}" height="${box.bottom - box.top}" fill="transparent"/>` +
      `${lines.join("")}</g><g aria-hidden="true">${means.join("")}</g><g id="asked" aria-hidden="true">${asked.map(mark).join("")}</g>` +
      `<g id="pointed" aria-hidden="true"></g></svg>`;
    point(pointed);
  }

  // what is asked: the model's line, if it was evaluated, and the prediction with its likely range
  function mark(setting, number, asked) {
    const row = data.languages[setting.language], found = look(setting, setting.language);
    const aside = number > 0 && asked[0].language === setting.language ? 11 : 0;
    const { box, x, y } = map, at = x(row) - aside, colour = ASKED[number];
    const line = hasLine(setting)
      ? `<path d="${path(trace(data.models[named(setting)]))}" fill="none" ` +
        `stroke="var(${colour})" stroke-width="2.5"/>` : "";
    const end = at > (box.left + box.right) / 2 ? "end" : "start";
    const [, low, high] = found.intervals[1], side = end === "end" ? -9 : 9;
    const height = y(found.plugIn / 10) + (number ? 16 : 4);
    return `${line}<line x1="${at}" x2="${at}" y1="${box.top}" y2="${box.bottom}" ` +
      `stroke="var(${colour})" stroke-dasharray="2 3"/><line x1="${at}" x2="${at}" ` +
      `y1="${y(low)}" y2="${y(high)}" stroke="var(${colour})" stroke-width="6" opacity=".45"/>` +
      `<circle cx="${at}" cy="${y(found.plugIn / 10)}" r="6" fill="var(--raised)" ` +
      `stroke="var(${colour})" stroke-width="2.5"/><text class="name" x="${at + side}" ` +
      `y="${height}" text-anchor="${end}">${escaped(row.name)} ${whole(found.plugIn)}%</text>`;
  }

  function point(place, near) {
    byId(`line-${pointed}`)?.setAttribute("aria-selected", "false");
    pointed = place;
    const one = ordered[place], lines = byId("lines");
    if (!one) {
      byId("pointed").innerHTML = "";
      lines.removeAttribute("aria-activedescendant");
      byId("picture-said").textContent = "";
      return;
    }
    byId(`line-${place}`).setAttribute("aria-selected", "true");
    lines.setAttribute("aria-activedescendant", `line-${place}`);
    const steps = trace(one), { box } = map;
    const [x, y, row] = near ?? steps[0];
    const text = `${one.variant}: ${one.accuracy[row.code]}% in ${row.name}`;
    const end = x > (box.left + box.right) / 2 ? "end" : "start";
    byId("pointed").innerHTML = `<path d="${path(steps)}" fill="none" stroke="var(--ink)" ` +
      `stroke-width="2.5"/><circle cx="${x}" cy="${y}" r="4" fill="var(--ink)"/><text class="name" ` +
      `x="${end === "end" ? Math.max(x, 6.6 * text.length) : Math.min(x, map.width - 6.8 * text.length)}" ` +
      `y="${y > box.top + 24 ? y - 10 : y + 20}" text-anchor="${end}">${escaped(text)}</text>`;
    byId("picture-said").textContent = text;
  }

  function hover(event) {
    const area = byId("picture").querySelector("svg").getBoundingClientRect();
    const x = (event.clientX - area.left) * map.width / area.width;
    const y = (event.clientY - area.top) * map.height / area.height;
    let best = [22, -1, null];
    ordered.forEach((one, i) => {
      const steps = trace(one);
      for (let j = 0; j + 1 < steps.length; j++) {
        const [[x0, y0], [x1, y1]] = [steps[j], steps[j + 1]];
        if (x < x0 - 6 || x > x1 + 6) continue;
        const part = x1 > x0 ? Math.min(Math.max((x - x0) / (x1 - x0), 0), 1) : 0;
        const off = Math.abs(y0 + part * (y1 - y0) - y);
        if (off < best[0]) best = [off, i, part < 0.5 ? steps[j] : steps[j + 1]];
      }
    });
    point(best[1], best[2]);
  }

  const pickLine = () => {
    const one = ordered[pointed];
    if (one) first.set({ base: one.base, mode: modes.indexOf(one.mode) });
  };

  byId("picture").addEventListener("pointermove", hover);
  byId("picture").addEventListener("pointerleave", () => point(-1));
  byId("picture").addEventListener("click", (event) => { hover(event); pickLine(); });
  byId("picture").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) point((pointed + (pointed < 0 && step < 0 ? 0 : step) + ordered.length) % ordered.length);
    else if (event.key === "Enter") pickLine();
    else if (event.key === "Escape") point(-1);
    else return;
    event.preventDefault();
    byId("lines").focus();
  });
  byId("picture").addEventListener("focusout", () => point(-1));

  // ---- tables to take away ----

  const share = (percent) => Number((percent / 100).toFixed(4));
  const csvText = (text) => `"${text.replaceAll('"', '""')}"`;
  const COLUMNS = ["language", "name", "evaluated", "plug_in", "integrated",
                   ...data.levels.flatMap((level) => [`low_${level}`, `high_${level}`])];
  const inAllLanguages = (setting) => data.languages.map((row, at) => {
    const found = look(setting, at);
    return [row.code, csvText(row.name), row.seen, share(found.plugIn / 10),
            share(found.integrated / 10),
            ...found.intervals.flatMap((one) => one.slice(1).map(share))];
  });
  const asCsv = (lines) => lines.map((cells) => cells.join(",")).join("\n") + "\n";
  const ownCsv = () => asCsv([COLUMNS, ...inAllLanguages(first.value)]);

  function everything() {
    const settings = data.models.map((one) => ({ base: one.base, mode: modes.indexOf(one.mode) }));
    data.families.forEach((_, family) => modes.forEach((_, mode) => data.sizes.forEach((_, size) =>
      settings.push({ base: null, family, mode, size }))));
    return asCsv([["model", "family", "params_b", "reasoning", ...COLUMNS],
      ...settings.flatMap((setting) => {
        const own = data.models[named(setting)];
        const family = own ? own.family : data.families[setting.family] ?? "";
        const model = [csvText(setting.base ?? ""), csvText(family), billions(setting),
                       modes[setting.mode]];
        return inAllLanguages(setting).map((cells) => [...model, ...cells]);
      })]);
  }

  function save(text, name) {
    const link = made("a", { download: name });
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const copies = {
    sentence: () => byId("sentence").textContent,
    command: () => [first.value, ...(comparing() ? [second.value] : [])].map(command).join("\n"),
    link: () => { toAddress(); return location.href; },
    csv: ownCsv,
  };

  async function copied(event) {
    const what = event.target.dataset.copy;
    if (!what) return;
    const text = copies[what](), box = byId("copied-text");
    box.hidden = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from disk may not write there
      box.hidden = false;
      box.value = text;
      box.select();
    }
    byId("copied").textContent = box.hidden ? "Copied." : "Press Ctrl+C to copy.";
  }

  // ---- what is chosen, in the address: a link to it ----

  const comparing = () => !byId("compared").hidden;

  function state(setting, end) {
    const model = setting.base !== null ? { model: setting.base }
      : { size: data.sizes[setting.size], family: data.families[setting.family] ?? "" };
    return Object.entries({ ...model, reasoning: modes[setting.mode],
                            language: data.languages[setting.language].code })
      .map(([name, value]) => [name + end, value]);
  }

  function toAddress() {
    const chosen = [...state(first.value, ""), ...(comparing() ? state(second.value, "2") : [])];
    history.replaceState(null, "", `#explorer?${new URLSearchParams(chosen)}`);
  }

  function fromState(query, end) {
    const said = (name) => query.get(name + end), found = {};
    if (bases.some((one) => one.base === said("model"))) found.base = said("model");
    else if (said("size") !== null) found.base = null;
    const wanted = { size: data.sizes.indexOf(Number(said("size"))),
                     family: data.families.indexOf(said("family") || null),
                     mode: modes.indexOf(said("reasoning")),
                     language: places.get(said("language")) ?? -1 };
    for (const [name, place] of Object.entries(wanted)) if (place >= 0) found[name] = place;
    return found;
  }

  function fromAddress() {
    const [section, text] = location.hash.slice(1).split("?");
    if (section !== "explorer" || !text) return;
    const query = new URLSearchParams(text);
    first.put(fromState(query, ""));
    byId("compared").hidden = !query.has("language2");
    if (comparing()) second.put({ ...first.value, ...fromState(query, "2") });
  }

  // ---- together ----

  // what a comparison starts with: the other mode, or English
  function contrast() {
    const { base, mode } = first.value;
    const both = base === null || modesOf(base).length > 1;
    return { ...first.value, ...(both ? { mode: 1 - mode } : { language: data.reference }) };
  }

  let saying;

  function show() {
    const setting = first.value, other = comparing() ? second.value : null;
    const found = answer(setting, "");
    const english = look(setting, data.reference);
    byId("beside").textContent = [
      ...(setting.base === null && data.families[setting.family] === null
        ? ["Nothing is known of its family, hence the wide range."] : []),
      ...(found.observed === undefined ? [] : [`Observed: ${found.observed}%.`]),
      ...(setting.language === data.reference ? [] : [`In English: ${whole(english.plugIn)}%.`]),
    ].join(" ");
    if (other) {
      const points = whole(answer(other, "-2").plugIn) - whole(found.plugIn);
      byId("difference").textContent = points === 0 ? "No difference in whole points."
        : `${Math.abs(points)} points ${points > 0 ? "more" : "less"} than above; each range is ` +
          "for one of them alone.";
    }
    byId("compare").textContent = other ? "Stop comparing" : "Compare";
    byId("compare").setAttribute("aria-expanded", String(other !== null));
    byId("sentence").textContent = sentence(setting) + (other ? ` ${sentence(other)}` : "");
    details(setting, found);
    strip(setting, other && modelName(other) !== modelName(setting) ? other : null);
    picture(other ? [setting, other] : [setting]);
    clearTimeout(saying); // said once the hand rests, not at every step of the slider
    saying = setTimeout(() => {
      byId("said").textContent = byId("sentence").textContent;
    }, 400);
  }

  function changed() {
    show();
    toAddress();
  }

  // a box that holds all of its table is no stop on the way of the Tab key
  function stops() {
    for (const box of document.querySelectorAll(".scroll")) {
      box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
    }
  }

  const first = new Controls(byId("first"), "", changed);
  const second = new Controls(byId("second"), "-2", changed);
  const usual = bases.find((one) => one.base === "Qwen3-8B" && modesOf(one.base).length > 1)
    ?? bases.find(isEvaluated) ?? null;
  first.put({
    base: usual && usual.base, mode: usual ? modes.indexOf(modesOf(usual.base).at(-1)) : 0,
    size: Math.max(data.sizes.indexOf(8), 0), family: data.families.indexOf(null),
    language: places.get("swh") ?? data.reference,
  });
  second.put(contrast());
  fromAddress();
  show();

  byId("compare").addEventListener("click", () => {
    byId("compared").hidden = comparing();
    if (comparing()) second.put(contrast());
    changed();
    if (comparing()) byId("model-2").focus();
  });
  document.addEventListener("click", copied);
  byId("save").addEventListener("click", () => save(ownCsv(), "predictions.csv"));
  byId("save-all").addEventListener("click", () => save(everything(), "all-predictions.csv"));
  byId("strip").addEventListener("click", (event) => {
    const row = event.target.closest("[data-language]");
    if (row) first.set({ language: Number(row.dataset.language) });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const one of document.querySelectorAll("details")) { // it has a width now
    one.addEventListener("toggle", () => { if (one.open) { show(); stops(); } });
  }
  window.addEventListener("hashchange", () => { fromAddress(); show(); });
  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    show();
    stops();
  }).observe(document.body);
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
  });
})();
