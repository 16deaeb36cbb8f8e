"""What a peer in Python tells: a line for each case, with its letter, the time of a run in seconds
and the values at its end; or the words of what went wrong."""

import time


def tell(case, run):
    """Times `run`, which returns the values at its end, as often as fits into some seconds."""
    try:
        best, begin = float("inf"), time.perf_counter()
        for _ in range(20):
            start = time.perf_counter()
            values = run()
            best = min(best, time.perf_counter() - start)
            if time.perf_counter() - begin > 5:
                break
        print(case, best, *(float(value) for value in values), flush=True)
    except Exception as error:
        words = str(error).split("\n")[0]
        print(case, "failed:", type(error).__name__, words, flush=True)


def scaled(case, run, systems, of=10_000):
    """The time of many systems from that of a part of them."""
    start = time.perf_counter()
    try:
        for system in range(systems):
            run(24 + 8 * system / systems)
        print(case, (time.perf_counter() - start) * of / systems, flush=True)
    except Exception as error:
        print(case, "failed:", type(error).__name__, str(error).split("\n")[0], flush=True)
