"""The action of GitHub, the job of GitLab and the forms for issues: they are well-formed, and their scripts are run here as the forge
would run them, on the simulated device."""
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

from harness import Skip

try:
    import yaml
except ImportError:
    yaml = None

EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
LIMITS = {"tolerance": "2%,1MiB", "max-peak": "600MiB"}


def _yaml(path):
    if yaml is None:
        raise Skip("needs python3-yaml")
    return yaml.safe_load(path.read_text() if isinstance(path, pathlib.Path) else path)


def _bash(t, script, folder, env, status=0):
    """Runs a script as GitHub and GitLab do; its output."""
    file = t.work / "step.sh"
    file.write_text(script)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GPUMEMPROF", "GITHUB", "CI_"))}
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", file], cwd=folder, capture_output=True, text=True, timeout=600,
                          check=False, env={**environment, "PATH": f"{t.work}/bin:{t.stage}/bin:{environment['PATH']}", "P": str(t.stage), **env})
    assert done.returncode == status, f"status {done.returncode}, not {status}\n{script}\n{done.stdout}{done.stderr}"
    return done.stdout


class Action:
    """action.yml, run step by step with the variables that GitHub would set."""

    def __init__(self, t, folder, inputs, earlier=""):
        self.t, self.folder = t, folder
        self.action = _yaml(t.source / ".github/actions/check/action.yml")
        unknown = set(inputs) - set(self.action["inputs"])
        assert not unknown, f"the action has no inputs {unknown}"
        self.known = {f"inputs.{name}": inputs.get(name, self.action["inputs"][name]["default"]) for name in self.action["inputs"]}
        self.known |= {"github.token": "a token", "github.event_name": "pull_request", "github.repository": "someone/app",
                       "github.event.pull_request.number": "7"}
        self.known["inputs.token"] = self.value(self.known["inputs.token"])
        self.temp = t.work / "temp"
        (t.work / "bin").mkdir(exist_ok=True)
        self.temp.mkdir(exist_ok=True)
        gh = t.work / "bin/gh"  # what it is asked is in gh.txt; a comment that is there has the number `earlier`
        gh.write_text(f'#!/bin/sh\necho "$GH_TOKEN:" "$@" >>{t.work}/gh.txt\ncase "$*" in *--paginate*) echo "{earlier}";; esac\n')
        gh.chmod(0o755)

    def value(self, text):
        return EXPRESSION.sub(lambda match: self.known.get(match.group(1), ""), text)

    def applies(self, condition):
        parts = [re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part) for part in condition.split(" && ")]
        assert all(parts), f"cannot tell what `{condition}` means"
        return all((self.known.get(part[1], "") == part[3]) == (part[2] == "==") for part in parts)

    def run(self, failing="", status=0):
        """Runs the steps; the one named `failing` has to end with `status`. Names of those that ran, and what they printed."""
        ran, said = [], ""
        for step in self.action["runs"]["steps"]:
            if "if" in step and not self.applies(step["if"]):
                continue
            ran.append(step["name"])
            if "uses" in step:
                self.uploaded = {name: self.value(value) for name, value in step["with"].items()}
                continue
            output = self.temp / "output"
            output.write_text("")
            variables = {name: self.value(value) for name, value in step.get("env", {}).items()}
            variables |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"), "RUNNER_TEMP": str(self.temp)}
            said += _bash(self.t, step["run"], self.folder, variables, status if step["name"] == failing else 0)
            if step["name"] == failing:
                break
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return ran, said


def _train(t, name, source):
    """A build of the example; the change of a pull request is a batch that is a quarter larger."""
    t.command(t.compiler("c++"), "-x", "c++", "-O2", "-g", *t.include_flags(), source, "-x", "none", *t.gpumemprof("flags", "clang").out.split(),
              *t.link_flags(runtime=False), "-o", t.work / name)
    return t.work / name


def _base_and_new(t):
    changed = t.work / "train.cu"
    changed.write_text((t.examples / "train.cu").read_text().replace("batch = 2048", "batch = 2560"))
    base, new = _train(t, "base", t.examples / "train.cu"), _train(t, "new", changed)
    t.gpumemprof("dryrun", base, env={"GPUMEMPROF_OPTIONS": f"output={t.work}/base.gmprof:quiet=1"})
    return base, new


