// Pictures: the definitions come with the page as Vega-Lite; here they get rows, a width and a theme.

let charts = null;

/** Load the chart library, which the page holds compressed; its checksum is in the page's policy. */
function chartLibrary() {
  charts = charts || unpacked("charts").then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
    if (!window.vegaEmbed) throw new Error("the chart library did not start");
    return window.vegaEmbed;
  });
  return charts;
}

/** Rows of each picture, from the model and what is chosen. */
const ROWS = {
  differences: (state) => pairRows(state),
  scatter: (state) => pairRows(state),
  distribution: (state) => model.runs.flatMap((run, r) => model.values[r][state.measure]
    .map((value, q) => ({ run: visible(run.name), place: r, query: visible(model.queries.ids[q]), value })).filter((row) => row.value !== null)),
  cutoffs: (state) => {
    const family = cutoffFamily(state.measure);
    return family ? model.runs.flatMap((run, r) => family.k.map((k, i) => ({ run: visible(run.name), k, value: family.means[r][i] }))) : [];
  },
  roc: () => curveRows("roc"),
  pr: () => curveRows("pr"),
  tradeoff: (state) => (accuracyOf(state) < 0 || model.runs.length < 2 ? [] : model.measures.flatMap((measure, m) => (measure.beyond_accuracy ? model.runs
    .map((run, r) => ({ run: visible(run.name), measure: measure.name + (measure.higher_is_better ? "" : t("lower")), place: m, x: model.means[r][m], y: model.means[r][accuracyOf(state)] }))
    .filter((row) => row.x !== null && row.y !== null) : []))),
  exposure: () => model.runs.flatMap((run) => (run.exposure || []).map((share, i) => ({ run: visible(run.name), group: 10 * (i + 1), share }))),
  judged: () => model.runs.flatMap((run) => run.judged_by_rank.map((share, i) => ({ run: visible(run.name), rank: i + 1, share }))
    .filter((row) => row.share !== null)),
};

/** Return the place of the chosen measure if it is one of accuracy, else of the first that is; -1 for none. */
function accuracyOf(state) {
  return model.measures[state.measure].beyond_accuracy ? model.measures.findIndex((measure) => !measure.beyond_accuracy) : state.measure;
}

function pairRows(state) {
  if (model.runs.length < 2) return [];
  const before = model.values[0][state.measure];
  const after = model.values[state.run][state.measure];
  const sign = model.measures[state.measure].higher_is_better ? 1 : -1;
  return model.queries.ids.map((id, q) => ({ q, query: visible(id), baseline: before[q], value: after[q], sign }))
    .filter((row) => row.baseline !== null && row.value !== null);
}

function cutoffFamily(measure) {
  const families = Object.entries(model.cutoffs);
  const base = (name) => name.replace(/@.*$/, "");
  const own = families.find(([name]) => name === base(model.measures[measure].name));
  return (own || families[0] || [null, null])[1];
}

function cutoffName(measure) {
  const family = cutoffFamily(measure);
  return (Object.entries(model.cutoffs).find(([, one]) => one === family) || [""])[0];
}

function curveRows(kind) {
  return model.runs.flatMap((run) => {
    if (!run.curves[kind]) return [];
    const [x, y] = run.curves[kind];
    const name = `${run.areas[kind].toFixed(3)} ${visible(run.name)}`; // names may be cut, areas not
    return x.map((value, i) => ({ run: name, x: value, y: y[i] }));
  });
}

/** Fill what a definition leaves open: words in braces, and the order of runs. */
function completed(definition, words) {
  return JSON.parse(JSON.stringify(definition), (_, value) => (typeof value === "string" && value.startsWith("§")
    ? value.slice(1).replace(/\{(\w+)\}/g, (all, name) => (name in words ? words[name] : all)) : value));
}

/** Return how many names of runs fit beside each other in a legend, and how wide one may be. */
function legendSize(rows, width) {
  const longest = rows.reduce((most, row) => Math.max(most, (row.run || "").length), 0);
  return { columns: Math.max(1, Math.floor(width / (40 + 8 * longest))), limit: Math.max(100, width - 30) };
}

