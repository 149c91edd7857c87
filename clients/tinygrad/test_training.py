"""Networks that learn on made data."""

import numpy as np
import pytest
from tinygrad import Tensor, TinyJit, nn
from tinygrad.helpers import Context


@pytest.fixture(autouse=True)
def seed():
    Tensor.manual_seed(1)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW"])
def test_perceptron_learns_circles(optimizer):
    rng = np.random.default_rng(2)
    x = rng.uniform(-1, 1, (256, 2)).astype(np.float32)
    y = (np.hypot(*x.T) < 0.7).astype(np.int32)
    layers = [nn.Linear(2, 32), Tensor.tanh, nn.Linear(32, 2)]
    make = {"SGD": lambda p: nn.optim.SGD(p, lr=0.5, momentum=0.9), "Adam": lambda p: nn.optim.Adam(p, lr=0.02), "AdamW": lambda p: nn.optim.AdamW(p, lr=0.02)}
    optimize = make[optimizer](nn.state.get_parameters(layers))
    X, Y = Tensor(x), Tensor(y)

    @TinyJit
    def step():
        optimize.zero_grad()
        loss = X.sequential(layers).sparse_categorical_crossentropy(Y).backward()
        return loss.realize(*optimize.schedule_step())

    with Context(TRAINING=1):
        losses = [step().item() for _ in range(60)]
    right = (X.sequential(layers).argmax(1).numpy() == y).mean()
    assert losses[-1] < losses[0] / 2 and right > 0.9


class Digits:
    """A small network of the kind that reads MNIST."""

    def __init__(self):
        self.c1, self.c2, self.norm, self.l = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 8, 3), nn.BatchNorm(8), nn.Linear(8 * 2 * 2, 4)

    def __call__(self, x):
        x = self.c1(x).relu().max_pool2d((2, 2))
        return self.l(self.norm(self.c2(x)).relu().max_pool2d((1, 1)).flatten(1).dropout(0.1))


def test_convolutional_network_learns_shapes():
    rng = np.random.default_rng(3)
    n = 64
    kinds = rng.integers(0, 4, n)
    x = rng.normal(0, 0.3, (n, 1, 10, 10)).astype(np.float32)
    for i, kind in enumerate(kinds):
        at = rng.integers(2, 8)
        if kind == 0:
            x[i, 0, at] += 2
        elif kind == 1:
            x[i, 0, :, at] += 2
        elif kind == 2:
            x[i, 0] += 2 * np.eye(10)
        else:
            x[i, 0, at - 1:at + 2, at - 1:at + 2] += 2
    model = Digits()
    optimize = nn.optim.Adam(nn.state.get_parameters(model), lr=0.02)
    X, Y = Tensor(x), Tensor(kinds.astype(np.int32))

    @TinyJit
    def step():
        optimize.zero_grad()
        loss = model(X).sparse_categorical_crossentropy(Y).backward()
        return loss.realize(*optimize.schedule_step())

    with Context(TRAINING=1):
        losses = [step().item() for _ in range(40)]
    assert losses[-1] < 0.35 and (model(X).argmax(1).numpy() == kinds).mean() > 0.9
