// Verdict, health, table, slices, definitions: what the model says, in words and tables.

const MARKS = { better: "▲", worse: "▼", undecided: "≈", incomplete: "?", untestable: "–" };

/** Return the confidence of intervals in percent. */
function level() {
  return +(100 * model.confidence).toFixed(2);
}

function pairOf(run, measure) {
  return model.pairs.find((p) => p.run === model.runs[run].name && p.measure === model.measures[measure].name);
}

/** Return the interval of a difference as a small picture: a line over zero. */
function intervalPicture(pair, reach) {
  const at = (value) => 110 + 100 * Math.max(-1, Math.min(1, value / reach));
  return svg("svg", { class: "interval", viewBox: "0 0 220 36", role: "img", "aria-hidden": "true" },
    svg("text", { x: 110, y: 34, "text-anchor": "middle" }, "0"),
    svg("line", { x1: 110, x2: 110, y1: 2, y2: 22, class: "zero" }),
    svg("line", { x1: at(pair.ci_low), x2: at(pair.ci_high), y1: 12, y2: 12, class: "range" }),
    svg("circle", { cx: at(pair.difference), cy: 12, r: 5, class: "dot" }));
}

function numbersOf(pair) {
  const lost = pair.p_value <= 1 - pair.confidence && pair.p_adjusted > 1 - pair.confidence;
  const correction = model.comparison.family > 1 && pair.correction !== "none"
    ? t("brackets", { text: `${({ holm: "Holm", bh: "BH", bonferroni: "Bonferroni" })[pair.correction] || pair.correction}${lost ? t("without_it", { p: pInWords(pair.p_value) }) : ""}` }) : "";
  return t("numbers", {
    difference: signed(pair.difference, 3),
    measure: pair.measure + (pair.higher_is_better ? "" : t("lower")),
    level: +(100 * pair.confidence).toFixed(2), low: signed(pair.ci_low, 3), high: signed(pair.ci_high, 3),
    p: pInWords(pair.p_adjusted), correction, n: pair.n, wins: pair.wins, losses: pair.losses,
  });
}

/** Return what to bear in mind about a verdict: answers that are missing, and what the queries can show. */
function cautions(pair) {
  const lines = [];
  if (pair.incomplete && pair.missing) {
    for (const [name, count] of [[pair.baseline, pair.missing.baseline], [pair.run, pair.missing.run]]) {
      if (count) lines.push(t("no_answer", { run: visible(name), count, n: pair.n }));
    }
    if (pair.common) {
      lines.push(t("no_answer_share", { share: percent(pair.missing.share) }));
      lines.push(t(pair.common.ties === pair.common.n ? "both_same" : `both_${pair.common.verdict}`,
        { run: visible(pair.run), measure: pair.measure, numbers: numbersOf(pair.common) }));
    }
  }
  const judged = pair.incomplete ? pair.common : pair;
  if (judged && judged.verdict === "undecided" && judged.ties < judged.n && judged.detectable) {
    lines.push(t("only_shows", { n: judged.n, detectable: number(judged.detectable, 3) }));
  }
  if (pair.verdict === "untestable" && pair.warnings.length) lines.push(t("sentence", { text: capital(visible(pair.warnings[0].text)) }));
  return [...lines, ...pair.remarks.map(visible)];
}

/** Return sentences as one text; only English has spaces between them. */
function joined(sentences) {
  return sentences.filter(Boolean).join(model.language === "zh" ? "" : " ");
}

function verdictCard(pair, reach) {
  const words = { run: visible(pair.run), baseline: visible(pair.baseline), measure: pair.measure };
  return h("article", { class: `card ${pair.verdict}` },
    h("h3", {}, h("span", { class: "mark", "aria-hidden": "true" }, MARKS[pair.verdict]), " ",
      t(pair.ties === pair.n ? "same" : pair.verdict, words)),
    pair.ci_low === null ? null : intervalPicture(pair, reach),
    h("p", { class: "numbers" }, numbersOf(pair)),
    h("p", { class: "quiet" }, joined(cautions(pair))));
}

/** Return pairs with those that are decided first, the best of them at the head. */
function decidedFirst(pairs) {
  const place = (p) => (p.verdict === "better" ? 0 : p.verdict === "worse" ? 1 : 2);
  const gain = (p) => (place(p) < 2 ? p.difference * (p.higher_is_better ? 1 : -1) : 0);
  return [...pairs].sort((a, b) => place(a) - place(b) || gain(b) - gain(a));
}

