"""What a peer needs beside this library, whether it is there, and what to install."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from enum import Enum
from importlib.util import find_spec


class Need(Enum):
    """A package (its import name and what to give pip), or a program."""

    CAUSAL_LEARN = ("causallearn", "causal-learn")
    PYAGRUM = ("pyagrum", "pyagrum")
    DAGMA = ("dagma", "dagma")
    JPYPE = ("jpype", "JPype1")
    TETRAD = ("tetrad_plus", "tetrad_plus")
    JAVA = ("java", "")

    @property
    def there(self) -> bool:
        """True when it can be used."""
        name, package = self.value
        return find_spec(name) is not None if package else shutil.which(name) is not None


def missing(needs: Iterable[Need]) -> str:
    """One sentence or two on what to install; empty when nothing is missing."""
    lacking = [need for need in needs if not need.there]
    packages = [need.value[1] for need in lacking if need.value[1]]
    sentences = []
    if packages:
        sentences.append(
            f"the package{'s' if len(packages) > 1 else ''} {', '.join(packages)} "
            f"{'are' if len(packages) > 1 else 'is'} not installed. Run: pip install -r requirements-peers.txt."
        )
    if Need.JAVA in lacking:
        sentences.append("Java was not found. Install Java 17 or newer, so that the command 'java' works.")
    return " ".join(sentences)
