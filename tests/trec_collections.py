"""Random collections as trec_eval reads them."""

import random

ALPHABET = ["a", "b", "Z", "0", "9", "é", "日", "\U0001f600", "-", "ß", "_"]


def collection(seed):
    """A random collection: ties, negatives, missing queries, unjudged, near-equal scores."""
    rng = random.Random(seed)
    documents = list({"".join(rng.choices(ALPHABET, k=rng.randint(1, 5))) for _ in range(40)})
    levels = [rng.uniform(-5, 5) for _ in range(rng.choice([1, 3, 100]))]
    judgments, run = {}, {}
    for i in range(rng.randint(1, 8)):
        query = rng.choice(["q{}", "{}", "0{}", "québec-{}"]).format(i)
        where = "both" if i == 0 else rng.choice(["both", "both", "both", "judged", "run"])
        if where != "run":
            grades = rng.choice([[0, 1], [-1, 0, 1, 2], [-2, 0, 0, 3], [0], [0, 1, 2, 3, 4]])
            judged = rng.sample(documents, rng.randint(1, len(documents)))
            judgments[query] = {d: rng.choice(grades) for d in judged}
            # trec_eval fails or crashes on a query without any grade from 0 up.
            judgments[query][judged[0]] = max(0, judgments[query][judged[0]])
        if where != "judged":
            found = rng.sample(documents, rng.randint(1, len(documents)))
            jitter = rng.choice([0.0, 1e-9])
            run[query] = {d: rng.choice(levels) + rng.random() * jitter for d in found}
    return judgments, run
