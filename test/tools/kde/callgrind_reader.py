"""callgrind_reader.py - reads callgrind's format by the rules of its documentation (cl-format) and by what KCachegrind's loader
accepts; a broken rule is an assertion. Figures of functions are added up as KCachegrind and callgrind_annotate do it."""
import collections
import re


class Names:
    """"(3) name" gives a name its number, "(3)" is that name again."""

    def __init__(self):
        self.name = {}

    def of(self, text):
        number, rest = re.fullmatch(r"\((\d+)\)(?: (.+))?", text).groups() if text != "???" else (None, "???")
        if rest is None:
            return self.name[number]
        assert number not in self.name, f"{number} is {self.name[number]} already"
        if number:
            self.name[number] = rest
        return rest


def header(lines):
    found, events = collections.defaultdict(list), {}
    assert next(lines) == "# callgrind format"
    for line in lines:
        key, value = re.fullmatch(r"([a-z]+): ?(.*)", line).groups()
        if key == "event":
            name, long = re.fullmatch(r"([A-Za-z_]\w*) : (.+)", value).groups()
            assert name not in events
            events[name] = long
        found[key].append(value)
        if key == "events":
            break
    assert found["version"] == ["1"] and found["positions"] == ["line"] and found["events"][0].split(" ") == list(events)
    return found, list(events)


def read(text):
    """self: (function, line) -> figures; calls: (function, line, called function) -> (count, line it starts on, figures).
    A function is (object, file, name)."""
    assert text.endswith("\n")
    lines = iter(text[:-1].split("\n"))
    head, events = header(lines)
    objects, files, functions = Names(), Names(), Names()
    now, called, call, totals = {}, {}, None, None
    own, calls, of_number = {}, {}, {}
    for line in lines:
        assert totals is None, "the totals come last"
        if not line:
            assert not call
            continue
        key, _, value = line.partition("=")
        if key in ("ob", "cob"):
            (now if key == "ob" else called)["ob"] = objects.of(value)
        elif key in ("fl", "cfi"):
            (now if key == "fl" else called)["fl"] = files.of(value)
        elif key in ("fn", "cfn"):
            at = now if key == "fn" else called
            at["fn"] = functions.of(value)
            function = (at["ob"], at["fl"], at["fn"])
            assert of_number.setdefault(value.split(")")[0], function) == function, "a number is of one function"
        elif key == "calls":
            assert not call and set(called) == {"ob", "fl", "fn"}
            call = [int(word) for word in value.split(" ")]
            assert call[0] > 0 and len(call) == 2
        elif line.startswith("totals: "):
            totals = [int(word) for word in line[8:].split(" ")]
        else:
            at, *figures = (int(word) for word in line.split(" "))
            assert at >= 0 and len(figures) == len(events)
            place = (now["ob"], now["fl"], now["fn"]), at
            if call:
                place += ((called["ob"], called["fl"], called["fn"]),)
                assert place not in calls
                calls[place] = (*call, dict(zip(events, figures)))
                call, called = None, {}
            else:
                assert place not in own
                own[place] = dict(zip(events, figures))
    assert not call and not called
    sums = [sum(figures[event] for figures in own.values()) for event in events]
    assert totals == sums, (totals, sums)
    return dict(head=head, events=events, totals=dict(zip(events, totals)), self=own, calls=calls)


def inclusive(found, event, simple_recursion):
    """function -> its inclusive figure: what its callers' calls add up to or, if nothing calls it, its own and that of its calls.
    KCachegrind leaves out calls of a function by itself (simple_recursion false), callgrind_annotate does not."""
    callers, total = collections.Counter(), collections.Counter()
    for (function, _), figures in found["self"].items():
        total[function] += figures[event]
    for (function, _, called), (_, _, figures) in found["calls"].items():
        total[function] += figures[event]
        callers[called] += 0
        if simple_recursion or function != called:
            callers[called] += figures[event]
    return total | {function: callers[function] for function in callers}
