"""cwl_eval: its metrics over the gains of each query, in the order of the run."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, ranking

ACCEPTS = Accepts(takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12)
EXCEPT: dict[str, Accepts] = {}
_NAMES = {
    "PrecisionCWLMetric({k})": (), "RRCWLMetric()": (), "APCWLMetric()": (),
    "NDCGCWLMetric({k})": (), "RBPCWLMetric(0.8)": (0.8,),
    "INSTCWLMetric(1.0)": (1.0,), "INSTCWLMetric(2.5)": (2.5,), "INSQCWLMetric(2)": (2,),
    "BPMCWLMetric(1.0,{k})": (1.0,), "BPMCWLMetric(2,{k})": (2,),
    "NERReq8CWLMetric({k})": (), "NERReq9CWLMetric({k})": (), "NERReq10CWLMetric(0.9)": (0.9,),
    "NERReq11CWLMetric(1.0)": (1.0,),
}  # fmt: skip


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("cwl-eval")


def _measure(qrels: Qrels, run: Run, k: int | None, *, name: str, args: tuple) -> Values:
    """Measure each query; the tool prints no mean."""
    from cwl.ruler import cwl_ruler
    from cwl.ruler.ranking import RankingMaker
    from cwl.seeker.trec_qrel_handler import TrecQrelHandler

    gains = TrecQrelHandler()
    for query, judged in qrels.items():
        for document, gain in judged.items():
            gains.put_value(query, document, gain)
    metric = getattr(cwl_ruler, name)(*args, *([] if k is None else [k]))
    values = {}
    for query, scored in run.items():
        maker = RankingMaker(query, gains)
        for document in ranking(scored):
            maker.add(document, "_")
        values[query] = float(metric.measure(maker.get_ranking()))
    return values, None


FUNCTIONS = {
    name: partial(_measure, name=name.partition("(")[0], args=args) for name, args in _NAMES.items()
}


def registry() -> list[str]:
    import inspect
    import pkgutil
    from importlib import import_module

    from cwl.ruler import measures
    from cwl.ruler.measures.cwl_metrics import CWLMetric

    names = set()
    for module in pkgutil.iter_modules(measures.__path__, "cwl.ruler.measures."):
        for name, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
            if issubclass(kind, CWLMetric) and kind is not CWLMetric:
                names.add(name)
    return sorted(names)
