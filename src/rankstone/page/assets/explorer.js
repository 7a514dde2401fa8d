// The query explorer: a list that draws only what is in view, rankings side by side, the working.

const ROW = 44; // height of a line of the list, as in the style sheet
const HEADS = 34; // height of its heads

function explorerSection(state) {
  const list = h("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": t("explorer") });
  const inner = h("div", { class: "inner" });
  const heads = h("div", { class: "heads", "aria-hidden": "true" });
  list.append(heads, inner);
  const count = h("p", { class: "quiet", role: "status" });
  const detail = h("div", { class: "detail", id: "query-detail", tabindex: "-1" }, h("p", { class: "quiet" }, t("choose")));
  let order = [];
  const filters = { search: "", show: "all", sort: model.runs.length > 1 ? "worst" : "low" };
  const texts = model.queries.ids.map((id, q) => `${id} ${(model.queries.texts && model.queries.texts[q]) || ""}`.toLowerCase());

  const value = (r, q) => model.values[r][state.measure][q];
  const sign = () => (model.measures[state.measure].higher_is_better ? 1 : -1);
  function change(q) {
    if (model.runs.length < 2) return null;
    const [before, after] = [value(0, q), value(state.run, q)];
    return before === null || after === null ? null : after - before;
  }

  function matches(q) {
    if (filters.search && !texts[q].includes(filters.search)) return false;
    const [kind, which] = filters.show.split(":");
    const moved = (change(q) ?? 0) * sign();
    if (kind === "better") return moved > 1e-9;
    if (kind === "worse") return moved < -1e-9;
    if (kind === "same") return Math.abs(moved) <= 1e-9;
    if (kind === "unanswered") return model.rankings.retrieved.some((row) => row[q] === 0);
    if (kind === "group") return model.queries.groups[q] === Number(which);
    return true;
  }

  function arranged() {
    const [own, name] = [visible(model.runs[state.run].name), model.measures[state.measure].name];
    heads.replaceChildren(h("span", { class: "name" }, h("span", {}, t("query"))), h("span", { class: "number", title: own }, own),
      model.runs.length > 1 ? h("span", { class: "number", title: t("difference") }, "Δ") : "");
    list.setAttribute("aria-label", `${t("explorer")}${t("colon")}${own}, ${name}`);
    order = model.queries.ids.map((_, q) => q).filter(matches);
    const key = {
      worst: (q) => (change(q) ?? Infinity) * sign(), best: (q) => -(change(q) ?? -Infinity) * sign(),
      low: (q) => value(state.run, q) ?? Infinity, high: (q) => -(value(state.run, q) ?? -Infinity),
    }[filters.sort];
    if (key) {
      const keys = new Map(order.map((q) => [q, key(q)]));
      order.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
    }
    inner.style.height = `${Math.max(1, order.length) * ROW}px`;
    count.textContent = order.length ? t("matching", { n: order.length, all: model.queries.ids.length }) : t("none_matching");
    drawList();
  }

  function line(q, place) {
    const moved = change(q);
    const good = moved !== null && moved * sign() > 0;
    return h("div", {
      class: "line", role: "option", id: `line-${q}`, "aria-selected": String(state.query === q),
      "aria-posinset": place + 1, "aria-setsize": order.length,
      style: { transform: `translateY(${place * ROW}px)` }, onclick: () => state.open(q, false),
    },
    h("span", { class: "name" }, h("span", { class: "id" }, visible(model.queries.ids[q])),
      model.queries.texts && model.queries.texts[q] ? h("span", { class: "text" }, prose(model.queries.texts[q])) : null),
    h("span", { class: "number" }, number(value(state.run, q), 3)),
    moved !== null ? h("span", { class: `number ${Math.abs(moved) < 1e-9 ? "" : good ? "up" : "down"}` }, signed(moved, 3)) : null);
  }

  function drawList() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 8);
    const last = Math.min(order.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 8);
    inner.replaceChildren(...order.slice(first, last).map((q, i) => line(q, first + i)));
    if (state.query !== null) list.setAttribute("aria-activedescendant", `line-${state.query}`);
  }

  function show(q) {
    const place = order.indexOf(q);
    if (place < 0) return;
    if (place * ROW < list.scrollTop) list.scrollTop = place * ROW;
    else if ((place + 1) * ROW > list.scrollTop + list.clientHeight - HEADS) list.scrollTop = (place + 1) * ROW - list.clientHeight + HEADS;
  }

  function step(by) {
    const place = order.indexOf(state.query);
    const next = order[Math.max(0, Math.min(order.length - 1, place < 0 ? 0 : place + by))];
    if (next !== undefined) state.open(next, false);
  }

  let waiting = false;
  list.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawList(); });
  }, { passive: true });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  });

  state.on("query", () => {
    show(state.query);
    drawList();
    detail.replaceChildren(...queryDetail(state, step));
  });
  const again = () => {
    arranged();
    if (state.query === null) return;
    show(state.query);
    detail.replaceChildren(...queryDetail(state, step));
  };
  state.on("measure", again);
  state.on("run", again);
  state.on("shown", () => state.query !== null && detail.replaceChildren(...queryDetail(state, step)));

  const several = model.runs.length > 1;
  const shows = [["all", t("show_all")],
    ...(several ? [["better", t("show_better")], ["worse", t("show_worse")], ["same", t("show_same")]] : []),
    ...(model.rankings ? [["unanswered", t("show_unanswered")]] : []),
    ...(model.queries.groups ? model.queries.group_names.map((group, i) => [`group:${i}`, t("show_group", { group: groupName(group) })]) : [])];
  const sorts = [...(several ? [["worst", t("sort_worst")], ["best", t("sort_best")]] : []),
    ["low", t("sort_low")], ["high", t("sort_high")], ["id", t("sort_id")]];
  const search = h("input", { type: "search", id: "search", placeholder: t("search_hint"), oninput: (event) => {
    filters.search = event.target.value.trim().toLowerCase();
    list.scrollTop = 0;
    arranged();
  } });
  const controls = h("div", { class: "controls" },
    h("label", { class: "field grow" }, h("span", {}, t("search")), search),
    select(t("show"), shows, filters.show, (own) => { filters.show = own; list.scrollTop = 0; arranged(); }),
    select(t("sort"), sorts, filters.sort, (own) => { filters.sort = own; list.scrollTop = 0; arranged(); }));
  const shown = section("explorer", t("explorer"), controls, count,
    h("div", { class: "explorer" }, list, detail));
  state.start = () => { arranged(); if (order.length && state.query === null) state.open(order[0], false, true); };
  return shown;
}

