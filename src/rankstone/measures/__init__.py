"""Every measure, one definition each."""

from rankstone.measures.auc import (
    AUC as AUC,
    AUPRC as AUPRC,
    OPA as OPA,
    RankingLoss as RankingLoss,
)
from rankstone.measures.average_precision import AP as AP, GMAP as GMAP, YAAP as YAAP
from rankstone.measures.base import Measure as Measure
from rankstone.measures.beyond_accuracy import (
    Calibration as Calibration,
    Categories as Categories,
    Coverage as Coverage,
    Diversity as Diversity,
    Entropy as Entropy,
    Exposure as Exposure,
    Filled as Filled,
    Gini as Gini,
    Novelty as Novelty,
    Personalisation as Personalisation,
    Popularity as Popularity,
    Serendipity as Serendipity,
)
from rankstone.measures.bpref import Bpref as Bpref, GMBpref as GMBpref
from rankstone.measures.candidates import Corrected as Corrected
from rankstone.measures.characters import CharPrecision as CharPrecision, CharRecall as CharRecall
from rankstone.measures.chunks import ChunkNDCG as ChunkNDCG
from rankstone.measures.compatibility import Compat as Compat
from rankstone.measures.counts import (
    NumNonrelRet as NumNonrelRet,
    NumQ as NumQ,
    NumRel as NumRel,
    NumRelRet as NumRelRet,
    NumRet as NumRet,
)
from rankstone.measures.curves import (
    Curve as Curve,
    auc as auc,
    pr_area as pr_area,
    pr_curve as pr_curve,
    risk_area as risk_area,
    risk_coverage_curve as risk_coverage_curve,
    roc_curve as roc_curve,
)
from rankstone.measures.cwl import (
    BPM as BPM,
    INSQ as INSQ,
    INST as INST,
    NERR as NERR,
    RBP as RBP,
    SDCG as SDCG,
    RBPResidual as RBPResidual,
)
from rankstone.measures.dcg import CG as CG, DCG as DCG, IdealDCG as IdealDCG, nDCG as nDCG
from rankstone.measures.err import ERR as ERR, Cascade as Cascade, cascade as cascade, nERR as nERR
from rankstone.measures.fbeta import F as F
from rankstone.measures.first_rank import AMRI as AMRI, FirstRank as FirstRank, LastRank as LastRank
from rankstone.measures.graded_coverage import StCoverage as StCoverage
from rankstone.measures.inferred_ap import infAP as infAP
from rankstone.measures.intent_aware import AP_IA as AP_IA, P_IA as P_IA, StRecall as StRecall
from rankstone.measures.interpolated import AvgIPrec as AvgIPrec, IPrec as IPrec
from rankstone.measures.judged import Hole as Hole, Judged as Judged, Unjudged as Unjudged
from rankstone.measures.novelty import (
    ERR_IA as ERR_IA,
    NRBP as NRBP,
    alpha_DCG as alpha_DCG,
    alpha_nDCG as alpha_nDCG,
    nERR_IA as nERR_IA,
    nNRBP as nNRBP,
)
from rankstone.measures.nuggets import (
    CitationPrecision as CitationPrecision,
    CitationRecall as CitationRecall,
    NuggetRecall as NuggetRecall,
)
from rankstone.measures.parse import all_measures as all_measures, parse_measure as parse_measure
from rankstone.measures.precision import P as P, Rprec as Rprec
from rankstone.measures.preferences import NumPref as NumPref, Pref as Pref
from rankstone.measures.q_measure import Q as Q
from rankstone.measures.recall import (
    Complete as Complete,
    FallOut as FallOut,
    R as R,
    RecallAtP as RecallAtP,
)
from rankstone.measures.reciprocal_rank import RR as RR
from rankstone.measures.sampled import infNDCG as infNDCG, xinfAP as xinfAP
from rankstone.measures.set_measures import SetAP as SetAP, Utility as Utility
from rankstone.measures.silence import Silence as Silence
from rankstone.measures.success import Success as Success
from rankstone.measures.trec_gain import BinG as BinG, G as G, RnDCG as RnDCG, nDCGRel as nDCGRel

#: What is measured when nothing is asked for.
DEFAULT = (nDCG @ 10, AP, RR @ 10, P @ 10, R @ 100)
