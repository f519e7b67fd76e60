"""Functions -> how code for JAX calls them: `jnp.exp`, `jax.scipy.special.erf`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from types import ModuleType
from typing import Final

import numpy as np

from yota_ast.codegen.jax_source.helpers_for_jax import twin_of
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.live_names import Linked
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ops.back_ends.batched_functions import twin
from yota_ast.ops.registry import info
from yota_ast.support.public_names import public_path

IMPORTS: Final = ("import jax", "import jax.numpy as jnp")
"""What all code for JAX imports."""
OWN: Final = frozenset({"jax", "jnp"})
OF_NUMPY: Final = "numpy"
"""The spelling of a call that stays one of NumPy."""


class JaxNames(Globals):
    """Spells functions of NumPy and SciPy by the names that JAX has for them."""

    @property
    def names(self) -> frozenset[str]:
        """The names that locals must keep away from."""
        return super().names | OWN

    @property
    def imports(self) -> tuple[str, ...]:
        """The import lines of the text, in order."""
        first = [line for line in super().imports if line == "import math"]
        rest = [line for line in super().imports if line not in first]
        return (*first, *IMPORTS, *rest)

    def function(self, fn: Callable[..., object], spelling: str = "") -> str:
        """Return how the text calls a function."""
        for name in OWN & self.locals:
            raise UnsupportedSyntax(
                f"an argument is called {name}, as a module that the code imports",
                remedy="Rename it.",
            )
        if spelling == OF_NUMPY:
            return super().function(fn)
        fn, known = twin_of(fn), info(fn)
        if known.in_jax == "number":
            return self.field("jnp", getattr(twin(fn), "__name__", ""))
        if known.in_jax == "scipy":
            module, name = public_path(fn) or ("", "")
            return reduce(self.field, [*module.split("."), name], "jax")
        if known.in_jax != "numpy":
            return super().function(fn, spelling)
        modules = set(self.modules)
        text = super().function(fn, spelling)
        self.modules = modules
        return text if not text.startswith("np.") else f"j{text}"

    def note(self, module: ModuleType) -> None:
        """Note that a helper uses a module, if that is not NumPy: of this the text on
        JAX may read nothing."""
        if module is not np:
            super().note(module)


class JaxLinked(JaxNames, Linked):
    """The same in a file."""
