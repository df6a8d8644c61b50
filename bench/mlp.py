# SPDX-License-Identifier: MIT
"""One training step of the perceptron 784-1000-1000-10 with PyTorch.

Prints the median milliseconds of a step over SAMPLES samples of STEPS steps:
forward, cross entropy, backward, SGD with momentum, batch 128, float32.  What
it may use is set by the environment and by the arguments; see mlp.sh.
"""
import argparse
import statistics
import time

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--foreach", action="store_true")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    x = torch.rand(1280, 784)
    y = torch.randint(0, 10, (1280,))
    net = torch.nn.Sequential(
        torch.nn.Linear(784, 1000),
        torch.nn.ReLU(inplace=True),
        torch.nn.Linear(1000, 1000),
        torch.nn.ReLU(inplace=True),
        torch.nn.Linear(1000, 10),
    )
    loss = torch.nn.CrossEntropyLoss()
    stepper = torch.optim.SGD(
        net.parameters(), lr=0.01, momentum=0.9, foreach=args.foreach
    )

    def step(i):
        at = i % 10 * 128
        stepper.zero_grad(set_to_none=False)
        loss(net(x[at : at + 128]), y[at : at + 128]).backward()
        stepper.step()

    for i in range(40):
        step(i)
    times = []
    for _ in range(args.samples):
        start = time.perf_counter()
        for i in range(args.steps):
            step(i)
        times.append((time.perf_counter() - start) / args.steps)
    print(f"{1e3 * statistics.median(times):.4f}")


if __name__ == "__main__":
    main()
