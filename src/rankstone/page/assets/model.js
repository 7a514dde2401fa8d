// The model as the page uses it: lists of all queries one after another, cut where they are shown.

/** Return where the part of each query begins, and where the last one ends. */
function boundsOf(sizes) {
  const bounds = [0];
  sizes.forEach((size, i) => bounds.push(bounds[i] + size));
  return bounds;
}

/** Return the rankings with functions that give the lists of a query. */
function rankingsIn(part) {
  const bounds = boundsOf(part.sizes);
  const judged = boundsOf(part.judged);
  const runs = part.retrieved.map((counts) => boundsOf(counts.map((count) => Math.min(count, part.depth))));
  return {
    depth: part.depth, relevantFrom: part.relevant_from, texts: part.texts, retrieved: part.retrieved,
    maxGrade: part.grades.reduce((top, grade) => Math.max(top, grade), 0),
    documents: (q) => part.documents.slice(bounds[q], bounds[q + 1]),
    grades: (q) => part.grades.slice(judged[q], judged[q + 1]),
    places: (r, q) => part.runs[r].slice(runs[r][q], runs[r][q + 1]),
  };
}

function readModel(text) {
  const read = JSON.parse(text);
  read.workings.flatMap((working) => [working.steps, working.ideal]).filter(Boolean).forEach((steps) => {
    steps.bounds = boundsOf(steps.sizes);
  });
  read.rankings = read.rankings && rankingsIn(read.rankings);
  read.maxGrade = read.rankings ? read.rankings.maxGrade : 0;
  return read;
}
