"""The blocks of tools/bench in SimPy: 1280 slots, each with one block after the other and no contention.
Usage: blocks.py BLOCKS; prints the version and the CPU seconds."""
import random
import sys
import time

import simpy

TIMES_US, JITTER = (90, 97, 104, 111), 0.1


def slot(env, draw, left):
    while left[0] > 0:
        left[0] -= 1
        yield env.timeout(TIMES_US[left[0] % 4] * max(0.01, draw.gauss(1, JITTER)))


env, draw, left = simpy.Environment(), random.Random(1), [int(sys.argv[1])]
for _ in range(80 * 16):
    env.process(slot(env, draw, left))
start = time.process_time()
env.run()
print(simpy.__version__, time.process_time() - start)
