#!/usr/bin/env python3
"""predictions.py TOOL SOURCE CASE [N] - `gpumemprof advise` against an oracle that knows no trees and no positions: random programs are
lists of events, a finding is applied by moving events in the list, and the peak is summed up. Their lines are reached on one call path
or on several; the oracle knows only lines.

  predicted   what each finding predicts is the peak of the edited list, to the byte; each of several steps is needed; and no set of
              changes does better than the best finding
  bounds      what --bounds says: the peak with each block at fewer events, and an arena packed by the same rule
  enough      findings that are to save so many bytes at least (--min) have no steps that are not needed for it
  none_left   the program with all changes made is recorded a second time, and there is nothing left to advise
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import ptx

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
import repeats  # noqa: E402
from recorder import COMPLETE, COPY, FILL, LAUNCH, LIBRARY, UNSEARCHED, Recorder  # noqa: E402

HOST = 0x7FFE00001000
NONE, READ, WRITE, BOTH = "none", "read", "write", "both"


class Program:
    """events: ("alloc", block), ("free", block), ("op", operation). A block's lines are those of its place."""

    def __init__(self, rng, with_open):
        self.size, self.place, self.events, self.kernels = {}, {}, [], {}
        self.never = {place for place in range(4) if rng.random() < 0.2}
        for number in range(3):
            accesses = [rng.choice((NONE, READ, WRITE, BOTH)) for _ in range(3)]
            self.kernels[f"k{number}"] = dict(accesses=accesses, open=with_open and rng.random() < 0.4)
        self.paths, live, made = rng.randint(1, 3), [], 0
        for _ in range(rng.randint(8, 40)):
            what = rng.random()
            if (what < 0.3 or not live) and made < 12:
                name, made = f"b{made}", made + 1
                self.size[name], self.place[name] = 512 * rng.randint(1, 9), rng.randrange(4)
                live.append(name)
                self.events.append(("alloc", name))
            elif what < 0.45 and live:
                name = live.pop(rng.randrange(len(live)))
                if self.place[name] not in self.never:
                    self.events.append(("free", name))
            elif live:
                self.events.append(("op", self.operation(rng, live, with_open)))
        for name in live:
            if self.place[name] not in self.never:
                self.events.append(("free", name))

    def operation(self, rng, live, with_open):
        """A dict: line, kind, blocks and what is done to each."""
        line, kind = 300 + rng.randrange(6), rng.choice(("launch", "launch", "launch", "upload", "download", "copy", "fill") +
                                                        (("library",) if with_open else ()))
        one, other = rng.choice(live), rng.choice(live)
        whole = rng.random() < 0.6
        if kind == "launch":
            kernel = rng.choice(list(self.kernels))
            given = [rng.choice(live) for _ in range(3)]
            return dict(line=line, kind=kind, kernel=kernel, given=given)
        return dict(line=line, kind=kind, one=one, other=other, bytes=self.size[one] if whole else min(256, self.size[one]))

    def used(self, o):
        """block -> (access, whole, fill) of what the operation certainly uses."""
        result = {}

        def add(block, access, whole=False, fill=False):
            before = result.get(block)
            if before:
                access = access if access == before[0] else BOTH
                whole, fill = (whole or before[1]) and access == WRITE, fill and before[2]
            result[block] = (access, whole, fill and access == WRITE)
        if o["kind"] == "launch":
            for block, access in zip(o["given"], self.kernels[o["kernel"]]["accesses"]):
                if access != NONE:
                    add(block, access)
            return result
        whole = o["bytes"] == self.size[o["one"]]
        if o["kind"] in ("upload", "fill"):
            add(o["one"], WRITE, whole, True)
        elif o["kind"] == "download":
            add(o["one"], READ)
        elif o["kind"] == "copy":
            add(o["other"], READ)
            add(o["one"], WRITE, whole)
        else:
            add(o["one"], BOTH)
        return result

    def uses(self):
        """block -> list of (index of the event, access, whole, fill, line, is a value); access maybe: it may be used."""
        found, exposed, live, self.followed = {}, {}, set(), {}
        for at, (what, subject) in enumerate(self.events):
            if what == "alloc":
                live.add(subject)
                found[subject] = []
            elif what == "free":
                live.discard(subject)
            else:
                sure = self.used(subject)
                if subject["kind"] == "upload":
                    exposed = {**dict.fromkeys(live, (at, subject["line"])), **exposed}
                if subject["kind"] == "library":
                    exposed.setdefault(subject["one"], (at, subject["line"]))
                is_open = subject["kind"] == "library" or subject["kind"] == "launch" and self.kernels[subject["kernel"]]["open"]
                for block in live:
                    if is_open and block in exposed:
                        self.followed.setdefault(block, []).append(at)
                    if block in sure:
                        found[block].append((at, *sure[block], subject["line"], subject["kind"] == "fill"))
                    elif is_open and block in exposed:
                        found[block].append((at, "maybe", False, False, subject["line"], False))
        self.exposed = exposed
        for block, own in found.items():  # where the address was stored, the block has to be
            since = exposed.get(block)
            if since and since[0] < min(self.followed.get(block, [0])):
                own.append((since[0], "maybe", False, False, since[1], False))
                own.sort(key=lambda use: (use[0], use[1] == "maybe"))
        return found

    def write(self, source, path):
        r = Recorder(source)
        r.history = {}
        r.header["flags"] |= COMPLETE
        for name, kernel in self.kernels.items():
            r.kernel(name, name, [(i, 0, f"p{i}", True) for i in range(3)])
        r.enter("main", "/src/a.cu", 1)
        for number, (what, subject) in enumerate(self.events):
            if number % 5 == 0 and self.paths > 1:
                if number:
                    r.leave()
                r.call(2 + number // 5 % self.paths)
                r.enter("main", "/src/a.cu", 1)
            if what == "alloc":
                r.call(100 + self.place[subject], variable=f"v{self.place[subject]}")
                r.malloc(subject, self.size[subject])
            elif what == "free":
                r.call(200 + self.place[subject])
                r.free(subject)
            else:
                self.write_operation(r, subject)
        if self.paths > 1 and self.events:
            r.leave()
        r.leave()
        with open(path, "wb") as file:
            file.write(r.bytes())

    def write_operation(self, r, o):
        r.call(o["line"])

        def at(block):
            return r.places.get(block, 64)  # a removed block was given to kernels that do not touch it
        if o["kind"] == "launch":
            r.use(LAUNCH, [at(block) for block in o["given"]], o["kernel"])
        elif o["kind"] == "library":
            r.use(LIBRARY, [at(o["one"])])
        elif o["kind"] == "fill":
            r.use(FILL, [at(o["one"]), o["bytes"]])
        else:
            to, source = {"upload": (at(o["one"]), HOST), "download": (HOST, at(o["one"])),
                          "copy": (at(o["one"]), at(o["other"]))}[o["kind"]]
            r.use(UNSEARCHED if o["kind"] == "upload" else COPY, [to, o["bytes"], source, o["bytes"]])

    def facts(self):
        return ptx.HEAD + "".join(ptx.kernel(name, k["accesses"], k["open"]) for name, k in self.kernels.items())


def peak(program, events=None):
    total = highest = 0
    live = set()
    for what, subject in program.events if events is None else events:
        if what in ("alloc", "free"):
            assert (subject in live) == (what == "free"), (what, subject)
            live ^= {subject}
            total += program.size[subject] * (1 if what == "alloc" else -1)
        highest = max(highest, total)
    return highest


# ---- changes: which events go, and which come before or after an event ----

class Edit:
    def __init__(self, program):
        self.program, self.gone, self.before, self.after = program, set(), {}, {}
        self.where = {}
        for at, event in enumerate(program.events):
            self.where[event if event[0] != "op" else ("op", at)] = at

    def free_after(self, block, at):
        self.gone.add(self.where.get(("free", block)))
        self.after.setdefault(at, []).append(("free", block))

    def out_after(self, block, at, copy):
        self.gone |= {self.where.get(("free", block)), copy}
        self.after.setdefault(at, []).extend([self.program.events[copy], ("free", block)])

    def alloc_before(self, block, at, with_it=()):
        self.gone |= {self.where["alloc", block], *with_it}
        self.before.setdefault(at, []).extend([("alloc", block), *(self.program.events[i] for i in with_it)])

    def remove(self, block):
        self.gone |= {self.where["alloc", block], self.where.get(("free", block))}
        for place in (*self.before.values(), *self.after.values()):
            place[:] = [event for event in place if event[1] != block]

    def gap(self, block, first, second):
        self.after.setdefault(first, []).append(("free", block))
        self.before.setdefault(second, []).append(("alloc", block))

    def events(self):
        result = []
        for at, event in enumerate(self.program.events):
            result += self.before.get(at, []) + ([] if at in self.gone else [event]) + self.after.get(at, [])
        return result


def span(uses):
    """first, first that is no fill, last: entries of uses."""
    body = next((use for use in uses if not use[3]), None)
    return uses[0], body, uses[-1]


def reused(program, line, other):
    """The list of events with the blocks of one line in those of another, the k-th in the k-th."""
    own, given = ([block for what, block in program.events if what == "alloc" and program.place[block] == at - 100] for at in (line, other))
    assert len(own) == len(given), (own, given)
    edit, end = Edit(program), len(program.events)
    longer = any(edit.where.get(("free", c), end) < edit.where.get(("free", b), end) for b, c in zip(own, given))
    for b, c in zip(own, given):
        uses = program.uses()
        assert program.size[b] <= program.size[c] and uses[c][-1][0] < uses[b][0][0] and "maybe" not in {use[1] for use in uses[b] + uses[c]}
        last_b, last_c = edit.where.get(("free", b), end), edit.where.get(("free", c), end)
        edit.remove(b)
        if longer:
            if last_c < end:
                edit.gone.add(last_c)
            if last_b < end:
                edit.after.setdefault(last_b, []).append(("free", c))
    return edit.events()


def in_turns(program, line):
    """The list of events with one block of a line for those at the peak whose uses take turns, each of which overwrites all of it."""
    total, highest, live, at_peak = 0, -1, [], []
    for what, subject in program.events:
        if what != "op":
            total += program.size[subject] * (1 if what == "alloc" else -1)
            live.append(subject) if what == "alloc" else live.remove(subject)
        if total > highest:
            highest, at_peak = total, list(live)
    uses, group = program.uses(), []

    def take_turns(a, b):
        both = sorted([(use[0], a, use) for use in uses[a]] + [(use[0], b, use) for use in uses[b]], key=lambda one: one[:2])
        return all(one[0] != two[0] and (one[1] == two[1] or two[2][1] == WRITE and two[2][2]) for one, two in zip(both, both[1:]))
    for block in sorted((b for b in at_peak if program.place[b] == line - 100), key=lambda b: -program.size[b]):
        known = uses[block] and "maybe" not in {use[1] for use in uses[block]}
        if known and all(take_turns(other, block) for other in group):
            group.append(block)
    stays, end = group[0], len(program.events)
    edit = Edit(program)
    begins, ends = [edit.where["alloc", b] for b in group], [edit.where.get(("free", b), end) for b in group]
    for block in group[1:]:
        edit.remove(block)
    edit.gone |= {begins[0], ends[0]}
    edit.before.setdefault(min(begins), []).append(("alloc", stays))
    if max(ends) < end:
        edit.after.setdefault(max(ends), []).append(("free", stays))
    return edit.events(), len(group) - 1


def make(program, steps):
    """The list of events with all steps made. What two steps do to a block is done once."""
    if steps[0][0] == "reuse":
        return reused(program, *steps[0][1:3])
    if steps[0][0] == "no-overlap":
        return in_turns(program, steps[0][1])[0]
    edit, uses = Edit(program), program.uses()
    chosen = {}
    for rule, from_, to, back, sure in steps:
        for block in program.place:
            if block in uses and fits(program, block, uses[block], rule, from_, to, sure):
                chosen.setdefault(block, []).append((rule, to, back))
    for block, rules in chosen.items():
        names, own = {rule for rule, *_ in rules}, uses[block]
        if names & {"unused", "write-only"}:
            edit.remove(block)
            continue
        if any(rule == "idle-out" and is_out(program, own) and (own[-2][4], own[-1][4]) == (to, back) for rule, to, back in rules):
            edit.out_after(block, own[-2][0], own[-1][0])
        elif names & {"late-free", "never-freed"}:
            edit.free_after(block, own[-1][0])
        if "early-alloc-fill" in names:
            fills = [use[0] for use in own[:own.index(span(own)[1])]]
            edit.alloc_before(block, span(own)[1][0], fills)
        elif "early-alloc" in names:
            edit.alloc_before(block, own[0][0])
        for rule, to, back in rules:
            for one, next_ in zip(own, own[1:]) if rule in ("idle", "idle-copy") else ():
                if is_gap(program, block, own, one, next_, rule) and one[4] == to and next_[4] == back:
                    edit.gap(block, one[0], next_[0])
    return edit.events()


def is_out(program, own):
    """The last use is a copy to the host, of which nothing between the use before it and the end may be one."""
    sure = len(own) > 1 and "maybe" not in (own[-2][1], own[-1][1]) and not all(use[3] for use in own[:-1])
    return sure and program.events[own[-1][0]][1]["kind"] == "download"


def is_gap(program, block, uses, one, next_, rule):
    """What follows an address that was stored before must find the block where it was."""
    dead, stored = next_[1] == WRITE and next_[2], program.exposed.get(block)
    if one[3] and all(use[3] for use in uses if use[0] < one[0]):
        return False  # among the first fills, which are moved to the first other use
    if next_ is uses[-1] and is_out(program, uses):
        return False
    moved = stored and stored[0] < next_[0] <= max(program.followed.get(block, [-1]))
    return "maybe" not in (one[1], next_[1]) and dead == (rule == "idle") and not moved


def fits(program, block, uses, rule, from_, to, sure):
    place = program.place[block]
    freed = ("free", block) in program.events
    if from_ != (200 if rule == "late-free" else 100) + place or rule == ("never-freed" if freed else "late-free"):
        return False
    if not uses or rule == "unused":
        return not uses and rule == "unused"
    first, body, last = span(uses)
    if rule in ("late-free", "never-freed"):
        return last[4] == to
    if rule == "early-alloc":
        return first[4] == to
    if rule == "early-alloc-fill":
        return (body is not None and body is not first and body[4] == to and
                all(use[5] for use in uses[:uses.index(body)]) == sure)
    if rule == "write-only":
        return all(use[1] == WRITE for use in uses)
    return not all(use[1] == WRITE for use in uses)


# ---- the tool ----

def advise(tool, source, program, folder, *options, least=0):
    capture, facts = os.path.join(folder, "a.gmprof"), os.path.join(folder, "kernels.ptx")
    program.write(source, capture)
    with open(facts, "w", encoding="utf-8") as file:
        file.write(program.facts())
    out = subprocess.run([tool, "advise", capture, "--facts", facts, "--format", "json", "--min", f"{least}B", *options], check=True,
                         capture_output=True, text=True)
    return json.loads(out.stdout)


SOME = r"(?:(?:its (?:first |last |next |last but one )?use,?|the (?:first|last|\d+\w\w) of its \d+ uses|all but the (?:first|last) of its \d+ uses) at )?"
CONDITION = r" if its next use(?: is|,) at line (\d+)(?:, overwrites all of it)?"
SENTENCES = (("late-free", rf"free .*after {SOME}line (\d+) instead"), ("never-freed", r"which is never freed, after"),
             ("early-alloc-fill", r", and fill it, just before"), ("early-alloc", rf"allocate .* just before {SOME}line \d+ instead"),
             ("idle-out", rf"to the host right after {SOME}line \d+,? instead of at {SOME}line (\d+),"),
             ("idle-copy", rf"to the host and free it after {SOME}line \d+(?:, and bring it back just before {SOME}line (\d+)|{CONDITION}, and bring it back just before that)"),
             ("idle", rf"(?:, and allocate it just before {SOME}line (\d+)|{CONDITION}, and allocate it just before that)"), ("write-only", r"and what writes it"),
             ("reuse", r"do not allocate .*, but use the memory of \S+ from line \d+ for it"),
             ("no-overlap", r"allocate one block for \S+ instead of \d+"), ("unused", r"remove"))


def steps_of(finding):
    """(rule, line to change, line of the first or last use, line after the gap, is sure) of each step; the rule is read from its sentence."""
    steps = []
    for step, sentence in zip(finding["steps"], re.split(r"; (?=/src/)", finding["reason"]), strict=True):
        action = sentence.rsplit(" (", 1)[0].replace(f" ({step['blocks']} blocks, ", " [")
        rule, match = next((rule, match) for rule, text in SENTENCES if (match := re.search(text, action)))
        assert f"{step['from']['file']}:{step['from']['line']} main: " in sentence, sentence
        back = int(next(group for group in match.groups() if group)) if rule.startswith("idle") else None
        steps.append((rule, step["from"]["line"], step["to"] and step["to"]["line"], back, "if the host" not in sentence))
    assert finding["rule"] == steps[0][0].removesuffix("-copy").removesuffix("-out"), finding
    return steps


def all_changes(program):
    """The list of events with all changes of the first two rounds made, each block for itself."""
    edit = Edit(program)
    for block, uses in program.uses().items():
        if not uses or all(use[1] == WRITE for use in uses):
            edit.remove(block)
            continue
        _, body, last = span(uses)
        if is_out(program, uses):
            edit.out_after(block, uses[-2][0], last[0])
        else:
            edit.free_after(block, last[0])
        if body is None:
            edit.alloc_before(block, uses[0][0])
        else:
            edit.alloc_before(block, body[0], [use[0] for use in uses[:uses.index(body)]])
        for one, next_ in zip(uses, uses[1:]):
            if is_gap(program, block, uses, one, next_, "idle"):
                edit.gap(block, one[0], next_[0])
    return edit.events()


def trimmed(program):
    """Each block from its first use to its last."""
    edit = Edit(program)
    for block, uses in program.uses().items():
        if not uses:
            edit.remove(block)
        else:
            edit.free_after(block, uses[-1][0])
            edit.alloc_before(block, uses[0][0])
    return edit.events()


def check_finding(program, finding):
    steps = steps_of(finding)
    assert finding["peak_before"] == peak(program), (finding, peak(program))
    assert finding["peak_after"] == peak(program, make(program, steps)), (finding, steps, peak(program, make(program, steps)))
    if steps[0][0] == "no-overlap":
        assert finding["steps"][0]["blocks"] == in_turns(program, steps[0][1])[1], finding
    assert finding["saving"] == finding["peak_before"] - finding["peak_after"] > 0, finding
    for step in steps if len(steps) > 1 else ():
        rest = [other for other in steps if other is not step]
        assert peak(program, make(program, rest)) > finding["peak_after"], (finding, step)
    return {rule for rule, *_ in steps}


TWO_ROUNDS = [word for rule in ("late-free", "never-freed", "early-alloc", "early-alloc-fill", "unused", "write-only", "idle")
              for word in ("--rule", rule)]


def predicted(tool, source, folder, seed):
    rng = random.Random(seed)
    program = Program(rng, with_open=rng.random() < 0.5)
    answer, seen = advise(tool, source, program, folder), set()
    for finding in answer["findings"]:
        seen |= {(rule, len(finding["steps"]) > 1) for rule in check_finding(program, finding)}
    assert answer["ideal_peak"] == [{"device": 0, "bytes": peak(program, trimmed(program))}], (answer["ideal_peak"], seed)
    answer = advise(tool, source, program, folder, *TWO_ROUNDS)
    cheap = [f for f in answer["findings"] if all(step["action"] != "offload" for step in f["steps"])]
    best = min((finding["peak_after"] for finding in cheap), default=peak(program))
    lowest = min(peak(program), peak(program, all_changes(program)))
    assert best == lowest, (best, lowest, answer)
    return seen


def enough(tool, source, folder, seed):
    """With --min: each finding saves as much, exactly as it says; each step is needed; and the best leaves less than that to be saved."""
    rng = random.Random(seed)
    program, least = Program(rng, with_open=rng.random() < 0.5), rng.choice((600, 1100, 2600, 5200))
    exact = advise(tool, source, program, folder)["findings"]
    listed = advise(tool, source, program, folder, least=least)["findings"]
    lowest, best = (min((finding["peak_after"] for finding in findings), default=peak(program)) for findings in (exact, listed))
    for finding in listed:
        check_finding(program, finding)
        assert finding["saving"] >= least, (finding, least)
    assert best - lowest < least, (best, lowest, least)

    def most(findings):
        return max((len(finding["steps"]) for finding in findings if finding["saving"] >= least), default=0)
    assert most(listed) <= most(exact), (listed, exact)
    return {("fewer steps", most(listed) < most(exact)), ("some", bool(listed))}


def none_left(tool, source, folder, seed):
    program = Program(random.Random(seed), with_open=False)
    rules = [word for rule in ("late-free", "never-freed", "early-alloc", "early-alloc-fill", "unused", "write-only") for word in ("--rule", rule)]

    def findings():
        return advise(tool, source, program, folder, *rules)["findings"]
    steps = [step for finding in findings() for step in steps_of(finding)]
    if not steps:
        return set()
    program.events = make(program, steps)
    program.never = set()
    left = findings()
    assert left == [], (steps, left)
    return {("made", True)}


def lifetimes(program, trim):
    """(first, behind the last, bytes) of each block, in places of the list of events."""
    result, end = [], len(program.events)
    for block, uses in program.uses().items():
        if trim and uses:
            result.append((uses[0][0], uses[-1][0] + 1, program.size[block]))
        elif not trim:
            freed = ("free", block)
            result.append((program.events.index(("alloc", block)), program.events.index(freed) if freed in program.events else end, program.size[block]))
    return result


def packed(program, trim):
    """The size of an arena with offsets chosen greedily by size. Places of frees are those of the next event that is none."""
    of_event, positions = [], 0
    for what, _ in program.events:
        of_event.append(positions)
        positions += what != "free"
    of_event.append(positions)
    blocks = sorted(((of_event[first], of_event[last], size) for first, last, size in lifetimes(program, trim)), key=lambda b: (b[0], -b[1], -b[2]))
    done = []
    for first, last, size in sorted(blocks, key=lambda b: -b[2]):
        beside = sorted((offset, offset + bytes_) for one, other, bytes_, offset in done if one < last and first < other)
        end, gaps = 0, []
        for low, high in beside:
            if low - end >= size:
                gaps.append((low - end, end))
            end = max(end, high)
        done.append((first, last, size, min(gaps)[1] if gaps else end))
    return max((offset + size for _, _, size, offset in done), default=0)


def fills_moved(program):
    edit = Edit(program)
    for block, uses in program.uses().items():
        if not uses:
            edit.remove(block)
            continue
        _, body, last = span(uses)
        edit.free_after(block, last[0])
        edit.alloc_before(block, body[0] if body else last[0], [use[0] for use in uses[:uses.index(body)]] if body else ())
    return edit.events()


def bounds(tool, source, folder, seed):
    rng = random.Random(seed)
    program = Program(rng, with_open=rng.random() < 0.5)
    own = advise(tool, source, program, folder, "--bounds")["bounds"]
    working = max((sum(program.size[block] for block in program.used(o)) for what, o in program.events if what == "op"), default=0)
    ideal = peak(program, trimmed(program))

    def packing(lower, trim):
        upper = packed(program, trim)
        return dict(lower=lower, upper=upper, gap=upper - lower, way="greedy by size")
    expected = dict(device=0, peak=peak(program), ideal_peak=ideal, fills_moved=peak(program, fills_moved(program)), working_set=working,
                    packing_of_run=packing(peak(program), False), packing_of_ideal=packing(ideal, True))
    assert own == [expected], (own, expected)
    return {("gap", expected["packing_of_run"]["gap"] > 0), ("fills", expected["fills_moved"] < ideal), ("working set", working < ideal)}


CASES = {"predicted": (predicted, {(rule, several) for rule in dict(SENTENCES) for several in (False, True)} - {("reuse", True), ("no-overlap", True)}),
         "enough": (enough, {(what, value) for what in ("fewer steps", "some") for value in (False, True)}),
         "none_left": (none_left, {("made", True)}),
         "bounds": (bounds, {(what, value) for what in ("gap", "fills", "working set") for value in (False, True)})}


def seeds_of(count):
    """All of them; under a sanitizer, where each run of the tool takes ten times as long, a third."""
    return repeats.seeds(0, count, count // 3 if repeats.sanitized() else count)


def main(tool, source, case, count="300"):
    function, expected = CASES[case]
    seen = set()
    seeds = seeds_of(int(count))
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            try:
                seen |= function(tool, source, folder, seed)
            except AssertionError:
                print(f"seed {seed}:")
                raise
    missing = expected - seen
    assert not missing or len(seeds) < int(count), f"no program had {sorted(missing)}"


if __name__ == "__main__":
    main(*sys.argv[1:])
