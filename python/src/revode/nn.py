# SPDX-License-Identifier: Apache-2.0
"""Networks as the fields of problems, with exact gradients by their weights.

    net = revode.nn.Mlp([2, 50, 2])                    # y' = W2 tanh(W1 y + b1) + b2
    p = net.initial(seed=1)                            # flat; net.named(p)["layers.0.weight"] is a view
    q = net.problem(batch, 0.0, 1.0, p)                # samples by rows, all in the steps of one solve
    s = revode.solve(q, rtol=1e-6, adjoint="recursive_checkpoint", slots=20)
    s.y.reshape(batch.shape), net.named(s.pullback(w).p)

Weights may come from modules of Equinox, Flax and torch: net.flat(module). revode.jax.solve and revode.torch.solve
take a network and such a module as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from revode import _core

_Path = tuple[str, ...]


class Mlp(_core.Network):
    """Dense layers behind each other, of these widths: the activation behind each but the last.

    activation   identity, tanh, sigmoid, softplus, silu, gelu (by the error function), relu or sin
    time         the time is one more input, below the state
    """

    def flat(self, weights: Any) -> Any:
        """The weights as one flat array, of NumPy's, JAX's or torch's as they are; JAX and torch differentiate it.

        weights   a module of Equinox, Flax or torch, a nested dict or list of arrays, such as a state_dict or Flax'
                  params, or a flat array already. Layers are told by `weight` (outputs × inputs) or `kernel` (its
                  transpose) and `bias`, and ordered by the numbers in their names.
        errors    ValueError: layers or shapes that are not those of this network
        """
        if getattr(weights, "ndim", None) == 1:
            return weights
        layers = _layers(weights)
        wanted = self.leaves
        if 2 * len(layers) != len(wanted):
            raise ValueError(
                f"{len(layers)} layers (the network has {len(wanted) // 2}) give the module that it is?"
            )
        parts = []
        for number, (path, arrays) in enumerate(layers):
            for (name, shape), array in zip(wanted[2 * number :], _of_layer(path, arrays)):
                if tuple(array.shape) != shape:
                    raise ValueError(
                        f"{path or 'a layer'} of shape {tuple(array.shape)} ({name} has {shape}) "
                        "give the module that it is?"
                    )
                parts.append(array.reshape(-1))
        return _joined(parts)

    def named(self, flat: Any) -> dict[str, Any]:
        """The arrays within a flat one, weights or their gradient, by torch's names; views where the library has them."""
        found, at = {}, 0
        for name, shape in self.leaves:
            size = int(np.prod(shape))
            found[name] = flat[at : at + size].reshape(shape)
            at += size
        return found


def _entries(tree: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """(path, array) of all arrays in a tree."""
    if hasattr(tree, "named_parameters"):  # of torch, whose state_dict would be detached
        tree = dict(tree.named_parameters())
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _entries(value, (*path, *str(key).split(".")))
    elif isinstance(tree, (list, tuple)):
        for key, value in enumerate(tree):
            yield from _entries(value, (*path, str(key)))
    elif hasattr(tree, "shape"):
        yield path, tree
    elif tree is not None:
        import jax

        for keys, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
            if hasattr(leaf, "shape"):
                yield (*path, *(_name(key) for key in keys)), leaf


def _name(key: Any) -> str:
    return str(next(getattr(key, a) for a in ("name", "idx", "key") if hasattr(key, a)))


def _layers(tree: Any) -> list[tuple[str, dict[str, Any]]]:
    """(path, {weight or kernel, bias}) of each layer, in the order of the numbers in their paths."""
    found: dict[_Path, dict[str, Any]] = {}
    for path, array in _entries(tree):
        while path and path[-1] in ("value", "raw_value"):  # how Flax holds an array
            path = path[:-1]
        found.setdefault(path[:-1], {})[path[-1] if path else ""] = array
    texts = {".".join(path): arrays for path, arrays in found.items()}
    if len({re.sub(r"\d+", "#", text) for text in texts}) > 1:
        raise ValueError(
            f"layers {', '.join(texts)} (their names differ by more than a number, which orders them) "
            "give a list of their {'weight': …, 'bias': …}?"
        )
    return sorted(texts.items(), key=lambda item: [int(n) for n in re.findall(r"\d+", item[0])])


def _of_layer(path: str, arrays: dict[str, Any]) -> tuple[Any, Any]:
    if set(arrays) not in ({"weight", "bias"}, {"kernel", "bias"}):
        raise ValueError(
            f"{path or 'a layer'} with {', '.join(arrays) or 'nothing'} (a dense layer has weight or kernel, and bias) "
            "give the module that it is?"
        )
    return arrays["weight"] if "weight" in arrays else arrays["kernel"].T, arrays["bias"]


def _joined(parts: list[Any]) -> Any:
    of = {type(part).__module__.split(".")[0] for part in parts}
    if of & {"jax", "jaxlib"}:
        import jax.numpy as jnp

        return jnp.concatenate(parts)
    if "torch" in of:
        import torch

        return torch.cat(parts)
    return np.concatenate(parts)
