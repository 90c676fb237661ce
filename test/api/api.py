#!/usr/bin/env python3
"""api.py TEST - cuda_api.def and its types against the toolkit's headers, where there are some (else
status 77), and docs/CUDA.md against the lists it shows.

Environment: SOURCE (the project), CUDA (the toolkit; may be empty), WORK (a folder to write in).
`api.py table` prints docs/CUDA.md.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("SOURCE") or pathlib.Path(__file__).resolve().parents[2])
WORK = pathlib.Path(os.environ.get("WORK") or "/nonexistent")
CUDA = pathlib.Path(os.environ.get("CUDA") or "/nonexistent")
LISTS = SOURCE / "include/gpumemprof"
HEADERS = ("cuda.h", "cuda_runtime_api.h", "cudaGL.h", "cuda_gl_interop.h", "cudaEGL.h", "cudaVDPAU.h", "nccl.h")
# A function that allocates memory says so in its name; so do many that do not.
SOUNDS_LIKE_MEMORY = re.compile(
    "Alloc|Malloc|Create|Import|Map|Regist|Reserve|Free|Destroy|Release|Unmap|Pool|Reset|Trim|SetLimit|GraphAdd|GraphInstantiate"
    "|GraphLaunch|GraphUpload|GraphExec|Open|Close|Retain|Load|Bind|Export|Init|Clone|Attach|Detach|Capture|Heap|Buffer")


# A function that uses memory says so in its name, or takes an address of a device.
SOUNDS_LIKE_USE = re.compile("Memcpy|Memset|Prefetch|Discard|Launch|WriteValue|WaitValue|BatchMemOp|TexObject|SurfObject|TextureObject|"
                             "SurfaceObject|TensorMap|TexRef|SurfRef|IpcGetMem|ExportPointer|AddCallback|HandleForAddress|GraphicsMap|Reduce")
TAKES_ADDRESS = re.compile(r"\bCUdeviceptr\s+\w+|CUdeviceptr\s*\*\s*\w+s\b|void\s*\*\s*devPtr")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def fail(text):
    sys.exit(text)


def followed(name="cuda_api.def"):
    """Lines of cuda_api.def, or of cuda_uses.def: (section, macro, name, rest)."""
    found, section = [], ""
    for line in (LISTS / name).read_text().splitlines():
        if match := re.match(r"/\* ((?:Runtime|Driver) API|NCCL)(.*) \*/", line):
            section = match.group(1) + match.group(2)
        if match := re.match(r"GPUMEMPROF_(\w+)\((\w+), (.*)\)$", line):
            found.append((section, *match.groups()))
    return found


def left_out(name="cuda_left_out.def", macro="LEFT_OUT"):
    """(patterns, reason)"""
    text = (LISTS / name).read_text()
    return [(names.split(), reason) for names, reason in re.findall(rf'^GPUMEMPROF_{macro}\("(.*?)", "(.*)"\)', text, re.M)]


def preprocessed(header, *flags):
    text = subprocess.run(["cc", "-E", "-P", "-I", CUDA / "include", *flags, CUDA / "include" / header],
                          capture_output=True, text=True, check=True).stdout
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)


def declared(header, *flags):
    """Functions a header declares, by the names the linker sees."""
    return set(re.findall(r"\b((?:cu|cuda|nccl)[A-Z]\w*)\s*\([^;{}]*\)\s*;", preprocessed(header, *flags)))


def toolkit_functions():
    if not (CUDA / "include/cuda.h").exists():
        skip("no CUDA toolkit")
    found = set()
    for header in HEADERS:
        if (CUDA / "include" / header).exists():
            for flags in ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",)):
                found |= declared(header, *flags)
    if len(found) < 700:
        fail(f"only {len(found)} functions found in the headers: they are not read right")
    return found


def every_function_is_followed_or_left_out_with_a_reason():
    functions = toolkit_functions()
    names = {name for _, _, name, _ in followed()}
    patterns = [pattern for group, _ in left_out() for pattern in group]
    unknown = [f for f in sorted(functions - names)
               if SOUNDS_LIKE_MEMORY.search(f) and not any(fnmatch.fnmatchcase(f, p) for p in patterns)]
    if unknown:
        fail("neither in cuda_api.def nor in cuda_left_out.def:\n  " + "\n  ".join(unknown))
    gone = [n for n in sorted(names - functions) if not n.startswith("__") and not n.startswith("nccl")]
    if gone:
        fail("in cuda_api.def, but in no header of the toolkit:\n  " + "\n  ".join(gone))
    both = [n for n in sorted(names) if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    if both:
        fail("followed, and left out as well:\n  " + "\n  ".join(both))
    idle = [p for p in patterns if not any(fnmatch.fnmatchcase(f, p) for f in functions) and not p.startswith("nccl")]
    if idle:
        fail("left out, but there is no such function:\n  " + "\n  ".join(idle))
    print(f"{len(functions)} functions: {len(names)} followed")


def a_function_that_is_new_would_be_noticed():
    """The check above can fail."""
    functions = toolkit_functions()
    for new in ("cuMemAllocMoreAsync", "cudaMallocElsewhere", "cuGraphAddPoolNode", "cudaHeapReserve"):
        patterns = [pattern for group, _ in left_out() for pattern in group]
        if new in functions or not SOUNDS_LIKE_MEMORY.search(new) or any(fnmatch.fnmatchcase(new, p) for p in patterns):
            fail(f"{new} would pass unseen")


def prototypes():
    """name -> parameters, of the runtime's and the driver's functions"""
    toolkit_functions()
    found = {}
    for header in HEADERS[:2]:
        for flags in ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",)):
            for name, parameters in re.findall(r"\b(cu(?:da)?[A-Z]\w*)\s*\(([^;{}]*)\)\s*;", preprocessed(header, *flags)):
                found.setdefault(name, parameters)
    return found


def unlisted_uses(functions):
    """Those that may use memory and are in neither list, nor allocate or free it."""
    names = {name for _, _, name, _ in followed() + followed("cuda_uses.def")}
    patterns = [pattern for group, _ in left_out("cuda_uses.def", "USE_LEFT_OUT") for pattern in group]
    return [f for f, parameters in sorted(functions.items())
            if (SOUNDS_LIKE_USE.search(f) or TAKES_ADDRESS.search(parameters)) and f not in names
            and not any(fnmatch.fnmatchcase(f, p) for p in patterns)]


def every_function_that_uses_memory_is_recorded_or_left_out_with_a_reason():
    functions = prototypes()
    if unknown := unlisted_uses(functions):
        fail("in cuda_uses.def neither as a use nor as left out:\n  " + "\n  ".join(unknown))
    names = {name for _, _, name, _ in followed("cuda_uses.def")}
    patterns = [pattern for group, _ in left_out("cuda_uses.def", "USE_LEFT_OUT") for pattern in group]
    if both := [n for n in sorted(names) if any(fnmatch.fnmatchcase(n, p) for p in patterns)]:
        fail("recorded, and left out as well:\n  " + "\n  ".join(both))
    if idle := [p for p in patterns if not any(fnmatch.fnmatchcase(f, p) for f in functions)]:
        fail("left out, but there is no such function:\n  " + "\n  ".join(idle))
    if gone := [n for n in sorted(names - set(functions)) if not n.startswith("__") and n not in REMOVED]:
        fail("in cuda_uses.def, but in no header of the toolkit:\n  " + "\n  ".join(gone))
    print(f"{len(names)} functions that use memory are recorded")


def a_function_that_is_new_and_uses_memory_would_be_noticed():
    """The check above can fail."""
    new = {"cudaMemcpyFarAsync": "void *dst, const void *src", "cuLaunchMany": "CUfunction f", "cuMemTouch": "CUdeviceptr p, size_t n",
           "cudaWarmUp": "const void *devPtr"}
    if unlisted_uses({**prototypes(), **new}) != sorted(new):
        fail("one of them would pass unseen")


REMOVED = {"cudaLaunchCooperativeKernelMultiDevice"}  # by CUDA 13, and in programs for CUDA 12

TYPES = {  # ours: the runtime API's, the driver's
    "struct gpm_pitched_ptr": ("struct cudaPitchedPtr", None, {"ptr": "ptr", "pitch": "pitch", "ysize": "ysize"}),
    "struct gpm_extent": ("struct cudaExtent", None, {"width": "width", "depth": "depth"}),
    "struct gpm_channel_desc": ("struct cudaChannelFormatDesc", None, {"x": "x", "w": "w", "f": "f"}),
    "struct gpm_array_desc": (None, "CUDA_ARRAY_DESCRIPTOR",
                              {"width": "Width", "height": "Height", "format": "Format", "channels": "NumChannels"}),
    "struct gpm_array3d_desc": (None, "CUDA_ARRAY3D_DESCRIPTOR",
                                {"width": "Width", "depth": "Depth", "format": "Format", "channels": "NumChannels", "flags": "Flags"}),
    "struct gpm_location": ("struct cudaMemLocation", "CUmemLocation", {"type": "type", "id": "id"}),
    "struct gpm_physical_props": (None, "CUmemAllocationProp", {"type": "type", "location": "location"}),
    "struct gpm_pool_props": ("struct cudaMemPoolProps", "CUmemPoolProps", {"location": "location", "max_size": "maxSize"}),
    "struct gpm_pool_pointer": ("struct cudaMemPoolPtrExportData", "CUmemPoolPtrExportData", {}),
    "struct gpm_ipc_handle": ("cudaIpcMemHandle_t", "CUipcMemHandle", {}),
    "struct gpm_external": ("struct cudaExternalMemoryHandleDesc", "CUDA_EXTERNAL_MEMORY_HANDLE_DESC",
                            {"type": "type", "handle": "handle", "size": "size", "flags": "flags"}),
    "struct gpm_graph_alloc": ("struct cudaMemAllocNodeParams", "CUDA_MEM_ALLOC_NODE_PARAMS",
                               {"pool": "poolProps", "bytes": "bytesize", "address": "dptr"}),
    "struct gpm_graph_node": ("struct cudaGraphNodeParams", "CUgraphNodeParams",
                              {"type": "type", "alloc": "alloc", "free": "free", "child": "graph"}),
    "struct gpm_dim3": ("dim3", None, {"x": "x", "y": "y", "z": "z"}),
    "struct gpm_launch_config": ("cudaLaunchConfig_t", None, {"grid": "gridDim", "block": "blockDim", "shared": "dynamicSmemBytes",
                                                              "stream": "stream", "attributes": "attrs", "count": "numAttrs"}),
    "struct gpm_driver_config": (None, "CUlaunchConfig", {"stream": "hStream", "attributes": "attrs", "count": "numAttrs"}),
    "struct gpm_launch_attribute": ("cudaLaunchAttribute", "CUlaunchAttribute", {}),
    "struct gpm_position": ("struct cudaPos", None, {"x": "x", "z": "z"}),
    "struct gpm_copy_3d": ("struct cudaMemcpy3DParms", None, {
        "from_array": "srcArray", "from_at": "srcPos", "from": "srcPtr", "to_array": "dstArray", "to_at": "dstPos", "to": "dstPtr",
        "extent": "extent", "kind": "kind"}),
    "struct gpm_copy_peer": ("struct cudaMemcpy3DPeerParms", None, {
        "from_array": "srcArray", "from_at": "srcPos", "from": "srcPtr", "to_array": "dstArray", "to_at": "dstPos", "to": "dstPtr",
        "extent": "extent"}),
    "struct gpm_copy_plane": (None, "CUDA_MEMCPY2D", {
        "from_x": "srcXInBytes", "from_y": "srcY", "from_type": "srcMemoryType", "from_host": "srcHost", "from_device": "srcDevice",
        "from_pitch": "srcPitch", "to_x": "dstXInBytes", "to_y": "dstY", "to_type": "dstMemoryType", "to_host": "dstHost",
        "to_device": "dstDevice", "to_pitch": "dstPitch", "width": "WidthInBytes", "height": "Height"}),
    "struct gpm_copy_space": (None, "CUDA_MEMCPY3D", {
        "from_x": "srcXInBytes", "from_y": "srcY", "from_z": "srcZ", "from_type": "srcMemoryType", "from_host": "srcHost",
        "from_device": "srcDevice", "from_pitch": "srcPitch", "from_height": "srcHeight", "to_x": "dstXInBytes", "to_y": "dstY",
        "to_z": "dstZ", "to_type": "dstMemoryType", "to_host": "dstHost", "to_device": "dstDevice", "to_pitch": "dstPitch",
        "to_height": "dstHeight", "width": "WidthInBytes", "height": "Height", "depth": "Depth"}),
    "struct gpm_instantiate": ("cudaGraphInstantiateParams", "CUDA_GRAPH_INSTANTIATE_PARAMS", {"flags": "flags", "upload": None}),
}
NUMBERS = {
    "GPM_MEMORY_HOST": (None, "CU_MEMORYTYPE_HOST"),
    "GPM_MEMORY_ARRAY": (None, "CU_MEMORYTYPE_ARRAY"),
    "GPM_LAUNCH_PROGRAMMATIC": ("cudaLaunchAttributeProgrammaticStreamSerialization", "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION"),
    "offsetof(struct gpm_launch_attribute, value)": ("offsetof(cudaLaunchAttribute, val)", "offsetof(CUlaunchAttribute, value)"),
    "offsetof(struct gpm_launch_attribute, value.allowed)": ("offsetof(cudaLaunchAttribute, val.programmaticStreamSerializationAllowed)",
                                                             "offsetof(CUlaunchAttribute, value.programmaticStreamSerializationAllowed)"),
    "offsetof(struct gpm_resource, address)": ("offsetof(struct cudaResourceDesc, res.linear.devPtr)", "offsetof(CUDA_RESOURCE_DESC, res.linear.devPtr)"),
    "offsetof(struct gpm_resource, address) + 0": ("offsetof(struct cudaResourceDesc, res.pitch2D.devPtr)", "offsetof(CUDA_RESOURCE_DESC, res.pitch2D.devPtr)"),
    "GPM_ON_DEVICE": ("cudaMemLocationTypeDevice", "CU_MEM_LOCATION_TYPE_DEVICE"),
    "GPM_ARRAY_LAYERED": ("cudaArrayLayered", "CUDA_ARRAY3D_LAYERED"),
    "GPM_ARRAY_CUBE": ("cudaArrayCubemap", "CUDA_ARRAY3D_CUBEMAP"),
    "GPM_ARRAY_SPARSE": ("cudaArraySparse", "CUDA_ARRAY3D_SPARSE"),
    "GPM_ARRAY_DEFERRED": ("cudaArrayDeferredMapping", "CUDA_ARRAY3D_DEFERRED_MAPPING"),
    "GPM_GRAPH_NODE_GRAPH": ("cudaGraphNodeTypeGraph", "CU_GRAPH_NODE_TYPE_GRAPH"),
    "GPM_GRAPH_NODE_ALLOC": ("cudaGraphNodeTypeMemAlloc", "CU_GRAPH_NODE_TYPE_MEM_ALLOC"),
    "GPM_GRAPH_NODE_FREE": ("cudaGraphNodeTypeMemFree", "CU_GRAPH_NODE_TYPE_MEM_FREE"),
    "GPM_GRAPH_AUTO_FREE": ("cudaGraphInstantiateFlagAutoFreeOnLaunch", "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH"),
    "GPM_CUDA_OUT_OF_MEMORY": ("cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY"),
    "GPM_POINTER_CONTEXT": (None, "CU_POINTER_ATTRIBUTE_CONTEXT"),
    "GPM_POINTER_MEMORY_TYPE": (None, "CU_POINTER_ATTRIBUTE_MEMORY_TYPE"),
    "GPM_POINTER_DEVICE_ORDINAL": (None, "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"),
    "GPM_POOL_RELEASE_THRESHOLD": (None, "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD"),
    "GPM_POOL_RESERVED": (None, "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT"),
    "GPM_POOL_RESERVED_HIGH": (None, "CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH"),
    "GPM_POOL_USED": (None, "CU_MEMPOOL_ATTR_USED_MEM_CURRENT"),
    "GPM_POOL_USED_HIGH": (None, "CU_MEMPOOL_ATTR_USED_MEM_HIGH"),
    "GPM_GRAPH_USED": (None, "CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT"),
    "GPM_GRAPH_USED_HIGH": (None, "CU_GRAPH_MEM_ATTR_USED_MEM_HIGH"),
    "GPM_GRAPH_RESERVED": (None, "CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT"),
    "GPM_GRAPH_RESERVED_HIGH": (None, "CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH"),
    "GPM_RANGE_LAST_PREFETCH": (None, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION"),
}


def compiled(name, text, *flags):
    WORK.mkdir(parents=True, exist_ok=True)
    source = WORK / f"{name}.c"
    source.write_text(text)
    done = subprocess.run(["cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", "-I", CUDA / "include", "-I", SOURCE / "include",
                           "-I", SOURCE / "runtime", *flags, source], capture_output=True, text=True, check=False)
    if done.returncode:
        fail(done.stdout + done.stderr)


def check_types(sizes=True):
    checks = []
    for ours, (runtime, driver, members) in TYPES.items():
        for theirs in filter(None, (runtime, driver)):
            if sizes or ours != "struct gpm_external":  # CUDA 13 added room behind what it has
                checks.append(f'_Static_assert(sizeof({ours}) == sizeof({theirs}), "{theirs}");')
            for mine, other in members.items():
                if other:
                    checks.append(f'_Static_assert(offsetof({ours}, {mine}) == offsetof({theirs}, {other}), "{theirs}.{other}");')
    for ours, pair in NUMBERS.items():
        checks += [f'_Static_assert((int){ours} == (int){theirs}, "{theirs}");' for theirs in pair if theirs]
    includes = "".join(f'#include "{h}"\n' for h in
                       ("cuda.h", "cuda_runtime_api.h", "gpumemprof/cuda_types.h", "driver.h"))
    compiled("types", includes.replace("driver.h", "../runtime/cuda/driver.h") + "#include <stddef.h>\n" + "\n".join(checks) + "\n")


def types_are_laid_out_as_the_toolkits():
    toolkit_functions()
    check_types()


HANDLE = re.compile(r"\s*(?:struct\s+)?(cuda(?:Stream|MemPool|Graph|GraphExec|GraphNode|ExternalMemory|Array|MipmappedArray)_t|"
                    r"cudaArray_const_t|cudaMipmappedArray_t|cudaHostFn_t|cudaStreamCallback_t|"
                    r"CU(?:hostFn|streamCallback|texref|stream|function|memoryPool|graph|graphExec|graphNode|context|array|mipmappedArray|"
                    r"externalMemory))\s+\w+$")


def differs(rest, theirs):
    """What is wrong with the parameters of a line; None: there are as many, and a pointer or handle for each of the toolkit's."""
    mine, theirs = re.findall(r", \(([^(),]+), (\w+)\)", rest), [p.strip() for p in theirs.split(",")]
    if len(mine) != len(theirs):
        return f"{len(mine)} parameters, the toolkit has {len(theirs)}: {', '.join(theirs)}"
    for (type_, parameter), other in zip(mine, theirs):
        pointer = "*" in type_ or type_ in ("gpm_stream", "gpm_pool", "gpm_graph", "gpm_exec", "gpm_context")
        if pointer != bool("*" in other or HANDLE.match(other)):
            return f"{type_} {parameter} stands for {other}"
    return None


