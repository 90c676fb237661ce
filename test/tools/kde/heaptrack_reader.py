"""heaptrack_reader.py - reads version 3 of heaptrack's data file by the rules of its reader (AccumulatedTraceData of heaptrack 1.4):
hexadecimal numbers, texts with their length, and what its three passes add up; a broken rule is an assertion."""
import collections


class Stack:
    def __init__(self, frames):
        self.frames = frames  # outermost first: (module, function, file, line)
        self.allocations = self.temporary = self.leaked = self.peak = 0


def numbers(line):
    return [int(word, 16) for word in line.split(b" ")[1:]]


def read(data):
    assert data.endswith(b"\n") and data.startswith(b"v 10400 3\nX ")
    texts, frames, stacks, infos, time, last, used = [""], [None], [Stack(())], [], 0, None, 0
    total = Stack(())
    found = dict(stacks=stacks, total=total, sizes=collections.Counter(), peak_time=0, attached=False, command=None, memory=0, times=[0])
    for line in data[:-1].split(b"\n"):
        mode = line[:2].decode()
        if mode == "v ":
            continue
        if mode == "X ":
            assert found["command"] is None, "only one"
            found["command"] = line[2:].decode()
        elif mode == "I ":
            page, pages = numbers(line)
            found["memory"] = page * pages
        elif line == b"A":
            assert not infos
            found["attached"] = True
        elif mode == "s ":
            length, _, text = line[2:].partition(b" ")
            assert int(length, 16) == len(text) and text.decode() not in texts, line
            texts.append(text.decode())
        elif mode == "i ":
            address, module, function, *place = numbers(line)
            assert address and function and len(place) in (0, 2)
            frames.append((texts[module], texts[function], texts[place[0]] if place else "", place[1] if place else 0))
        elif mode == "t ":
            frame, caller = numbers(line)
            stacks.append(Stack((*stacks[caller].frames, frames[frame])))
            assert frame
        elif mode == "a ":
            size, trace = numbers(line)
            assert trace and trace < len(stacks)
            infos.append((size, stacks[trace]))
        elif mode == "c ":
            (now,) = numbers(line)
            assert now > time, "time goes on"
            time = now
            found["times"].append(now)
        elif mode == "+ ":
            (last,) = numbers(line)
            size, stack = infos[last]
            assert last <= used, "heaptrack_gui writes beyond the end of an array"
            used = max(used, last + 1)
            found["sizes"][size] += 1
            for one in (stack, total):
                one.allocations += 1
                one.leaked += size
            if total.leaked > total.peak:
                total.peak, found["peak_time"] = total.leaked, time
                for one in stacks[1:]:
                    one.peak = one.leaked
        elif mode == "- ":
            (info,) = numbers(line)
            size, stack = infos[info]
            for one in (stack, total):
                one.leaked -= size
                one.temporary += info == (last or 0)
                assert one.leaked >= 0
            last = None
        else:
            raise AssertionError(line)
    assert len({stack.frames for stack in stacks}) == len(stacks), "a stack has one number"
    return found
