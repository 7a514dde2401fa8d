"""A retriever of a few lines: questions and chunks that share rare words belong together.

python retrieve.py questions.jsonl chunks.jsonl > results.jsonl
"""

import json
import math
import re
import sys
from collections import Counter

DEPTH = 5
MIN_SCORE = 3.0  # with less in common there is no answer


def words(text):
    return {word[:5] for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 2}


def records(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main(questions, chunks):
    corpus = {chunk["id"]: words(chunk["text"]) for chunk in records(chunks)}
    counts = Counter(word for own in corpus.values() for word in own)
    for question in records(questions):
        asked = words(question["question"])
        scores = {
            chunk: sum(math.log(1 + len(corpus) / counts[word]) for word in asked & own)
            for chunk, own in corpus.items()
        }
        best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:DEPTH]
        found = [
            {"id": chunk, "score": round(scores[chunk], 4)}
            for chunk in best
            if scores[chunk] >= MIN_SCORE
        ]
        print(json.dumps({"id": question["id"], "retrieved": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