def compared():
    """name -> the rest of its line, of those lines whose prototypes the headers have."""
    return {name: rest for _, _, name, rest in followed() + followed("cuda_uses.def")
            if not name.startswith(("__", "nccl")) and name != "cudaDeviceReset"}


def prototypes_have_the_toolkits_parameters():
    toolkit_functions()
    known = prototypes()
    wrong = [f"{name}: {problem}" for name, rest in compared().items()
             if name not in REMOVED and (problem := differs(rest, known[name]))]
    if wrong:
        fail("\n".join(wrong))


def cuda_12():
    """A folder with the headers of CUDA 12."""
    given = os.environ.get("GPUMEMPROF_CUDA12")
    for home in [pathlib.Path(given)] if given else sorted(pathlib.Path("/usr/local").glob("cuda-12*"), reverse=True):
        if (home / "include/cuda.h").exists():
            return home
    return skip("no headers of CUDA 12")


def cuda_12_differs_as_its_list_says():
    """Functions that allocate or use memory have the names and parameters of CUDA 13, or those of cuda12.def; types are alike."""
    global CUDA
    CUDA = cuda_12()
    known, lines, wrong = prototypes(), compared(), []
    listed = {name: rest for _, _, name, rest in followed("cuda12.def")}
    forms = {name.removesuffix("_12"): rest for name, rest in listed.items() if name.endswith("_12")}
    others = {name: rest for name, rest in listed.items() if not name.endswith("_12") and name != "cudaThreadExit"}
    for name, rest in (lines | forms | others).items():
        if name in known and (problem := differs(rest, known[name])):
            wrong.append(f"{name}: {problem}")
    wrong += [f"no header of CUDA 12 has {name}" for name in others if name not in known and "Batch" not in name]
    patterns = [p for list_, macro in (("cuda_left_out.def", "LEFT_OUT"), ("cuda_uses.def", "USE_LEFT_OUT"), ("cuda12.def", "CUDA12_LEFT_OUT"))
                for group, _ in left_out(list_, macro) for p in group]
    every = {name for _, _, name, _ in followed() + followed("cuda_uses.def")} | set(listed)
    wrong += [f"in no list: {f}" for f, parameters in sorted(known.items())
              if (SOUNDS_LIKE_MEMORY.search(f) or SOUNDS_LIKE_USE.search(f) or TAKES_ADDRESS.search(parameters) or f == "cudaThreadExit")
              and f not in every and not any(fnmatch.fnmatchcase(f, p) for p in patterns)]
    if wrong:
        fail("\n".join(wrong))
    check_types(sizes=False)
    print(f"{len(known)} functions of CUDA 12, {len(forms)} with other parameters")


