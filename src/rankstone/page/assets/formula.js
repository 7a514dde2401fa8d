// Formulas as MathML, from trees of nodes [kind, ...parts]; other text stays text.

function math(tag, ...children) {
  const element = document.createElementNS(MATH, tag);
  element.append(...children);
  return element;
}

function formula(tree) {
  if (typeof tree === "string") return h("p", { class: "formula" }, tree);
  const shown = math("math", ...tree.math.map(mathPart));
  shown.setAttribute("display", "block");
  return h("div", { class: "formula" }, shown, tree.rest ? h("p", { class: "quiet" }, capital(tree.rest)) : null);
}

function mathPart([kind, ...parts]) {
  const plain = { n: "mn", i: "mi", o: "mo", t: "mtext" }[kind];
  if (plain) {
    const element = math(plain, parts[0]);
    if (kind === "i" && parts[0].length === 1) element.setAttribute("class", "letter");
    if (parts[0] === "∑" || parts[0] === "∏") element.setAttribute("largeop", "true");
    if (parts[0] === "|") element.setAttribute("stretchy", "false");
    return element;
  }
  const tags = { frac: "mfrac", sub: "msub", sup: "msup", under: "munder" };
  return math(tags[kind], ...parts.map((nodes) => {
    const row = math("mrow", ...nodes.map(mathPart));
    if (kind === "frac") row.setAttribute("displaystyle", "true");
    return row;
  }));
}