function queryDetail(state, step) {
  const q = state.query;
  const id = model.queries.ids[q];
  const text = model.queries.texts && model.queries.texts[q];
  const link = `#q=${encodeURIComponent(wellFormed(id))}`;
  const copied = h("div", { class: "copied" });
  const parts = [h("div", { class: "query-head" },
    h("h3", {}, visible(id)),
    h("span", { class: "buttons" },
      h("button", { type: "button", onclick: () => step(-1), "aria-label": t("previous") }, "↑"),
      h("button", { type: "button", onclick: () => step(1), "aria-label": t("next") }, "↓"),
      h("a", { class: "link", href: link, onclick: (event) => {
        event.preventDefault();
        copy(new URL(link, location.href).href, event.target, copied);
      } }, t("link")))), copied];
  if (text) parts.push(h("p", { class: "query-text" }, prose(text)));
  parts.push(wideTable(t("query"), headRow([t("run"), ...model.measures.map((m) => m.name)]), h("tbody", {},
    model.runs.map((_, r) => h("tr", {}, h("th", { scope: "row" }, runName(r)),
      model.measures.map((_, m) => h("td", { class: m === state.measure ? "chosen" : "" }, number(model.values[r][m][q]))))))));
  if (model.rankings) parts.push(...rankingsOf(state, q), ...workingsOf(state, q));
  return parts;
}

function wellFormed(text) {
  return text.toWellFormed ? text.toWellFormed() : text;
}

function gradeClass(grade) {
  if (grade === null) return "unjudged";
  if (grade <= 0) return "g0";
  return `g${Math.max(1, Math.min(5, Math.ceil((5 * grade) / Math.max(1, model.maxGrade))))}`;
}

const DOCUMENT = 34; // height of a document, as in the style sheet
const TALL = 50; // with a text