def lines_of_cuda_12_have_other_numbers_of_parameters():
    """By the number alone the plugin chooses the hooks of a declaration (hookName); a name without _12 is not in the other lists."""
    lines = {name: rest for list_ in ("cuda_api.def", "cuda_uses.def") for _, _, name, rest in followed(list_)}
    wrong = []
    for _, macro, name, rest in followed("cuda12.def"):
        of = name.removesuffix("_12")
        if name == of and of in lines:
            wrong.append(f"{name}: has a line of CUDA 13")
        elif name != of and of not in lines:
            wrong.append(f"{name}: {of} has no line")
        elif name != of and number_of(rest) == number_of(lines[of]):
            wrong.append(f"{name}: as many parameters as in CUDA 13")
    if wrong:
        fail("\n".join(wrong))


# ---- docs/CUDA.md -------------------------------------------------------------------------------------

KINDS = {"DEVICE": "device", "MANAGED": "managed", "PINNED": "pinned", "ARRAY": "array", "IMPORTED": "imported"}
EFFECTS = {  # what a line does that is neither an allocation nor a free
    "gpm_vmm_created": "allocates (vmm); counts once, however much of it is mapped",
    "gpm_vmm_release": "frees, when the memory is also unmapped",
    "gpm_vmm_unmapped": "frees, when the memory is also released",
    "gpm_vmm_mapped": "keeps released memory until it is unmapped; the first mapping of imported memory counts it (imported)",
    "gpm_vmm_retained": "the memory needs one more release",
    "gpm_vmm_imported": "counts when the memory is mapped",
    "gpm_graphs_allocates": "each launch allocates (graph); this line owns the block",
    "gpm_graphs_frees": "each launch frees the block",
    "gpm_graphs_node": "as the two functions above, by the type of the node; any other may use any memory",
    "gpm_graphs_child": "each launch also runs the memory nodes of the child graph",
    "gpm_graphs_instantiated": "the memory nodes of the graph become those of the executable graph",
    "gpm_graphs_launched": "makes the events of the memory nodes",
    "gpm_graphs_destroy": "removes the nodes; reads what CUDA keeps for graphs",
    "gpm_graphs_changed": "reads what CUDA keeps for graphs",
    "gpm_graphs_capture_begins": "from now on, stream-ordered calls may make nodes",
    "gpm_graphs_capture_ends": "from now on, stream-ordered calls make no nodes",
    "gpm_pools_created": "begins to read the used and reserved bytes of the pool",
    "gpm_pools_imported": "begins to read the used and reserved bytes of the pool of another process",
    "gpm_pools_chosen": "begins to read the used and reserved bytes of the pool from which later allocations come",
    "gpm_pools_changed": "reads the used and reserved bytes of the pool",
    "gpm_pools_destroy": "reads the pool for the last time; its blocks stay live",
    "gpm_imports_opened": "allocates (imported); counts once, however often it is opened",
    "gpm_imports_close": "frees, when it is closed for the last time",
    "gpm_reset_context": "frees what was allocated in the context, without the memory of pools, graphs and cuMemCreate",
    "gpm_reset_device": "frees what was allocated in the device's primary context, if this call ends it, without the memory of pools, graphs and cuMemCreate",
    "gpm_entries_found": "returns a function that records its calls",
    "gpm_statics_unregistered": "frees the variables of a closed library",
}