function verdictSection(state) {
  const shown = section("verdict", t("verdict"));
  const cards = h("div", { class: "cards" });
  const others = h("div", {});
  shown.append(cards, others);
  const draw = () => {
    cards.replaceChildren();
    others.replaceChildren();
    const pairs = decidedFirst(model.pairs.filter((p) => p.measure === model.measures[state.measure].name));
    if (!pairs.length) {
      model.runs.forEach((run, r) => {
        const ends = model.intervals[r][state.measure];
        cards.append(h("article", { class: "card" },
          h("h3", {}, t("single", { run: visible(run.name), measure: model.measures[state.measure].name, mean: number(model.means[r][state.measure]) })),
          ends && h("p", { class: "numbers" }, t("single_numbers", { level: level(), low: number(ends[0], 3), high: number(ends[1], 3), n: model.queries.ids.length }))));
      });
      return;
    }
    const reach = Math.max(...pairs.flatMap((p) => [Math.abs(p.ci_low || 0), Math.abs(p.ci_high || 0), Math.abs(p.difference || 0)]), 1e-9) * 1.05;
    cards.append(...pairs.map((pair) => verdictCard(pair, reach)));
    const rest = model.pairs.filter((p) => p.measure !== model.measures[state.measure].name);
    if (rest.length && rest.length <= 60) {
      const byRun = model.runs.slice(1).map((run) => [run.name, rest.filter((p) => p.run === run.name)]);
      others.append(h("details", { class: "others" }, h("summary", {}, t("other_measures")),
        byRun.map(([name, own]) => h("p", {}, h("strong", {}, visible(name)), " ",
          own.map((p) => [h("span", { class: `chip ${p.verdict}`, title: numbersOf(p) }, `${MARKS[p.verdict]} ${p.measure} ${signed(p.difference, 3)}`), " "])))));
    }
  };
  state.on("measure", draw);
  draw();
  return shown;
}

function healthSection(state) {
  const ranks = [...new Set(model.runs.flatMap((run) => Object.keys(run.judged)))].sort((a, b) => a - b);
  const measure = model.measures[0].name;
  const ties = model.runs.some((run) => run.ties.documents > 0);
  const all = model.queries.ids.length;
  const tall = (name) => h("th", { scope: "col", rowspan: 2 }, name);
  const heads = h("thead", {},
    h("tr", {}, tall(t("run")), tall(t("answered")), tall(t("retrieved")),
      ranks.length ? h("th", { scope: "colgroup", colspan: ranks.length, class: "over" }, t("judged_at")) : null,
      ties && [tall(t("tied")), tall(t("tie_interval", { measure }))]),
    h("tr", {}, ranks.map((k) => h("th", { scope: "col" }, `@${k}`))));
  const rows = model.runs.map((run, r) => {
    const ends = run.ties.interval[measure];
    return h("tr", {}, h("th", { scope: "row" }, runName(r)),
      h("td", { class: run.answered < all ? "warn" : "" }, `${run.answered.toLocaleString("en-US")} / ${all.toLocaleString("en-US")}`),
      h("td", {}, run.retrieved === null ? "–" : run.retrieved.toLocaleString("en-US")),
      ranks.map((k) => {
        const share = run.judged[k] ?? null;
        return h("td", {}, h("span", { class: "meter", style: { backgroundSize: `${100 * (share || 0)}% 100%` } }, percent(share)));
      }),
      ties && [h("td", {}, `${run.ties.documents.toLocaleString("en-US")} / ${run.ties.retrieved.toLocaleString("en-US")}`),
        h("td", {}, ends ? `${number(ends[0])} – ${number(ends[1])}` : "–")]);
  });
  const groups = new Map();
  model.runs.forEach((run, r) => run.notices.forEach((notice) => {
    const key = `${notice.level} ${notice.text} ${notice.examples.join(" ")}`;
    if (!groups.has(key)) groups.set(key, { notice, runs: [] });
    groups.get(key).runs.push(r);
  }));
  const order = [...groups.values()].sort((a, b) => (a.notice.level === "warning" ? 0 : 1) - (b.notice.level === "warning" ? 0 : 1));
  const own = model.comparison ? model.comparison.notices.filter((n) => n.level !== "info").map((notice) => ({ notice, runs: [] })) : [];
  const list = [...order, ...own].map(({ notice, runs }) => h("li", { class: notice.level },
    h("span", { class: `badge ${notice.level}` }, t(notice.level === "warning" ? "notice_warning" : "notice_note")), " ",
    runs.length && runs.length < model.runs.length ? h("strong", {}, `${runs.map((r) => visible(model.runs[r].name)).join(", ")}: `) : null,
    visible(notice.text),
    notice.examples.length ? h("span", { class: "quiet" }, t("brackets", { text: t("for_example", { examples: notice.examples.map(visible).join(", ") }) })) : null));
  return section("health", t("health"),
    wideTable(t("health"), heads, h("tbody", {}, rows)),
    model.provenance.judgments ? null : h("p", { class: "quiet" }, t("only_values")),
    list.length ? h("ul", { class: "notices" }, list) : model.provenance.judgments && h("p", { class: "fine" }, t("health_fine")));
}