function rankingsOf(state, q) {
  const rankings = model.rankings;
  const ids = rankings.documents(q);
  const grades = rankings.grades(q);
  const height = Object.keys(rankings.texts).length ? TALL : DOCUMENT;
  const shown = state.shown;
  const chooser = model.runs.length > 2 ? h("fieldset", { class: "runs" }, h("legend", {}, t("shown_runs")),
    model.runs.map((_, r) => h("label", {}, h("input", { type: "checkbox", checked: shown.includes(r), onchange: (event) => state.toggle(r, event.target.checked) }), runName(r)))) : null;
  const columns = [];
  const marked = (doc, on) => grid.querySelectorAll(`[data-doc="${doc}"]`).forEach((one) => one.classList.toggle("lit", on));
  shown.forEach((r, place) => {
    const own = rankings.places(r, q);
    const left = place > 0 ? rankings.places(shown[place - 1], q) : [];
    if (place > 0) columns.push(movesBetween(left, own, grades, height));
    const before = left.length ? left : null;
    const items = own.map((doc, i) => {
      const grade = grades[doc] ?? null;
      const label = doc < 0 ? t("unknown_document") : visible(ids[doc]);
      const was = before && doc >= 0 ? before.indexOf(doc) : null;
      const moved = was === null || was === i ? null : was < 0 ? `>${left.length}` : was > i ? `▲${was - i}` : `▼${i - was}`;
      const spoken = was === null || was === i ? "" : was < 0 ? t("moved_from_below", { depth: left.length })
        : t(was > i ? "moved_up" : "moved_down", { n: Math.abs(was - i) });
      const body = doc >= 0 && rankings.texts[ids[doc]] ? prose(rankings.texts[ids[doc]]) : null;
      return h("li", { class: gradeClass(grade), "data-doc": doc, title: body ? `${label}\n${body}` : label,
        onmouseenter: () => marked(doc, true), onmouseleave: () => marked(doc, false) },
      h("span", { class: "rank" }, String(i + 1)),
      h("span", { class: "grade", "aria-label": grade === null ? t("unjudged") : t("grade", { grade }) }, grade === null ? "?" : String(grade)),
      h("span", { class: "name" }, h("span", { class: "id" }, label), body ? h("span", { class: "text" }, body) : null),
      before ? h("span", { class: "moved", "aria-label": spoken, title: spoken }, moved) : null);
    });
    columns.push(h("div", { class: "column" }, h("h4", {}, runName(r),
      h("span", { class: "quiet" }, own.length ? t("of_retrieved", { shown: own.length, all: rankings.retrieved[r][q] }) : "")),
    own.length ? h("ol", { class: height === TALL ? "tall" : "" }, items) : h("p", { class: "quiet" }, t("nothing_retrieved")),
    missedBy(own, ids, grades)));
  });
  const grid = h("div", { class: "rankings" }, columns);
  const levels = [...new Set(grades)].sort((a, b) => a - b);
  const legend = h("p", { class: "legend" }, t("legend"), t("colon"),
    levels.map((g) => h("span", { class: `key ${gradeClass(g)}` }, String(g))), h("span", { class: "key unjudged" }, `? ${t("unjudged")}`));
  if (!shown.length) return [h("h4", {}, t("rankings")), chooser, h("p", { class: "quiet" }, t("no_runs_shown"))];
  return [h("h4", {}, t("rankings")), ...(chooser ? [chooser] : []), h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("rankings") }, grid), legend];
}

const MISSED = 10; // relevant documents that are named

/** Return the relevant documents that are not among the first of a run. */
function missedBy(own, ids, grades) {
  const from = model.rankings.relevantFrom;
  if (from === null) return null;
  const missed = grades.map((grade, doc) => [grade, doc]).filter(([grade, doc]) => grade >= from && !own.includes(doc));
  if (!missed.length) return null;
  missed.sort((a, b) => b[0] - a[0]);
  const rest = missed.length - MISSED;
  return h("p", { class: "missed" }, h("span", { class: "quiet" }, `${t("missed", { depth: model.rankings.depth })} `),
    missed.slice(0, MISSED).map(([grade, doc]) => h("span", { class: "doc", title: visible(ids[doc]) },
      h("span", { class: `key ${gradeClass(grade)}` }, String(grade)), h("span", { class: "id" }, visible(ids[doc])))),
    rest > 0 ? h("span", { class: "quiet" }, t("missed_more", { n: rest })) : null);
}