USES = {  # what a line of cuda_uses.def records
    "gpm_uses_launch_begins": "the site of the launch that follows",
    "gpm_uses_launch": "a launch, with the words of the kernel's parameters that may hold an address",
    "gpm_uses_launch_config": "a launch, with the words of the kernel's parameters that may hold an address; and whether it may begin before what is before it in its stream has ended",
    "gpm_uses_launch_driver_config": "a launch, with the words of the kernel's parameters that may hold an address; and whether it may begin before what is before it in its stream has ended",
    "gpm_uses_any": "that it may use any memory",
    "gpm_uses_copy": "a copy: both ranges; which blocks have their address in what comes from the host",
    "gpm_uses_copy_all": "each copy of the batch, as one",
    "gpm_uses_copy_rows": "a copy of rows: both ranges, from the first row to the last; as a copy",
    "gpm_uses_copy_3d": "as a copy of rows; an array is at no address",
    "gpm_uses_copy_peer": "as a copy of rows; an array is at no address",
    "gpm_uses_copy_plane": "as a copy of rows; an array is at no address",
    "gpm_uses_copy_space": "as a copy of rows; an array is at no address",
    "gpm_uses_fill": "a fill of the range",
    "gpm_uses_fill_rows": "a fill of rows, from the first to the last",
    "gpm_uses_prefetch": "a prefetch of the range",
    "gpm_uses_wait_word": "a read of the word",
    "gpm_uses_write_word": "a fill of the word; the value, which may be an address",
    "gpm_uses_current_device": "that several devices were current, if they were",
    "gpm_uses_stream_ends": "that a later stream may have the handle",
    "gpm_uses_host_function": "that asynchronous copies may find another source than when they were asked for",
    "gpm_uses_address": "that kernels may find the address from now on",
    "gpm_uses_shared": "that another process may use the block from now on",
}


