"""Tests with limits: their names say what becomes of them."""
import pytest
from device import MIB, Memory

kept = []


@pytest.fixture
def four():
    block = Memory(4 * MIB)
    yield block
    block.free()


@pytest.mark.limit_gpu_memory("24 MiB")
def test_passes_at_its_limit():
    a = Memory(23 * MIB)
    a.free()
    Memory(24 * MIB)


@pytest.mark.limit_gpu_memory("24 MiB")
def test_fails_above_its_limit():
    a = Memory(24 * MIB)
    b = Memory(1)  # the line that is too much
    return [a.size, b.size] and None


@pytest.mark.limit_gpu_memory("5MB")
def test_fails_with_its_fixture(four):
    Memory(2 * MIB)


@pytest.mark.no_gpu_leaks
def test_fails_by_a_leak():
    kept.append(Memory(3 * MIB))
    kept.append(Memory(2 * MIB))


@pytest.mark.no_gpu_leaks
def test_passes_without_a_leak(four):
    cycle = [Memory(MIB)]
    cycle.append(cycle)


@pytest.mark.limit_gpu_memory("1 MiB")
@pytest.mark.no_gpu_leaks
def test_fails_by_itself():
    kept.append(Memory(8 * MIB))
    raise KeyError("its own error")


@pytest.mark.limit_gpu_memory("24 apples")
def test_fails_by_its_mark():
    pass


@pytest.mark.limit_gpu_memory
def test_fails_by_a_mark_without_a_size():
    pass


@pytest.mark.limit_gpu_memory("1 KiB")
class TestOfAClass:
    @pytest.mark.parametrize("size", [1024, 1025])
    def test_of_a_class(self, size):
        Memory(size)


def test_without_a_mark():
    Memory(7 * MIB)
