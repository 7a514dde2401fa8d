// Formulas as MathML, from trees: a text, or [kind, ...parts].

function math(tag, ...children) {
  const element = document.createElementNS(MATH, tag);
  element.append(...children);
  return element;
}

function formula(tree) {
  if (typeof tree === "string") return h("p", { class: "formula" }, tree);
  const shown = math("math", ...tree.map(mathPart));
  shown.setAttribute("display", "block");
  return h("div", { class: "formula" }, shown);
}

function mathPart(part) {
  if (Array.isArray(part)) {
    const [kind, ...parts] = part;
    const rows = parts.map((one) => math("mrow", ...(Array.isArray(one) && Array.isArray(one[0]) ? one : [one]).map(mathPart)));
    const tags = { frac: "mfrac", sub: "msub", sup: "msup", under: "munder", row: "mrow", subsup: "msubsup" };
    if (kind === "n") return math("mn", parts[0]);
    if (kind === "i") return math("mi", parts[0]);
    if (kind === "o") return math("mo", parts[0]);
    if (kind === "t") return math("mtext", parts[0]);
    return math(tags[kind] || "mrow", ...rows);
  }
  return math("mtext", part);
}