def _results(path):
    return [(result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].split("/")[-1] if result.get("locations") else "")
            for result in json.loads(path.read_text())["runs"][0]["results"]]


def broken_limits_fail_after_all_was_written(t):
    _, new = _base_and_new(t)
    action = Action(t, t.work, {"program": f"{new} >/dev/null", "device-memory": "24GiB", "against": "base.gmprof", **LIMITS})
    ran, said = action.run(failing="Result", status=1)
    assert ran == ["Run on the simulated device", "Check", "Compare", "Upload to code scanning", "Comment", "Result"], ran
    limits = ["--against", "base.gmprof", "--tolerance", LIMITS["tolerance"], "--max-peak", LIMITS["max-peak"]]
    checked = t.gpumemprof("check", "gpumemprof.gmprof", *limits, cwd=t.work, status=1).out
    assert checked in said and "max-peak" in checked and "::error title=gpumemprof" in said, said
    results = _results(t.work / "gpumemprof.sarif")
    assert ("max-peak", "train.cu") in results and {rule for rule, _ in results} == {
        "max-peak", "peak-grew", "leaks-grew", "at-peak-grew", "allocated-grew"}, results
    assert action.uploaded["sarif_file"] == "gpumemprof.sarif"
    comment = (action.temp / "gpumemprof-comment.md").read_text()
    diff = t.gpumemprof("diff", "base.gmprof", "gpumemprof.gmprof", cwd=t.work).out
    assert comment == f"<!-- gpumemprof -->\n**GPU memory:** {checked.splitlines()[-1]}\n\n```\n{diff}```\n", comment
    asked = (t.work / "gh.txt").read_text().splitlines()
    assert len(asked) == 2 and asked[1] == f"a token: api --method POST repos/someone/app/issues/7/comments --field body=@{action.temp}/gpumemprof-comment.md", asked
    summary = (action.temp / "summary.md").read_text()
    assert checked in summary and comment in summary, summary


def met_limits_pass(t):
    _, new = _base_and_new(t)
    action = Action(t, t.work, {"program": f"{new}", "against": "base.gmprof", "tolerance": "30%,1MiB", "max-peak": "host:10MiB 0:650MiB"}, earlier="12")
    ran, _ = action.run()
    assert ran[-1] == "Result" and action.known["steps.check.outputs.status"] == "0"
    assert _results(t.work / "gpumemprof.sarif") == []
    asked = (t.work / "gh.txt").read_text().splitlines()  # the comment of the push before is written again
    assert asked[1].startswith("a token: api --method PATCH repos/someone/app/issues/comments/12 --field body=@"), asked


def capture_that_is_there_is_checked(t):
    _base_and_new(t)
    ran, _ = Action(t, t.work, {"capture": "base.gmprof", "max-leaks": "32MiB", "upload-sarif": "false"}).run()
    assert ran == ["Check", "Result"] and not (t.work / "gh.txt").exists()


def program_that_does_not_fit_fails_at_once(t):
    base, _ = _base_and_new(t)
    ran, said = Action(t, t.work, {"program": f"{base}", "device-memory": "512MiB"}).run(failing="Run on the simulated device", status=1)
    assert ran == ["Run on the simulated device"] and "out of memory" in said and "simulated device of 512MiB" in said, said


def wrong_limit_fails_the_check(t):
    _base_and_new(t)
    ran, _ = Action(t, t.work, {"capture": "base.gmprof", "max-peak": "lots"}).run(failing="Check", status=2)
    assert ran == ["Check"]


def inputs_are_no_code(t):
    """A pull request may choose what an input says, and must not run it."""
    action = _yaml(t.source / ".github/actions/check/action.yml")
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["name"]
    code = '"; touch owned; $(touch owned) `touch owned`'
    _base_and_new(t)
    Action(t, t.work, {"capture": "base.gmprof", "max-peak": code}).run(failing="Check", status=2)
    Action(t, t.work, {"capture": code}).run(failing="Check", status=2)
    assert not (t.work / "owned").exists()