def use(macro, rest):
    if macro == "KERNEL_HANDLE":
        return "by which handle the kernel is launched"
    return next(text for effect, text in USES.items() if effect + "(" in rest)


def state(macro, rest):
    if macro == "ALLOC" and "gpm_view_bytes(" in rest:
        return "a view of memory that the import has counted: a block of no bytes"
    if macro == "ALLOC":
        return f"allocates ({KINDS[rest.split(', ')[1]]})"
    if macro == "POOL_ALLOC":
        return "allocates (pool); on a captured stream it makes a node (graph)"
    if macro == "FREE":
        return "frees"
    if macro == "POOL_FREE":
        return "frees; on a captured stream it makes a node"
    if macro == "RESET":
        return "frees what was allocated in the device's primary context, without the memory of pools, graphs and cuMemCreate"
    return next(text for effect, text in EFFECTS.items() if effect + "(" in rest)


def number_of(rest):
    """How many parameters the line has."""
    return len(re.findall(r", \(([^(),]+), (\w+)\)", rest))


def table():
    out = ["# The CUDA functions that are recorded", "",
           "Every function of CUDA 13 and CUDA 12 that allocates, maps or frees memory, and what the profiler records of a call. The words",
           "are those of [ACCOUNTING.md](ACCOUNTING.md). This page is written by `test/api/api.py table` from cuda_api.def, cuda_uses.def,",
           "cuda12.def and cuda_left_out.def of include/gpumemprof. Tests compare it with these files, and the files with the headers of both",
           "toolkits. `[_ptsz]`: also the form of the function that is compiled with a per-thread default stream.", ""]
    section, names = None, {name for _, _, name, _ in followed()}
    for where, macro, name, rest in followed():
        if name.endswith("_ptsz"):
            continue
        if where != section:
            out += ["" if section else None, f"## {where}", "", "| function | what a call does |", "| --- | --- |"]
            section = where
        out.append(f"| `{name}{'[_ptsz]' if name + '_ptsz' in names else ''}` | {state(macro, rest)} |")
    names, section = {name for _, _, name, _ in followed("cuda_uses.def")}, None
    out += ["", "## Functions that use memory", "", "With `uses=on`, a call of these is an event of the history: which memory was used, and where.", "",
            "| function | what is recorded |", "| --- | --- |"]
    for _, macro, name, rest in followed("cuda_uses.def"):
        form = next((form for form in ("_ptsz", "_ptds") if name + form in names), "")
        if not name.endswith(("_ptsz", "_ptds")):
            out.append(f"| `{name}{f'[{form}]' if form else ''}` | {use(macro, rest)} |")
    out += ["", "A call that makes a node of a graph, explicitly or on a captured stream, is not recorded: the launch of the graph is.",
            "Calls of CUDA's libraries are recorded, too, with the pointers that they are given (plugin/names/LibraryUses.def). Left out:", "",
            "| functions | why |", "| --- | --- |"]
    out += [f"| {', '.join(f'`{name}`' for name in group)} | {reason} |" for group, reason in left_out("cuda_uses.def", "USE_LEFT_OUT")]
    names, section = {name for _, _, name, _ in followed("cuda12.def")}, None
    out += ["", "## CUDA 12", "", "What CUDA 12 has otherwise. All other functions above are the same in both, as far as a version has them.", "",
            "| function | what is recorded |", "| --- | --- |"]
    for _, macro, name, rest in followed("cuda12.def"):
        ptsz, what = "_ptsz_12" if name.endswith("_12") else "_ptsz", (use if macro == "USE" else state)(macro, rest)
        if not name.endswith(("_ptsz", "_ptsz_12")):
            shown = f"`{name.removesuffix('_12')}{'[_ptsz]' if name.removesuffix('_12') + ptsz in names else ''}`"
            if "gpm_graphs_node(" in rest:
                what = "as the function of CUDA 13 that adds a node of any type"
            with_12 = f" with {number_of(rest)} parameters" if name.endswith("_12") else ""
            out.append(f"| {shown}{with_12} | {what} |")
    out += ["", "## Memory without a call", "", "| memory | what is recorded |", "| --- | --- |",
            "| `__device__`, `__constant__`, `__managed__` variables | counted (static) on each device that is used, at the line of their declaration |",
            "| cuBLAS, cuDNN, NCCL and other code that was not rebuilt | `cupti=on` shows it at the calling line; without it, it is in the unaccounted line |",
            "| a function found by `dlsym` in rebuilt code | `dlsym` returns one that records its calls |",
            "| NVSHMEM's symmetric heap | made by its library: `cupti=on` shows it; the program can report its pieces with `gpumemprof_alloc` |", "",
            "## Left out", "", "| functions | why |", "| --- | --- |"]
    out += [f"| {', '.join(f'`{name}`' for name in group)} | {reason} |" for group, reason in left_out()]
    return "\n".join(line for line in out if line is not None) + "\n"


def the_table_in_the_documents_is_that_of_the_lists():
    if (SOURCE / "docs/CUDA.md").read_text() != table():
        fail("docs/CUDA.md is out of date: python3 test/api/api.py table > docs/CUDA.md")


if __name__ == "__main__":
    if sys.argv[1] == "table":
        sys.stdout.write(table())
    else:
        globals()[sys.argv[1]]()