/** Return how many panels fit beside each other with their titles, and panels of that width. */
function panels({ facet, spec }, rows, width) {
  const titles = [...new Set(rows.map((row) => row.measure))];
  const widest = Math.max(200, ...titles.map((title) => 7 * title.length));
  const columns = Math.min(titles.length, Math.max(1, Math.floor(width / widest)));
  const own = Math.floor((width - 60) / columns) - 20;
  return { columns, facet: { ...facet, header: { ...facet.header, labelLimit: own } }, spec: { ...spec, width: own } };
}

const tooltip = h("div", { id: "tooltip", role: "tooltip", hidden: true });

function showTooltip(handler, event, item, value) {
  if (!value) {
    tooltip.hidden = true;
    return;
  }
  tooltip.replaceChildren(...Object.entries(value).map(([name, shown]) => h("div", {}, h("span", {}, name), " ", h("b", {}, String(shown)))));
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  tooltip.style.left = `${Math.min(event.clientX + 14, innerWidth - box.width - 8)}px`;
  tooltip.style.top = `${Math.min(event.clientY + 14, innerHeight - box.height - 8)}px`;
}

/** Call a function when the page has nothing else to do. */
function idle(later) {
  if (window.requestIdleCallback) requestIdleCallback(later, { timeout: 5000 });
  else setTimeout(later, 2000);
}

function pictureFigure(name, definitions, state) {
  const canvas = h("div", { class: "canvas", role: "img", "aria-label": t(`picture_${name}`) });
  const caption = h("figcaption", {});
  const details = h("details", {}, h("summary", {}, t("as_table")));
  const figure = h("figure", { class: `picture ${name}`, id: `picture-${name}` },
    h("h3", {}, t(`picture_${name}`)), canvas, caption);
  const paper = h("div", { class: "paper", "aria-hidden": "true" }); // a light copy of a dark picture, for print
  canvas.after(paper);
  let view = null;
  let drawing = 0;
  let lightView = null; // pictures are saved as on paper
  async function saved(kind) {
    if (!lightView) return;
    const light = await lightView();
    const of = words(ROWS[name](state));
    const parts = { differences: [of.run, of.baseline, of.measure], scatter: [of.run, of.baseline, of.measure], cutoffs: [of.measure], distribution: [of.measure] }[name] || [];
    const file = ["rankstone", name, ...parts].join("-").replace(/[^\w.@-]+/g, "_");
    saveUrl(`${file}.${kind}`, await light.toImageURL(kind, kind === "png" ? 3 : 1));
    if (light !== view) light.finalize();
  }
  figure.append(h("p", { class: "buttons" },
    h("button", { type: "button", onclick: () => saved("svg") }, t("save_svg")),
    h("button", { type: "button", onclick: () => saved("png") }, t("save_png"))), details);
  const words = (rows) => ({
    ...legendSize(rows, canvas.clientWidth - 60), size: rows.length > 500 ? 16 : 55,
    run: model.runs.length > 1 ? visible(model.runs[state.run].name) : "",
    baseline: visible(model.runs[0].name),
    measure: name === "cutoffs" ? cutoffName(state.measure) : model.measures[state.measure].name,
    accuracy: (model.measures[accuracyOf(state)] || {}).name,
  });
  async function draw() {
    const rows = ROWS[name](state);
    figure.hidden = !rows.length;
    if (!rows.length) return;
    const own = ++drawing;
    caption.textContent = t(`caption_${name}`, words(rows));
    details.replaceChildren(details.firstChild);
    details.open = false;
    details.ontoggle = () => details.open && details.children.length === 1 && details.append(rowTable(name, rows, words(rows)));
    const embed = await chartLibrary();
    if (own !== drawing) return;
    const definition = completed(definitions.pictures[name], words(rows));
    const width = Math.max(200, canvas.clientWidth - 8);
    const spec = { ...definition, description: `${t(`picture_${name}`)}. ${caption.textContent}`, data: { values: rows } };
    if (definition.facet) Object.assign(spec, panels(definition, rows, width));
    else Object.assign(spec, { width, autosize: { type: "fit-x", contains: "padding" } });
    if (definition.height && definition.height.step) spec.height = definition.height.step * model.runs.length;
    const dark = isDark();
    const drawn = (place, theme) => embed(place, spec, {
      ast: true, actions: false, defaultStyle: false, renderer: "canvas",
      config: definitions.themes[theme], tooltip: showTooltip,
    });
    const result = await drawn(canvas, dark ? "dark" : "light");
    if (view) view.finalize();
    view = result.view;
    lightView = async () => (dark ? (await drawn(h("div", {}), "light")).view : view);
    view.addEventListener("click", (_, item) => {
      if (item && item.datum && item.datum.q !== undefined) state.open(item.datum.q, true);
    });
    figure.dataset.drawn = "true";
    canvas.classList.toggle("dark", dark);
    paper.replaceChildren();
    if (dark) idle(async () => own === drawing && (await drawn(paper, "light")).view.finalize());
  }
  // What is in sight is drawn first, the rest when the page has nothing else to do: it may be printed.
  const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && begin(), { rootMargin: "300px" });
  function begin() {
    if (!figure.waiting) return;
    seen.disconnect();
    figure.waiting = false;
    figure.draw();
  }
  figure.waiting = true;
  seen.observe(figure);
  idle(begin);
  addEventListener("beforeprint", begin);
  figure.draw = () => figure.waiting || draw().catch(console.error);
  return figure;
}