def names_in_expressions_are_there(t):
    action = _yaml(t.source / ".github/actions/check/action.yml")
    steps = {step.get("id"): step for step in action["runs"]["steps"]}
    named = set(re.findall(r"(?:inputs|steps)\.[\w.-]+", (t.source / ".github/actions/check/action.yml").read_text()))
    assert len(named) > 10, named
    for name in named:
        kind, subject, *rest = name.split(".")
        if kind == "inputs":
            assert subject in action["inputs"], name
        else:
            assert rest[0] == "outputs" and f'echo "{rest[1]}=' in steps[subject]["run"], name


def _repository(t):
    """A program of its own with a base and a change, as a forge checks it out."""
    repo = t.work / "repo"
    repo.mkdir()
    t.command("git", "init", "-q", "-b", "main", repo)
    flags = t.gpumemprof("flags", "sim").out.strip()
    (repo / "Makefile").write_text(f"app: train.cu\n\t{t.compiler('c++')} -O2 -g {flags} train.cu -o app\n")
    commit = ("git", "-C", repo, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "A change")
    for batch in ("2048", "2560"):
        (repo / "train.cu").write_text((t.examples / "train.cu").read_text().replace("batch = 2048", f"batch = {batch}"))
        t.command("git", "-C", repo, "add", ".")
        t.command(*commit)
    t.command("git", "-C", repo, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    return repo


def workflow_of_the_guide_gates_a_pull_request(t):
    text = (t.source / "docs/guide/pull-request.md").read_text()
    block = re.search(r"(?m)^    on: pull_request\n(?:    .*\n)+", text).group(0)
    workflow = _yaml(re.sub(r"(?m)^    ", "", block))
    steps = workflow["jobs"]["memory"]["steps"]
    repo = _repository(t)
    (t.work / "temp").mkdir()
    for step in steps:
        if "run" in step:
            _bash(t, step["run"], repo, {"GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(t.work / "temp")})
    (used,) = [step["with"] for step in steps if "actions/check@" in step.get("uses", "")]
    inputs = {name: value.replace("${{ runner.temp }}", str(t.work / "temp")) for name, value in used.items()}
    ran, said = Action(t, repo, inputs).run(failing="Result", status=1)
    assert ran[-1] == "Result" and "peak-grew" in said and "max-peak" not in said, said
    assert {uri for _, uri in _results(repo / "gpumemprof.sarif")} == {"train.cu"}
    assert (t.work / "gh.txt").exists() and workflow["permissions"] == {"contents": "read", "pull-requests": "write", "security-events": "write"}


def job_of_gitlab_writes_junit(t):
    job = _yaml(t.source / "docs/guide/gitlab-ci.yml")["gpumemprof"]
    repo = _repository(t)
    base = t.command("git", "-C", repo, "rev-parse", "HEAD~1").out.strip()
    variables = {name: str(value) for name, value in job["variables"].items()}
    _bash(t, "\n".join(job["script"]), repo, {**variables, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}, status=1)
    (suite,) = xml.etree.ElementTree.parse(repo / job["artifacts"]["reports"]["junit"]).getroot()
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) > 0
    assert "646" in (repo / "gpumemprof-diff.txt").read_text()  # MiB at the peak of the change
    for path in job["artifacts"]["paths"]:
        assert (repo / path).exists(), path


def forms_for_issues_are_well_formed(t):
    """What GitHub demands of a form: https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests."""
    folder = t.source / ".github/ISSUE_TEMPLATE"
    forms = [path for path in sorted(folder.glob("*.yml")) if path.name != "config.yml"]
    assert len(forms) == 4, forms
    for path in forms:
        form = _yaml(path)
        assert set(form) <= {"name", "description", "title", "labels", "body"} and form["name"] and form["description"], path
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert ids and len(ids) == len(set(ids)), (path, ids)
        for part in form["body"]:
            wanted = {"markdown": "value", "textarea": "label", "input": "label", "dropdown": "options", "checkboxes": "options"}[part["type"]]
            assert part["attributes"][wanted], (path, part)
    assert _yaml(folder / "config.yml")["blank_issues_enabled"] in (True, False)
