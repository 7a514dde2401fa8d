"""Fuzzes the readers, guided by coverage:  run.py [seconds] [target ...]

The time is shared among the targets (all of ``target.TARGETS``, and ``written``), one after the
other, each in a process of its own. An input that makes one fail is kept in FUZZ_OUT (the
temporary folder unless set); ``run.py TARGET FILE`` gives a file to a target once more. What is
found on the way is lost unless FUZZ_CORPUS names a folder for it.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
LONGEST = 2048  # bytes of an input
MOST_SECONDS = 60  # for one input, by the clock of a machine that may be busy
MOST_MEGABYTES = 3000
GUIDES = (
    "rankstone.io.",
    "rankstone.choices.conventions",
    "rankstone.core.aggregate",
    "rankstone.core.provenance",
    "rankstone.core.result",
    "rankstone.core.saved",
    "rankstone.core.unjudged",
    "rankstone.core.python_engine",
    "rankstone.measures.parse",
)
MEMORY = "/dev/shm"  # files are many and short-lived


def main(words):
    """Fuzz all targets, some, or give one of them a file."""
    sys.path[0] = str(HERE.parent)
    if words[:1] == ["--worker"]:
        worker(*words[1:])
    from fuzz.target import TARGETS

    if len(words) == 2 and words[0] in TARGETS and os.path.isfile(words[1]):
        once(words[0], Path(words[1]))
        return 0
    seconds = int(words[0]) if words else 1800
    targets = words[1:] or [*TARGETS, "written"]
    failed = [t for t in targets if not fuzzed(t, max(5, seconds // len(targets)))]
    print(f"{len(targets) - len(failed)} of {len(targets)} targets without a failure", *failed)
    return bool(failed)


def once(target, file):
    from fuzz.target import run_target

    with tempfile.TemporaryDirectory() as folder:
        run_target(target, file.read_bytes(), Path(folder))


def fuzzed(target, seconds):
    """Fuzz a target in a process of its own and say how it went."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as scratch:
        found = Path(os.environ.get("FUZZ_CORPUS", scratch)) / target
        found.mkdir(parents=True, exist_ok=True)
        flags = {
            "max_total_time": seconds,
            "max_len": LONGEST,
            "timeout": MOST_SECONDS,
            "rss_limit_mb": MOST_MEGABYTES,
            "artifact_prefix": f"{os.environ.get('FUZZ_OUT', tempfile.gettempdir())}/rankstone-{target}-",
            "print_final_stats": 1,
        }
        call = [sys.executable, __file__, "--worker", target, scratch]
        call += [f"-{name}={value}" for name, value in flags.items()]
        call += [str(path) for path in (found, CORPUS / target) if path.is_dir()]
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said = done.stdout.decode("utf-8", "replace")
        print(f"{target}: {_last('number_of_executed_units: +([0-9]+)', said)} inputs,"
              f" coverage {_last(' cov: ([0-9]+)', said)}, {len(os.listdir(found))} kept", flush=True)  # fmt: skip
    if done.returncode:
        print(said[-4000:] if "===" not in said else said[said.index("===") :][:8000], flush=True)
    return done.returncode == 0


def _last(pattern, text):
    return (re.findall(pattern, text) or ["?"])[-1]


def worker(target, scratch, *flags):
    """Fuzz one target; does not return."""
    import atheris

    home = Path(find_spec("rankstone").origin).parent
    files = [path.relative_to(home.parent).with_suffix("") for path in home.rglob("*.py")]
    names = [".".join(path.parts) for path in files if path.name != "__init__"]
    guides = [name for name in names if name.startswith(GUIDES)]
    with atheris.instrument_imports(include=["rankstone"], exclude={*names} - {*guides}):
        for name in guides:
            import_module(name)
    from fuzz.mutate import mutated
    from fuzz.target import run_target
    from fuzz.written import read_alike

    warnings.simplefilter("error")

    def given(data):
        run_target(target, data, Path(scratch), all_ways=False)

    def changed(data, most, seed):
        draw = random.Random(seed)
        for _ in range(3):  # what is cut off is seldom well formed
            made = mutated(data, draw, lambda d: atheris.Mutate(d, len(d) + 16))
            if len(made) <= most:
                break
        return made[:most]

    if target == "written":
        atheris.Setup([sys.argv[0], *flags], lambda d: read_alike.hypothesis.fuzz_one_input(d))
    else:
        atheris.Setup([sys.argv[0], *flags], given, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