/** The columns of each picture's numbers: a head and the text of a row's cell. */
function columnsOf(name, words) {
  const run = [t("run"), (row) => row.run];
  const query = [t("query"), (row) => row.query];
  const both = [query, [words.baseline, (row) => number(row.baseline)], [words.run, (row) => number(row.value)]];
  return {
    differences: [...both, [t("difference"), (row) => signed(row.value - row.baseline)]],
    scatter: both,
    cutoffs: [run, [t("axis_k"), (row) => String(row.k)], [words.measure, (row) => number(row.value)]],
    distribution: [run, query, [words.measure, (row) => number(row.value)]],
    roc: [run, [t("axis_fpr"), (row) => number(row.x)], [t("axis_tpr"), (row) => number(row.y)]],
    pr: [run, [t("axis_recall"), (row) => number(row.x)], [t("axis_precision"), (row) => number(row.y)]],
    tradeoff: [run, [t("measure"), (row) => row.measure], [t("axis_mean"), (row) => number(row.x)], [words.accuracy, (row) => number(row.y)]],
    exposure: [run, [t("axis_popularity"), (row) => String(row.group)], [t("axis_exposure"), (row) => percent(row.share, 1)]],
    judged: [run, [t("axis_rank"), (row) => String(row.rank)], [t("axis_share"), (row) => percent(row.share, 1)]],
  }[name];
}

function rowTable(name, rows, words) {
  const columns = columnsOf(name, words);
  const ordered = name === "differences" ? [...rows].sort((a, b) => (b.value - b.baseline) - (a.value - a.baseline)) : rows;
  const some = ordered.slice(0, 500);
  return h("div", {}, h("p", { class: "quiet" }, t("rows_of", { shown: some.length, all: rows.length })),
    wideTable(t(`picture_${name}`), headRow(columns.map(([head]) => head)),
      h("tbody", {}, some.map((row) => h("tr", {}, columns.map(([, cell]) => h("td", {}, cell(row))))))));
}

function picturesSection(state, definitions) {
  if (!definitions) return section("pictures", t("pictures"), h("p", { class: "quiet" }, t("no_pictures")));
  const figures = Object.keys(definitions.pictures).map((name) => pictureFigure(name, definitions, state));
  const pending = new Set();
  let busy = false;
  const draw = async (some) => { // one after another, so that the page answers between them
    some.forEach((figure) => pending.add(figure));
    if (busy) return;
    busy = true;
    for (const figure of pending) {
      pending.delete(figure);
      await figure.draw();
      await new Promise((resume) => { setTimeout(resume); });
    }
    busy = false;
  };
  const all = () => draw(figures);
  state.on("measure", () => draw(figures.slice(0, 5)));
  state.on("run", () => draw(figures.slice(0, 2)));
  state.on("theme", all);
  addEventListener("beforeprint", () => figures.forEach((figure) => { figure.waiting = false; figure.draw(); }));
  let width = innerWidth;
  let timer = null;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(all, 200);
  });
  document.body.append(tooltip);
  return section("pictures", t("pictures"), h("div", { class: "figures" }, figures));
}
