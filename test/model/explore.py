"""explore.py - every state that a model can reach: depth first, each state once.

A model is copied at each step. A thread is at a named step (`at`); `step(thread)` does it and returns the name of the
next one, None where the thread has to wait, or DONE. Steps are as fine as what other threads can see. `by_itself()`
lists what may happen without a thread, as (name, model after it).
"""
DONE = "done"


class Broken(Exception):
    """A state that must not be: what is wrong in it."""


def explore(model):
    """The number of states; raises Broken with the steps that lead there."""
    seen, todo = set(), [(model, ())]
    while todo:
        state, path = todo.pop()
        key = state.key()
        if key in seen:
            continue
        seen.add(key)
        try:
            state.check()
            ended = True
            for thread in range(len(state.at)):
                if state.at[thread] == DONE:
                    continue
                ended = False
                after = state.copy()
                step = after.at[thread]
                following = after.step(thread)
                if following is not None:
                    after.at[thread] = following
                    todo.append((after, (path, f"{thread}:{step}")))
            todo += [(after, (path, name)) for name, after in state.by_itself()]
            if ended:
                state.check_end()
        except Broken as broken:
            raise Broken(f"{broken}\n  after {' '.join(steps_of(path))}") from None
    return len(seen)


def steps_of(path):
    steps = []
    while path:
        path, step = path
        steps.append(step)
    return reversed(steps)
