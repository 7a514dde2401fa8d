from rankstone.conventions import Conventions as Conventions
from rankstone.core.result import Result as Result
from rankstone.errors import DataError as DataError
from rankstone.errors import MissingDependencyError as MissingDependencyError
from rankstone.errors import Notice as Notice
from rankstone.errors import RankstoneError as RankstoneError
from rankstone.errors import RankstoneNotice as RankstoneNotice
from rankstone.errors import StrictError as StrictError
from rankstone.errors import UsageError as UsageError
from rankstone.evaluation import evaluate as evaluate
from rankstone.measures import *

__version__: str
