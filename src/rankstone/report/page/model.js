// The model as the page uses it: columns are text in the file (columns.py), and lists of numbers here.

const PARTS = 1e6; // of 1, in which columns count
const digitValue = new Uint8Array(128);
[..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"].forEach((digit, value) => {
  digitValue[digit.charCodeAt(0)] = value;
});

/** Return the numbers of a column; none is null. */
function column(packed) {
  if (packed === null || Array.isArray(packed)) return packed;
  const { text, digits, low, unit, none, flags } = packed;
  const length = text.length / digits;
  const numbers = new Array(length);
  for (let i = 0; i < length; i += 1) {
    let code = 0;
    for (let at = i; at < text.length; at += length) code = code * 64 + digitValue[text.charCodeAt(at)];
    numbers[i] = code === none ? null : ((low + code) * unit) / PARTS;
  }
  return flags ? numbers.map(Boolean) : numbers;
}

/** Return where the part of each query begins, and where the last one ends. */
function boundsOf(sizes) {
  const bounds = [0];
  sizes.forEach((size, i) => bounds.push(bounds[i] + size));
  return bounds;
}

/** Return a function that gives an id by its place among the ids. */
function idsIn(packed) {
  if (packed.numbers === undefined) {
    const ids = packed.text.split(packed.separator);
    return (index) => ids[index];
  }
  let columns = null; // read when an id is shown
  return (index) => {
    columns = columns || packed.numbers.map(column);
    let id = "";
    packed.characters.forEach((places, c) => {
      let number = columns[c][index];
      places.forEach((characters) => {
        id = characters[number % characters.length] + id;
        number = Math.floor(number / characters.length);
      });
    });
    return id.replaceAll("\0", "");
  };
}

/** Return the rankings with functions that give the lists of a query. */
function rankingsIn(part) {
  const idOf = idsIn(part.ids);
  let next = 0;
  const documents = column(part.documents).map((back) => (back ? next - back : next++));
  const retrieved = part.retrieved.map(column);
  const grades = column(part.grades);
  const bounds = boundsOf(column(part.sizes));
  const judged = boundsOf(column(part.judged));
  const runs = part.runs.map((run, r) => [column(run), boundsOf(retrieved[r].map((count) => Math.min(count, part.depth)))]);
  return {
    depth: part.depth, relevantFrom: part.relevant_from, texts: part.texts, retrieved,
    maxGrade: grades.reduce((top, grade) => Math.max(top, grade), 0),
    documents: (q) => documents.slice(bounds[q], bounds[q + 1]).map(idOf),
    grades: (q) => grades.slice(judged[q], judged[q + 1]),
    places: (r, q) => runs[r][0].slice(runs[r][1][q], runs[r][1][q + 1]),
  };
}

const stepsRead = new WeakMap(); // each is read when a query shows it

/** Return steps with their columns as numbers. */
function stepsIn(part) {
  if (!stepsRead.has(part)) {
    stepsRead.set(part, {
      bounds: boundsOf(column(part.sizes)), term: column(part.term), rank: column(part.rank),
      grade: column(part.grade), documents: column(part.documents),
      columns: Object.fromEntries(Object.entries(part.columns).map(([name, own]) => [name, column(own)])),
    });
  }
  return stepsRead.get(part);
}

const columnsRead = new WeakMap();

/** Return the number of a query in a column that is read once it is shown; null without a column. */
function cellOf(packed, q) {
  if (!packed) return null;
  if (!columnsRead.has(packed)) columnsRead.set(packed, column(packed));
  return columnsRead.get(packed)[q];
}

function readModel(text) {
  const read = JSON.parse(text);
  read.values = read.values.map((row) => row.map(column));
  read.rankings = read.rankings && rankingsIn(read.rankings);
  read.maxGrade = read.rankings ? read.rankings.maxGrade : 0;
  return read;
}
