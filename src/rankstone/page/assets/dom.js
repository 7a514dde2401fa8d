// Elements, texts and numbers. Text from outside becomes text nodes only; nothing is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const MATH = "http://www.w3.org/1998/Math/MathML";

let model = null;
let strings = {};

/** Return an element: h("p", {class: "x", onclick: f}, "text", child). */
function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Return a text of the page's language with its names filled in: {n} a value, {n|one|many} a word for it. */
function t(key, values) {
  const text = strings[key] === undefined ? key : strings[key];
  return text.replace(/\{(\w+)(?:\|(\w+)\|(\w+))?\}/g, (_, name, one, many) => {
    const own = values && name in values ? values[name] : "";
    const value = Number.isInteger(own) ? own.toLocaleString("en-US") : String(own);
    return one ? (value === "1" ? one : many) : value;
  });
}

function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) > 1) return value.toLocaleString("en-US");
  return value.toFixed(digits);
}

/** Return a number of a working as explain writes it: whole ones without digits after the point. */
function plain(value) {
  return Number.isInteger(value) ? String(value) : number(value);
}

function signed(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  return (Number(text) === 0 ? "±" : value > 0 ? "+" : "−") + text;
}

function percent(value, digits = 0) {
  return value === null || value === undefined ? "–" : t("percent", { n: (100 * value).toFixed(digits) });
}

function pInWords(p) {
  if (p === null || p === undefined) return "p = –";
  return p < 0.001 ? "p < 0.001" : p < 0.1 ? `p = ${p.toFixed(3)}` : `p = ${p.toFixed(2)}`;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Return text with control characters made visible, so that ids cannot reorder or hide others. */
function visible(text) {
  return String(text).replace(CONTROLS, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Return a text of a query or document likewise; joiners stay, which Persian, Hindi and emoji need. */
function prose(text) {
  return String(text).replace(CONTROLS, (c) => (c === "\u200c" || c === "\u200d" ? c : visible(c)));
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function select(label, options, value, onchange) {
  const list = h("select", { onchange: (event) => onchange(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, visible(text))));
  return h("label", { class: "field" }, h("span", {}, label), list);
}

function section(id, title, ...children) {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), children);
}

/** Return a table that scrolls sideways on its own if it is too wide. */
function wideTable(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    h("table", {}, h("caption", { class: "hidden" }, label), children));
}

/** Return the heads of a table; the columns in `left` are texts. */
function headRow(names, left = []) {
  return h("thead", {}, h("tr", {}, names.map((name, i) => h("th", { scope: "col", class: left.includes(i) ? "left" : null }, name))));
}

function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  saveUrl(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function saveUrl(name, url) {
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

async function copy(text, button, place) {
  try {
    await navigator.clipboard.writeText(text);
    const before = button.textContent;
    button.textContent = t("copied");
    setTimeout(() => { button.textContent = before; }, 1500);
  } catch {
    const area = h("textarea", { rows: 8, readonly: true, "aria-label": t("select_and_copy") });
    area.value = text;
    place.replaceChildren(h("p", {}, t("select_and_copy")), area);
    area.select();
  }
}

/** Return what a script element of the page holds, decompressed. */
async function unpacked(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const runColours = ["--run-0", "--run-1", "--run-2", "--run-3", "--run-4", "--run-5", "--run-6", "--run-7"];
/** Return the background of a run's mark; where colours begin again it has gaps, as lines have. */
function runBackground(run) {
  const colour = `var(${runColours[run % runColours.length]})`;
  const gap = [0, 2, 4][Math.min(2, Math.floor(run / runColours.length))];
  return gap ? `repeating-linear-gradient(45deg, ${colour} 0 3px, transparent 3px ${3 + gap}px)` : colour;
}
