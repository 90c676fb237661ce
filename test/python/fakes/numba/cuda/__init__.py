import collections
import types

MemoryInfo = collections.namedtuple("MemoryInfo", "free total")
_managers = []


class GetIpcHandleMixin:
    pass


class HostOnlyCUDAMemoryManager:
    def __init__(self, *args, context, **kwargs):
        self.context = context

    def reset(self):
        pass

    def defer_cleanup(self):
        pass


class MemoryPointer:
    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.device_pointer, self.size, self.finalizer = pointer, size, finalizer

    def __del__(self):
        self.finalizer()


def set_memory_manager(manager):
    if manager(context=None).interface_version != 1:
        raise RuntimeError("Need interface version 1")
    _managers.append(manager)


def device_array(size):
    if isinstance(_managers[-1], type):
        _managers.append(_managers[-1](context=types.SimpleNamespace(device=types.SimpleNamespace(id=0))))
        _managers[-1].initialize()
    return _managers[-1].memalloc(size)


def memory_info():
    return _managers[-1].get_memory_info()
