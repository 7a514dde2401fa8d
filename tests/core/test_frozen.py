"""Frozen data classes behave as those of the standard library do."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace

import pytest

from rankstone.frozen import frozen


@frozen
class Ours:
    name: str
    sizes: tuple[int, ...] = ()
    note: str = field(default="", compare=False, repr=False)
    words: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Standard:
    name: str
    sizes: tuple[int, ...] = ()
    note: str = field(default="", compare=False, repr=False)
    words: dict[str, str] = field(default_factory=dict, hash=False)


@frozen(eq=False, repr=False)
class ByIdentity:
    name: str


VALUES = [("a",), ("a", (1, 2)), ("b",), ("a", (1, 2), "noted"), ("a", (1, 2), "", {"k": "v"})]


@pytest.mark.parametrize("change", [lambda v: setattr(v, "name", "b"), lambda v: setattr(v, "other", 1),
                                    lambda v: delattr(v, "name")])  # fmt: skip
@pytest.mark.parametrize("kind", [Ours, Standard, ByIdentity])
def test_fields_are_set_once(kind, change):
    value = kind("a")
    with pytest.raises(FrozenInstanceError):
        change(value)
    assert vars(value) == vars(kind("a"))


def test_values_are_equal_and_hashed_as_those_of_the_standard_library():
    for one in VALUES:
        for other in VALUES:
            assert (Ours(*one) == Ours(*other)) == (Standard(*one) == Standard(*other))
            assert (hash(Ours(*one)) == hash(Ours(*other))) == (
                hash(Standard(*one)) == hash(Standard(*other))
            )
    assert Ours("a") != Standard("a")
    assert ByIdentity("a") != ByIdentity("a")


@pytest.mark.parametrize("given", VALUES)
def test_values_are_shown_copied_and_changed_as_those_of_the_standard_library(given):
    ours, standard = Ours(*given), Standard(*given)
    assert repr(ours) == repr(standard).replace("Standard", "Ours")
    assert asdict(ours) == asdict(standard)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(standard)]
    assert asdict(replace(ours, name="c")) == asdict(replace(standard, name="c"))
    for made in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert vars(made) == vars(ours)


def test_methods_of_the_class_stay():
    @frozen
    class Own:  # noqa: PLW1641 - frozen gives it one
        name: str

        def __repr__(self):
            return "own"

        def __eq__(self, other):
            return True

    assert repr(Own("a")) == "own"
    assert Own("a") == Own("b")
    assert hash(Own("a")) == hash(Own("a")) != hash(Own("b"))


def test_a_plain_subclass_may_have_attributes_of_its_own():
    class Counted(Ours):
        def __init__(self):
            self.count = 0
            super().__init__("a")
            self.count += 1

    counted = Counted()
    assert counted.count == 1
    with pytest.raises(FrozenInstanceError, match="name"):
        counted.name = "b"