function runName(r) {
  return h("span", { class: "run" }, h("span", { class: "swatch", style: { background: runBackground(r) }, "aria-hidden": "true" }),
    h("span", { class: "run-name" }, visible(model.runs[r].name)));
}

function tableSection(state) {
  const order = model.runs.map((_, r) => r);
  let sorted = null;
  const body = h("tbody", {});
  const place = h("div", { class: "copied" });
  const best = model.measures.map((measure, m) => {
    const means = model.means.map((row) => row[m]).filter((v) => v !== null);
    if (new Set(means).size < 2) return null;
    return measure.higher_is_better ? Math.max(...means) : Math.min(...means);
  });
  const draw = () => body.replaceChildren(...order.map((r) => h("tr", {},
    h("th", { scope: "row" }, runName(r), r === 0 && model.runs.length > 1 ? h("span", { class: "quiet" }, ` ${t("baseline")}`) : null),
    model.measures.map((_, m) => {
      const pair = r > 0 ? pairOf(r, m) : null;
      const ends = model.intervals[r][m];
      const mark = pair && pair.verdict !== "undecided" ? MARKS[pair.verdict] : "";
      return h("td", { class: model.means[r][m] === best[m] ? "best" : "", title: pair ? numbersOf(pair) : null },
        h("span", { class: "value" }, number(model.means[r][m])),
        h("span", { class: `mark ${pair ? pair.verdict : ""}` }, mark ? ` ${mark}` : ""),
        ends && ends[0] !== null ? h("small", {}, `${number(ends[0], 3)} – ${number(ends[1], 3)}`) : null);
    }))));
  const heads = model.measures.map((measure, m) => {
    const head = h("th", { scope: "col", "aria-sort": "none" }, h("button", { type: "button", class: "sort", onclick: () => {
      const down = sorted && sorted[0] === m ? !sorted[1] : true;
      sorted = [m, down];
      order.sort((a, b) => (down ? 1 : -1) * ((model.means[b][m] ?? -Infinity) - (model.means[a][m] ?? -Infinity)));
      heads.forEach((one) => one.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      draw();
    } }, measure.name));
    return head;
  });
  const back = h("th", { scope: "col" }, h("button", { type: "button", class: "sort", onclick: () => {
    sorted = null;
    order.sort((a, b) => a - b);
    heads.forEach((one) => one.setAttribute("aria-sort", "none"));
    draw();
  } }, t("run")));
  draw();
  const button = (key, action) => h("button", { type: "button", onclick: (event) => action(event.target) }, t(key));
  return section("table", t("table"),
    wideTable(t("table"), h("thead", {}, h("tr", {}, back, heads)), body),
    h("p", { class: "quiet note" }, joined([
      model.comparison && t("marks", { baseline: visible(model.comparison.baseline), alpha: +(1 - model.confidence).toFixed(4) }),
      model.intervals.flat().some(Boolean) && t("interval_note", { level: level() }),
      model.weighted && t("weighted_note")])),
    h("p", { class: "buttons" },
      button("copy_md", (own) => copy(model.tables.md, own, place)),
      button("copy_latex", (own) => copy(model.tables.latex, own, place)),
      button("save_csv", () => save("rankstone-results.csv", `${model.tables.csv}\n`, "text/csv;charset=utf-8"))),
    place);
}

/** Return the name of a group; that of the queries without one is in the page's language. */
function groupName(name) {
  return name === "(no group)" ? t("no_group") : visible(name);
}

function slicesSection(state) {
  const body = h("tbody", {});
  const draw = () => body.replaceChildren(...model.slices.map((slice) => h("tr", {},
    h("th", { scope: "row" }, groupName(slice.name)), h("td", {}, String(slice.queries)),
    model.runs.map((_, r) => {
      const value = slice.means[r][state.measure];
      const base = slice.means[0][state.measure];
      const change = r > 0 && value !== null && base !== null ? value - base : null;
      const pair = slice.pairs[r][state.measure];
      const mark = { better: "up", worse: "down" }[pair?.verdict] ?? "";
      const ends = pair && pair.interval[0] !== null ? ` [${pair.interval.map((end) => signed(end, 3)).join(", ")}]` : "";
      const p = pair && pair.p !== null ? `p ${pair.p < 0.001 ? "< 0.001" : `= ${pair.p.toFixed(3)}`}` : "";
      return h("td", {}, h("span", { class: "value" }, number(value)),
        change !== null ? h("small", { class: mark, title: p }, `${signed(change, 3)}${ends}`) : null);
    }))));
  state.on("measure", draw);
  draw();
  return section("slices", t("slices"),
    wideTable(t("slices"), headRow([t("group"), t("queries"), ...model.runs.map((_, r) => runName(r))]), body));
}

function definitionsSection() {
  const provenance = model.provenance;
  const source = (name, data) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "code" }, visible(data.name)),
    h("td", {}, data.bytes === null ? "–" : data.bytes.toLocaleString("en-US")), h("td", { class: "code hash" }, data.sha256 || "–"));
  return section("definitions", t("definitions"),
    h("h3", {}, t("measures")),
    model.measures.map((measure) => h("article", { class: "definition" },
      h("h4", {}, measure.name, h("span", { class: "quiet" }, ` ${measure.title}`)),
      h("p", {}, measure.text), [measure.formula, ...measure.used].map(formula),
      measure.choices.length ? h("p", { class: "quiet" }, `${measure.choices.join(t("semicolon"))}${t("full_stop")}`) : null,
      measure.range[0] === null ? null : h("p", { class: "quiet" }, t("range", {
        low: number(measure.range[0], 0), high: measure.range[1] === null ? t("unbounded") : number(measure.range[1], 0),
        direction: t(measure.higher_is_better ? "higher" : "lower_better"), aggregate: t(`word_${measure.aggregate}`),
      }), " ", Object.entries(measure.conventions).map(([name, value]) => `${name}=${value}`).join(", ")))),
    model.conventions.length ? h("h3", {}, t("conventions")) : null,
    provenance.like ? h("p", {}, t("like", { tool: provenance.like })) : null,
    provenance.choices ? h("p", {}, t("made_by", { made: provenance.choices })) : null,
    model.conventions.length ? wideTable(t("conventions"), headRow([t("convention"), t("meaning")], [1]),
      h("tbody", {}, model.conventions.map((row) => h("tr", {}, h("th", { scope: "row", class: "choice" }, h("code", {}, `${row.name}=`, h("wbr"), row.value)),
        h("td", { class: "left" }, row.text, row.meaning ? `${t("colon")}${row.meaning}` : "", " ",
          row.usual ? null : h("span", { class: "badge warning" }, t("not_usual"))))))) : null,
    model.comparison ? [h("h3", {}, t("statistics")), h("p", {}, `${capital(model.comparison.method)}${t("full_stop")}`)] : null,
    provenance.judgments ? [h("h3", {}, t("sources")), wideTable(t("sources"), headRow([t("input"), t("file"), t("bytes"), "SHA-256"], [1, 3]), h("tbody", {},
      source(t("judgments"), provenance.judgments), model.runs.map((run) => source(visible(run.name), run.source))))] : null,
    h("p", {}, t("made_with", { version: provenance.rankstone, engine: provenance.engine, python: provenance.python, numpy: provenance.numpy })),
    provenance.command ? command(t("again"), provenance.command) : null,
    h("p", { class: "quiet" }, t("plain_model", { schema: model.schema })));
}

/** Return a command after a sentence about it, and a button to copy it. */
function command(words, text) {
  const place = h("div", { class: "copied" });
  return [h("p", {}, words), h("pre", {}, h("code", {}, visible(text))),
    h("p", { class: "buttons" }, h("button", { type: "button", onclick: (event) => copy(text, event.target, place) }, t("copy_command"))), place];
}
