"""schema_rules.py - the rules of a JSON schema as functions of Python, made once, for thousands of documents: jsonschema looks at the
rules themselves again for each value and takes many times as long.

Of the schemas of `gpumemprof schema`, closed here: no field that they do not name, no word that they do not list. jsonschema stays the
judge: it says what is wrong with a document that is refused here, and it judges, too, the first object that has a field and copies of
it in which this field is damaged (schema.py). A keyword that is not known here is an error.
"""
import jsonschema

TYPES = {"object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),)}
SAID_ONLY = {"$schema", "$id", "title", "description", "examples", "$defs"}


def closed(schema):
    """No fields and no words but those that are named."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made["additionalProperties"] = False
    if isinstance(made.get("examples"), list):
        made["if"], made["then"] = {"type": "string"}, {"enum": made["examples"]}
    return made


def of_type(names):
    types = tuple(one for name in ([names] if isinstance(names, str) else names) for one in TYPES[name])
    if bool in types:
        return lambda value: isinstance(value, types)
    return lambda value: isinstance(value, types) and not isinstance(value, bool)


def of_fields(fields, required, more):
    """Of an object: its fields by their rules, the required ones are there, and others only if there may be more."""
    required = frozenset(required)

    def fits(value):
        if not isinstance(value, dict):
            return True
        for name, inner in value.items():
            rule = fields.get(name)
            if not (rule(inner) if rule else more):
                return False
        return required <= value.keys()
    return fits


class Rules:
    """The definitions of a closed schema: `of(name)` is a function that says whether a value is such an object."""

    def __init__(self, whole):
        self.defs, self.made = whole["$defs"], {}

    def of(self, name):
        if name not in self.made:
            self.made[name] = lambda value: self.made[name](value)  # until it is made: a definition may have itself in it
            self.made[name] = self.rule(self.defs[name])
        return self.made[name]

    def parts(self, schema):
        """A function for each keyword that decides something."""
        unknown = set(schema) - SAID_ONLY - {"type", "$ref", "properties", "required", "additionalProperties", "items", "anyOf", "const", "enum", "if", "then"}
        assert not unknown, ("keywords that schema_rules.py does not know", unknown)
        if "type" in schema:
            yield of_type(schema["type"])
        if "$ref" in schema:
            yield self.of(schema["$ref"].removeprefix("#/$defs/"))
        if "properties" in schema or "required" in schema:
            fields = {name: self.rule(one) for name, one in schema.get("properties", {}).items()}
            yield of_fields(fields, schema.get("required", ()), schema.get("additionalProperties", True))
        if "items" in schema:
            item = self.rule(schema["items"])
            yield lambda value: not isinstance(value, list) or all(map(item, value))
        if "anyOf" in schema:
            some = [self.rule(one) for one in schema["anyOf"]]
            yield lambda value: any(one(value) for one in some)
        for words in [schema["enum"]] if "enum" in schema else [[schema["const"]]] if "const" in schema else []:
            yield lambda value: any(value == word and isinstance(value, bool) == isinstance(word, bool) for word in words)
        if "if" in schema:
            when, then = self.rule(schema["if"]), self.rule(schema["then"])
            yield lambda value: not when(value) or then(value)

    def rule(self, schema):
        parts = list(self.parts(schema))
        return parts[0] if len(parts) == 1 else lambda value: all(part(value) for part in parts)


def short(value):
    """A copy with the first two items of each list."""
    if isinstance(value, dict):
        return {name: short(inner) for name, inner in value.items()}
    return [short(inner) for inner in value[:2]] if isinstance(value, list) else value


def damaged(value, field):
    """Copies of an object: the field is another value, has another item, is missing; one has a field more."""
    for other in (None, True, 1, 0.5, "another word", [], {}):
        yield {**value, field: other}
        if value[field] and isinstance(value[field], list):
            yield {**value, field: [other]}
    yield {name: inner for name, inner in value.items() if name != field}
    yield {**value, "another field": 1}


class Judge:
    """Whether values are objects of a closed schema, and what is wrong with them."""

    def __init__(self, whole):
        self.rules = Rules(whole)
        self.slow = {name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]}) for name in whole["$defs"]}

    def error(self, name, document):
        """What jsonschema finds wrong with a document that is refused; None: nothing is."""
        if self.rules.of(name)(document):
            return None
        found = jsonschema.exceptions.best_match(self.slow[name].iter_errors(document))
        return f"{found.json_path}: {found.message}"[:1000] if found else "schema_rules.py refuses what jsonschema takes"

    def compare(self, name, value, field):
        """jsonschema judges an object as the functions do, and copies of it in which a field is damaged."""
        value = short(value)
        for one in [value, *damaged(value, field)]:
            assert self.rules.of(name)(one) == self.slow[name].is_valid(one), ("schema_rules.py and jsonschema do not agree", name, one)
