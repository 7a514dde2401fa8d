// The page: reads the model, draws the sections, keeps what is chosen.

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (!chosen && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** What is chosen, and who wants to know when it changes. */
function newState() {
  const listeners = {};
  const first = Math.max(0, model.pairs.length ? model.measures.findIndex((m) => m.name === model.pairs[0].measure) : 0);
  const best = decidedFirst(model.pairs.filter((p) => p.measure === model.measures[first].name))[0];
  const run = best ? model.runs.findIndex((one) => one.name === best.run) : model.runs.length > 1 ? 1 : 0;
  const state = {
    measure: first, run, query: null, shown: model.runs.map((_, r) => r).slice(0, 3),
    on(name, listener) { (listeners[name] = listeners[name] || []).push(listener); },
    tell(name) { (listeners[name] || []).forEach((listener) => listener()); },
    choose(name, value) {
      state[name] = value;
      if (!state.shown.includes(state.run)) state.shown = [0, state.run];
      state.tell(name);
    },
    toggle(r, on) {
      state.shown = model.runs.map((_, i) => i).filter((i) => (i === r ? on : state.shown.includes(i)));
      state.tell("shown");
    },
    open(q, scroll, silent, jump) {
      state.query = q;
      state.tell("query");
      if (!silent) history.replaceState(null, "", `#q=${encodeURIComponent(wellFormed(model.queries.ids[q]))}`);
      const seen = matchMedia("(max-width: 860px)").matches ? "query-detail" : "explorer"; // the list is above it there
      if (jump) stay(document.getElementById(seen));
      else if (scroll) document.getElementById(seen).scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    },
  };
  return state;
}

/** Jump to an element, again if what is above it grows, until the reader does something. */
function stay(element) {
  const jump = () => element.scrollIntoView({ behavior: "instant" });
  const observer = new ResizeObserver(jump);
  observer.observe(document.getElementById("main"));
  ["wheel", "touchstart", "keydown", "pointerdown"].forEach((event) => addEventListener(event, () => observer.disconnect(), { once: true, passive: true }));
  jump();
}

function openFromLink(state, atStart) {
  const found = /^#q=(.*)$/.exec(location.hash);
  if (!found) {
    const place = atStart && location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (place) stay(place);
    return false;
  }
  let id = found[1];
  try { id = decodeURIComponent(id); } catch { /* a link that was cut off names no query */ }
  const q = model.queries.ids.findIndex((one) => wellFormed(one) === id);
  if (q < 0) {
    document.getElementById("query-detail").replaceChildren(h("p", { role: "alert" }, t("no_such_query", { query: visible(id) })));
    if (atStart) stay(document.getElementById("explorer"));
    return false;
  }
  state.open(q, false, false, atStart);
  return true;
}

function themeChooser(state) {
  const set = (value) => {
    if (value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    state.tell("theme");
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.tell("theme"));
  return select(t("theme"), ["auto", "light", "dark"].map((name) => [name, t(`theme_${name}`)]), "auto", set);
}

function drawPage(extras) {
  const state = newState();
  const sections = [
    verdictSection(state), healthSection(state), tableSection(state), picturesSection(state, extras.pictures),
    ...(model.slices.length ? [slicesSection(state)] : []), explorerSection(state), definitionsSection(),
  ];
  const bar = h("div", { class: "bar" },
    h("nav", { "aria-label": t("contents") }, sections.map((one) => h("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))),
    h("div", { class: "choices", role: "region", "aria-label": t("choices") },
      select(t("measure"), model.measures.map((m, i) => [i, m.name]), state.measure, (value) => state.choose("measure", Number(value))),
      model.runs.length > 2 ? select(t("compared"), model.runs.slice(1).map((run, i) => [i + 1, run.name]), state.run, (value) => state.choose("run", Number(value))) : null,
      themeChooser(state)));
  const app = document.getElementById("app");
  app.replaceChildren(h("a", { class: "skip", href: "#main" }, t("skip")),
    h("header", {}, h("h1", {}, visible(model.title)),
      h("p", { class: "quiet" }, t("subtitle", { runs: model.runs.length, queries: model.queries.ids.length.toLocaleString("en-US"), measures: model.measures.length }))),
    bar, h("main", { id: "main" }, sections));
  app.removeAttribute("aria-busy");
  state.start();
  openFromLink(state, true);
  addEventListener("hashchange", () => openFromLink(state, false));
}

async function start() {
  try {
    const [data, extras] = await Promise.all([unpacked("model"), unpacked("extras")]);
    model = readModel(data);
    const more = JSON.parse(extras);
    strings = more.strings;
    drawPage(more);
    performance.mark("rankstone-drawn");
  } catch (error) {
    console.error(error);
    document.getElementById("app").replaceChildren(h("p", { class: "loading", role: "alert" }, t("failed", { error: error.message }) || error.message));
  }
}

start();
