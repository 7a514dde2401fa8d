"""Every measure, one definition each."""

from rankstone.measures.auc import AUC as AUC, AUPRC as AUPRC
from rankstone.measures.average_precision import AP as AP
from rankstone.measures.base import Measure as Measure
from rankstone.measures.counts import (
    NumQ as NumQ,
    NumRel as NumRel,
    NumRelRet as NumRelRet,
    NumRet as NumRet,
)
from rankstone.measures.curves import (
    Curve as Curve,
    auc as auc,
    pr_curve as pr_curve,
    roc_curve as roc_curve,
)
from rankstone.measures.dcg import CG as CG, DCG as DCG, nDCG as nDCG
from rankstone.measures.err import ERR as ERR, Cascade as Cascade, cascade as cascade
from rankstone.measures.fbeta import F as F
from rankstone.measures.hit_rate import Success as Success
from rankstone.measures.names import all_measures as all_measures, parse_measure as parse_measure
from rankstone.measures.precision import P as P, Rprec as Rprec
from rankstone.measures.recall import R as R
from rankstone.measures.reciprocal_rank import RR as RR

#: What is measured when nothing is asked for.
DEFAULT = (nDCG @ 10, AP, RR @ 10, P @ 10, R @ 100)
