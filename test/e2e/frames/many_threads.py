"""Many threads that free each other's blocks on several devices: no event is lost, every sum is exact.

GPUMEMPROF_TEST_SECONDS=60 runs longer than a run of all tests has time for.
"""
import json
import os

from harness import check

SECONDS = os.environ.get("GPUMEMPROF_TEST_SECONDS", "3")


def _churn(t, threads, devices, seconds, options=""):
    program = t.build("churn", "common/churn.cpp", flags=["-O2"])
    result, capture = t.run(program, str(threads), str(devices), seconds, sim=f"devices={devices}", options=options)
    return json.loads(result.out.splitlines()[1]), t.report(capture), capture


def sixty_four_threads_on_four_devices_lose_nothing(t):
    counted, report, _ = _churn(t, 64, 4, SECONDS)
    assert not any(report["losses"].values()), report["losses"]
    check(report["conservation"], "conservation", ok=True, **counted)
    gpus = [device for device in report["devices"] if device["device"] != "host"]
    assert len(gpus) == 4 and all(device["live_at_exit"] for device in gpus), report["devices"]
    print(counted)


def their_events_make_the_same_figures(t):
    counted, report, capture = _churn(t, 16, 4, "1", options="history=all")
    check(report["conservation"], "conservation", ok=True, **counted)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
