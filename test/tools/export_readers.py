"""export_readers.py - reads what `gpumemprof export` writes, by the rules of each format; a broken rule is an assertion."""
import collections

# ---- profile.proto -----------------------------------------------------------------------------------


def fields(data):
    """(number, value) of a message: an int, or bytes"""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        assert key & 7 in (0, 2), key
        value = number()
        if key & 7 == 2:
            at += value
            assert at <= len(data), "a field is longer than its message"
            value = data[at - value:at]
        yield key >> 3, value


def grouped(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert not shift
    return values


def pprof(data):
    top = grouped(data)
    text = [value.decode() for value in top[6]]
    assert text[0] == "" and len(set(text)) == len(text)
    one = {key: lambda m, key=key: (grouped(m)[key] or [0])[0] for key in range(1, 6)}
    functions = {}
    for message in top[5]:
        assert one[1](message) not in functions and one[1](message)
        functions[one[1](message)] = text[one[2](message)], text[one[4](message)]
    mappings = [grouped(message) for message in top[3]]
    assert [m[1] for m in mappings] == [[1]] and all(m[field] == [1] for m in mappings for field in (7, 8, 9, 10))
    locations = {}
    for message in top[4]:
        fields_ = grouped(message)
        (line,) = fields_[4]
        name, file = functions[one[1](line)]
        number = one[2](line)
        assert fields_[1][0] not in locations and fields_[1][0] and fields_[2] == [1]
        locations[fields_[1][0]] = f"{name} ({file}:{number})" if number else name
    samples = []
    for message in top[2]:
        sample = grouped(message)
        values = packed(sample[2][0])
        assert len(values) == len(top[1])
        labels = {text[one[1](label)]: text[one[2](label)] for label in sample[3]}
        samples.append(([locations[i] for i in packed(sample[1][0])], values, labels))
    return dict(types=[(text[one[1](m)], text[one[2](m)]) for m in top[1]], samples=samples,
                period=(text[one[1](top[11][0])], text[one[2](top[11][0])], top[12][0]), default=text[top[14][0]],
                time=top[9][0], duration=top[10][0], comment=[text[i] for i in top[13]])


# ---- speedscope --------------------------------------------------------------------------------------


def speedscope(file):
    """One list of (frames, weight) for each profile; the rules of its file-format-schema.json."""
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(file) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    frames = file["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}
    assert 0 <= file["activeProfileIndex"] < len(file["profiles"])
    found = []
    for profile in file["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled" and profile["unit"] in ("none", "bytes")
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        found.append([([frames[i] for i in stack], weight) for stack, weight in zip(profile["samples"], profile["weights"])])
    return found


# ---- DHAT --------------------------------------------------------------------------------------------


def dhat(file):
    """(frames innermost first, point); the rules of checkFields and checkPP in dh_view.js."""
    for field in ("dhatFileVersion mode verb bklt bkacc tu Mtu cmd pid te pps ftbl tg tuth bu bsu bksu").split():
        assert field in file, field
    assert file["dhatFileVersion"] == 2 and file["ftbl"][0] == "[root]" and file["bklt"] is True and file["bkacc"] is False
    assert 0 <= file["tg"] <= file["te"]
    points, seen = [], set()
    for point in file["pps"]:
        for field in "tb tbk tl mb mbk gb gbk eb ebk".split():
            assert isinstance(point[field], int) and point[field] >= 0, point
        assert point["fs"] and all(0 < i < len(file["ftbl"]) for i in point["fs"])
        points.append(([file["ftbl"][i] for i in point["fs"]], point))
        assert tuple(point["fs"]) not in seen, "a stack comes twice"
        seen.add(tuple(point["fs"]))
    return points