/** Return the lines between the places of a document in two columns. */
function movesBetween(before, after, grades, height) {
  const deepest = Math.max(before.length, after.length, 1);
  const y = (place) => place * height + height / 2;
  const lines = [];
  after.forEach((doc, i) => {
    const was = doc < 0 ? -1 : before.indexOf(doc);
    if (was < 0) return;
    lines.push(svg("path", { d: `M0 ${y(was)} C 28 ${y(was)}, 28 ${y(i)}, 56 ${y(i)}`, "data-doc": doc, class: `move ${gradeClass(grades[doc] ?? null)}` }));
  });
  return svg("svg", { class: "moves", width: 56, height: deepest * height, viewBox: `0 0 56 ${deepest * height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, lines);
}

function workingsOf(state, q) {
  const measure = model.measures[state.measure];
  const own = model.workings.filter((w) => w.measure === state.measure);
  const title = h("h4", {}, `${t("working")}${t("colon")}${measure.name}`);
  if (!own.length) {
    const files = [model.provenance.judgments, ...(state.shown.length ? state.shown : [state.run]).map((r) => model.runs[r].source)];
    const words = ["rankstone", "explain", measure.name, ...files.map((source) => source.name), "--query", model.queries.ids[q]];
    return [title, ...command(t("no_working", { measure: measure.name }), `${words.map(quoted).join(" ")} ${model.provenance.explain_options}`.trim())];
  }
  const shown = state.shown.map((r) => own.find((w) => w.run === r)).filter(Boolean);
  const ideal = (own.find((w) => w.ideal) || {}).ideal;
  return [title, formula(measure.formula), h("div", { class: "workings" }, shown.map((w) => workingOf(w, q)),
    ideal ? h("div", { class: "working" }, h("h5", {}, t("ideal")), stepsTable(ideal, q, t("ideal"))) : null)];
}

/** Return a word of a command as a shell reads it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function workingOf(working, q) {
  const name = model.measures[working.measure].name;
  const value = model.values[working.run][working.measure][q];
  const at = (column) => (column ? column[q] : null);
  const lines = [];
  if (working.steps) {
    const { bounds, term } = working.steps;
    const sum = term.slice(bounds[q], bounds[q + 1]).reduce((x, y) => x + (y || 0), 0);
    const rest = (at(working.total) ?? sum) - (at(working.constant) || 0) - sum;
    if (Math.abs(rest) > 1e-5) lines.push(h("p", { class: "quiet" }, t("below", { depth: model.rankings.depth, rest: number(rest) })));
    if (at(working.constant)) lines.push(h("p", { class: "quiet" }, t("constant", { constant: plain(at(working.constant)) })));
  }
  let put = "";
  if (working.expression) {
    put = working.expression.replace(/[A-Za-z_]\w*/g, (word) => (word in working.parts ? plain(at(working.parts[word])) : word));
  } else if (at(working.denominator) === 0) {
    lines.push(h("p", { class: "quiet" }, t("nothing_to_divide", { value: plain(value) })));
  } else if (at(working.total) !== null && at(working.denominator) !== null) {
    put = `${plain(at(working.total))} / ${plain(at(working.denominator))}`;
  }
  const retrieved = model.rankings.retrieved[working.run][q];
  const until = Math.min(working.cutoff || 0, retrieved, model.rankings.depth);
  return h("div", { class: "working" }, h("h5", {}, runName(working.run)),
    working.steps && retrieved === 0 ? h("p", { class: "quiet" }, t("nothing_retrieved"))
      : working.steps ? stepsTable(working.steps, q, model.runs[working.run].name, until) : null, lines,
    h("p", { class: "outcome" }, h("code", {}, [name, put, number(value)].filter(Boolean).join(" = "))));
}

/** Return a table of steps; ranks without one, down to ``until``, are those of documents that are not judged. */
function stepsTable(steps, q, label, until = 0) {
  const ids = model.rankings.documents(q);
  const [a, b] = [steps.bounds[q], steps.bounds[q + 1]];
  if (a === b) return h("p", { class: "quiet" }, t("no_steps", { depth: model.rankings.depth }));
  const names = Object.keys(steps.columns);
  const heads = [...(steps.rank ? [t("rank")] : []), ...(steps.documents ? [t("document")] : []),
    ...(steps.grade ? [t("grade_head")] : []), ...names.map((name) => t(`word_${name}`)), t("term"), t("sum")];
  let sum = 0;
  let last = 0;
  const rows = [];
  for (let i = a; i < b; i += 1) {
    sum += steps.term[i] || 0;
    if (steps.rank && steps.documents && steps.rank[i] > last + 1) rows.push(unjudgedRow(last + 1, steps.rank[i] - 1, heads.length));
    if (steps.rank) last = steps.rank[i];
    const doc = steps.documents ? steps.documents[i] : null;
    rows.push(h("tr", {}, steps.rank ? h("td", {}, String(steps.rank[i])) : null,
      doc !== null ? h("td", { class: "left" }, doc < 0 ? "–" : visible(ids[doc])) : null,
      steps.grade ? h("td", {}, h("span", { class: `key ${gradeClass(steps.grade[i])}` }, String(steps.grade[i]))) : null,
      names.map((name) => {
        const cell = steps.columns[name][i];
        return h("td", {}, typeof cell === "boolean" ? t(cell ? "yes" : "no") : plain(cell));
      }), h("td", {}, plain(steps.term[i])), h("td", {}, plain(+sum.toFixed(6)))));
  }
  if (steps.rank && steps.documents && until > last) rows.push(unjudgedRow(last + 1, until, heads.length));
  return wideTable(visible(label), headRow(heads, [heads.indexOf(t("document"))]), h("tbody", {}, rows));
}

/** Return a row for ranks whose documents are not judged. */
function unjudgedRow(first, last, width) {
  return h("tr", { class: "unjudged-row" }, h("td", {}, first === last ? String(first) : `${first}–${last}`),
    h("td", { class: "left quiet", colspan: width - 1 }, t("unjudged_row")));
}
