"""Byte gates: what a Manager copies between an engine's memory and its pool is right to the byte.

Every gate fills and compares through tensors of the engine's own shape; only the registration uses
offsets and strides. So a layout that is read wrongly cannot pass. Run by run.sh.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = next(p for p in (HERE.parent, *HERE.parents) if (p / "sdk" / "python" / "orbitkv.py").exists())
sys.path.insert(0, str(HOME / "sdk" / "python"))

import orbitkv  # noqa: E402
import torch  # noqa: E402
from orbitkv import Layout, Manager, OrbitKvError, layers_of  # noqa: E402

LAYERS, BLOCKS, TOKENS, HEADS, HEAD = 6, 48, 16, 4, 64
GATE_SECONDS = 60
chance = random.Random(int(os.environ.get("SEED", "1")))


class Skipped(Exception):
    """The machine lacks what a gate needs."""


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


# ---- devices ------------------------------------------------------------------------------------


class Gpu:
    """Tensors of a GPU."""

    def __init__(self, index=0):
        self.device = torch.device("cuda", index)
        torch.cuda.set_device(self.device)

    def tensors(self, shapes):
        return [torch.empty(shape, dtype=torch.uint8, device=self.device) for shape in shapes]

    def memory(self, tensors, events=()):
        memory = orbitkv.CudaMemory(tensors, events)
        return memory, [memory.offset_of(tensor.data_ptr()) for tensor in tensors]

    def random(self, tensor):
        tensor.random_(0, 256)

    def settle(self):
        torch.cuda.synchronize(self.device)


class Cpu:
    """Tensors in one shared-memory file, for machines without a GPU."""

    def __init__(self, index=0):
        self.shared = None

    def tensors(self, shapes):
        sizes = [-(-torch.Size(shape).numel() // 4096) * 4096 for shape in shapes]
        self.shared = orbitkv.SharedMemory(sum(sizes))
        flat = torch.frombuffer(self.shared.memory, dtype=torch.uint8)
        made, place = [], 0
        for shape, size in zip(shapes, sizes):
            made.append(flat[place:place + torch.Size(shape).numel()].view(shape))
            place += size
        return made

    def memory(self, tensors, events=()):
        start = min(tensor.data_ptr() for tensor in tensors)
        return self.shared, [tensor.data_ptr() - start for tensor in tensors]

    def random(self, tensor):
        tensor.random_(0, 256)

    def settle(self):
        pass


# ---- layouts of engines -------------------------------------------------------------------------

# Shape of a tensor in bytes, the order in which its dimensions lie in memory (slowest first), the
# dimension that counts blocks, tensors, and kernel blocks of a page.
D2 = 2 * 2 * HEAD  # K and V of a head in 16 bits
SHAPES = {
    "vllm-split-kv": ((2, BLOCKS, TOKENS, HEADS, 2 * HEAD), (0, 1, 2, 3, 4), 1, LAYERS, 1),
    "vllm-block-kv": ((BLOCKS, 2, TOKENS, HEADS, 2 * HEAD), (0, 1, 2, 3, 4), 0, LAYERS, 1),
    "vllm-packed-nhd": ((BLOCKS, HEADS, TOKENS, D2), (0, 2, 1, 3), 0, LAYERS, 1),
    "vllm-packed-hnd": ((BLOCKS, HEADS, TOKENS, D2), (0, 1, 2, 3), 0, LAYERS, 1),
    "mla-fp8": ((BLOCKS, TOKENS, 656), (0, 1, 2), 0, LAYERS, 1),
    "cross-layer-nhd": ((BLOCKS, LAYERS, TOKENS, HEADS, D2), (0, 1, 2, 3, 4), 0, 1, 1),
    "cross-layer-hnd": ((BLOCKS, HEADS, LAYERS, TOKENS, D2), (0, 1, 2, 3, 4), 0, 1, 1),
    "layers-interleaved": ((LAYERS, BLOCKS, TOKENS, D2), (1, 0, 2, 3), 1, 1, 1),
    "sglang-rows": ((BLOCKS, TOKENS, HEADS, 2 * HEAD), (0, 1, 2, 3), 0, 2 * LAYERS, 1),
    "pages-of-4-blocks": ((BLOCKS, TOKENS, HEADS, D2), (0, 1, 2, 3), 0, LAYERS, 4),
    "split-kv-pages-of-2": ((2, BLOCKS, TOKENS, HEADS, 2 * HEAD), (0, 1, 2, 3, 4), 1, LAYERS, 2),
    "72-small-layers": ((BLOCKS, TOKENS, 512), (0, 1, 2), 0, 72, 1),
}


class Cache:
    """An engine's KV cache of one layout, registered with the Manager."""

    def __init__(self, run, manager, name, instance, events=(), shape=None, rank=0, world=1,
                 namespace=None, device=None):
        sizes, order, page_dim, count, blocks_a_page = shape or SHAPES[name]
        self.device = device or run.device()
        physical = [sizes[d] for d in order]
        inverse = [order.index(d) for d in range(len(order))]
        base = self.device.tensors([physical] * count)
        self.tensors = [tensor.permute(inverse) for tensor in base]
        self.page_dim, self.blocks_a_page = page_dim, blocks_a_page
        self.pages = sizes[page_dim] // blocks_a_page
        memory, offsets = self.device.memory(self.tensors, events)
        layers = []
        for i, (tensor, offset) in enumerate(zip(self.tensors, offsets)):
            layers += layers_of(f"layer.{i}", offset, tuple(tensor.shape), tensor.stride(), 1,
                                page_dim, blocks_a_page)
        self.layout = Layout(layers, page_tokens=TOKENS * blocks_a_page, rank=rank, world_size=world)
        self.memory = memory
        self.manager = manager
        self.fill()
        self.worker = manager.register(
            instance, namespace or orbitkv.digest(f"{name} {instance}"), self.layout, memory)

    def page(self, tensor, page):
        return tensor.narrow(self.page_dim, page * self.blocks_a_page, self.blocks_a_page)

    def fill(self):
        for tensor in self.tensors:
            self.device.random(tensor)
        self.device.settle()

    def copy(self):
        return [tensor.clone() for tensor in self.tensors]

    def some_pages(self, count):
        return chance.sample(range(1, self.pages), count)

    def check(self, restored, from_pages, saved, before, what):
        """Each restored page holds what its source held; all other bytes are as before."""
        self.device.settle()
        for layer, (now, old, was) in enumerate(zip(self.tensors, saved, before)):
            wanted = was.clone()
            for target, source in zip(restored, from_pages):
                self.page(wanted, target).copy_(self.page(old, source))
            if not torch.equal(now, wanted):
                places = (now != wanted).nonzero()
                raise AssertionError(
                    f"{what}: [{len(places)}] wrong bytes in tensor [{layer}], the first at"
                    f" {places[0].tolist()}, restored to pages {restored} from {from_pages}")


def keys(count, seed=None):
    source = chance if seed is None else random.Random(seed)
    return [source.randbytes(16) for _ in range(count)]


def publish(cache, names, pages, wait_event=0, commit=True):
    operation = cache.manager.publish(cache.worker, names, pages, wait_event)
    answer = operation.wait()
    expect(answer.hits + (answer.detail >> 32) == len(pages),
           f"published {answer.hits} of {len(pages)} pages: {answer}")
    if commit:
        operation.commit()
        cache.manager.sync()
    return operation


def restore(cache, names, targets, what, worker=None):
    answer = cache.manager.query(worker or cache.worker, what, names).wait()
    expect(answer.state == "READY" and answer.hits == len(names),
           f"{what}: {answer.state} with {answer.hits} of {len(names)} pages")
    expect(cache.manager.restore(cache.worker, answer.lease, targets).wait().state == "RESTORED", what)


def round_trip(cache, what, count=12):
    sources, names = cache.some_pages(count), keys(count)
    saved = cache.copy()
    publish(cache, names, sources)
    cache.fill()
    before = cache.copy()
    targets = cache.some_pages(count)
    restore(cache, names, targets, what)
    cache.check(targets, sources, saved, before, what)
    return names, sources, saved


# ---- the gates ----------------------------------------------------------------------------------

GATES = {}


def gate(function):
    GATES[function.__name__.replace("_", "-")] = function
    return function


for shape_name in SHAPES:
    def layout_gate(run, shape_name=shape_name):
        with run.connect() as manager:
            cache = Cache(run, manager, shape_name, shape_name)
            for i in range(3):
                round_trip(cache, f"{shape_name} round {i}", min(12, (cache.pages - 1) // 2))

    GATES[f"layout-{shape_name}"] = layout_gate


@gate
def consecutive_pages(run):
    """Long stretches of pages on both sides, which are copied as rows, and ones with holes."""
    shape = ((200, TOKENS, 256), (0, 1, 2), 0, LAYERS, 1)
    with run.connect() as manager:
        cache = Cache(run, manager, "consecutive", "consecutive", shape=shape)
        for first, second in ((1, 60), (3, 100)):
            sources = list(range(first, first + 40))
            targets = list(range(second, second + 20)) + list(range(second + 21, second + 41))
            names, saved = keys(40), cache.copy()
            publish(cache, names, sources)
            cache.fill()
            before = cache.copy()
            restore(cache, names, targets, "consecutive")
            cache.check(targets, sources, saved, before, "consecutive")


@gate
def siblings_evicted(run):
    """Three pages go back to the pool while the fourth is leased; then its bytes are right."""
    for name in ("vllm-block-kv", "vllm-split-kv"):
        with run.connect() as manager:
            cache = Cache(run, manager, name, f"siblings {name}")
            names, sources, saved = keys(4), cache.some_pages(4), cache.copy()
            for key, page in zip(names, sources):
                publish(cache, [key], [page])
            held = run.pool_bytes(manager)
            answer = manager.query(cache.worker, "fourth", names[3:]).wait()
            expect(answer.state == "READY", answer)
            manager.evict(everywhere=True)
            left = run.pool_bytes(manager)
            expect(0 < left <= held / 4 + 4096, f"of [{held}] bytes [{left}] stay with one lease")
            # The other three places are used again, by other bytes, while the lease stands.
            others = cache.some_pages(6)
            publish(cache, keys(6), others)
            cache.fill()
            before = cache.copy()
            target = cache.some_pages(1)
            manager.restore(cache.worker, answer.lease, target).wait()
            cache.check(target, sources[3:], saved, before, "the leased page")
            manager.evict(everywhere=True)


@gate
def from_ssd(run):
    """Saved, gone from host memory, read from SSD: alone while its siblings stay there, and all."""
    for name in ("vllm-block-kv", "vllm-split-kv", "72-small-layers"):
        with run.connect() as manager:
            cache = Cache(run, manager, name, f"ssd {name}")
            names, sources, saved = keys(8), cache.some_pages(8), cache.copy()
            for key, page in zip(names, sources):
                publish(cache, [key], [page])
            manager.sync(durable=True)
            manager.evict()
            expect(run.pool_bytes(manager) == 0, f"[{run.pool_bytes(manager)}] bytes stay in the pool")
            cache.fill()
            before = cache.copy()
            target = cache.some_pages(1)
            answer = manager.query(cache.worker, "one of eight", names[5:6]).wait()
            expect(answer.state == "READY", f"{name}: {answer}")
            expect(0 < run.pool_bytes(manager) <= cache_page_bytes(cache), "more than one page was read")
            manager.restore(cache.worker, answer.lease, target).wait()
            cache.check(target, sources[5:6], saved, before, f"{name}: one page from SSD")
            for i, key in enumerate(names):
                before = cache.copy()
                target = cache.some_pages(1)
                restore(cache, [key], target, f"{name} page {i}")
                cache.check(target, [sources[i]], saved, before, f"{name}: page {i} from SSD")


def cache_page_bytes(cache):
    payload = sum(layer.segment_bytes * layer.segments for layer in cache.layout.layers)
    return -(-payload // 4096) * 4096


@gate
def producer_delayed(run):
    """What is published is what the producer's kernels wrote, however late they come."""
    run.need_cuda()
    event = torch.cuda.Event(interprocess=True)
    stream = torch.cuda.Stream()
    with run.connect() as manager:
        event.record()
        cache = Cache(run, manager, "vllm-packed-nhd", "producer", events=[event])
        # The first launch of a kernel loads it, which waits for what runs.
        cache.page(cache.tensors[0], 0).fill_(1)
        torch.cuda.synchronize()
        for i in range(3):
            sources, names = cache.some_pages(8), keys(8)
            with torch.cuda.stream(stream):
                torch.cuda._sleep(int(4e8))
                for tensor in cache.tensors:
                    for page in sources:
                        cache.page(tensor, page).fill_(65 + i)
                event.record(stream)
            operation = manager.publish(cache.worker, names, sources, wait_event=1)
            expect(not event.query(), "the producer was not late enough for this gate")
            operation.wait()
            expect(event.query(), "the publish was answered before its producer's event")
            operation.commit()
            manager.sync()
            saved = cache.copy()
            cache.fill()
            before = cache.copy()
            targets = cache.some_pages(8)
            restore(cache, names, targets, "after the producer")
            cache.check(targets, sources, saved, before, "after the producer")


@gate
def load_waits_for_its_event(run):
    """A restore does not write before the client's event: earlier kernels read the old bytes."""
    run.need_cuda()
    event = torch.cuda.Event(interprocess=True)
    stream = torch.cuda.Stream()
    with run.connect() as manager:
        event.record()
        cache = Cache(run, manager, "vllm-packed-nhd", "load event", events=[event])
        names, sources, saved = round_trip(cache, "before")
        old = cache.copy()
        targets = cache.some_pages(len(names))
        answer = manager.query(cache.worker, "waits", names).wait()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(int(2e8))
            read = [tensor.clone() for tensor in cache.tensors]
            event.record(stream)
        restoring = manager.restore(cache.worker, answer.lease, targets, wait_event=1)
        restoring.wait()
        expect(event.query(), "the restore was answered before the client's event")
        stream.synchronize()
        expect(all(torch.equal(a, b) for a, b in zip(read, old)),
               "a kernel before the event saw restored bytes")
        cache.check(targets, sources, saved, old, "after the event")


@gate
def unrelated_work_running(run):
    """A publish is answered while a kernel that has nothing to do with it still runs."""
    run.need_cuda()
    with run.connect() as manager:
        cache = Cache(run, manager, "vllm-block-kv", "unrelated")
        stream, end = torch.cuda.Stream(), torch.cuda.Event()
        saved, sources, names = cache.copy(), cache.some_pages(8), keys(8)
        cache.device.settle()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(int(4e9))
            end.record(stream)
        publish(cache, names, sources)
        expect(not end.query(), "the unrelated kernel ended first: the publish waited for it")
        torch.cuda.synchronize()
        cache.fill()
        before = cache.copy()
        targets = cache.some_pages(8)
        restore(cache, names, targets, "unrelated")
        cache.check(targets, sources, saved, before, "unrelated")


@gate
def two_client_processes(run):
    """Two processes publish and restore at once; neither sees the other's bytes."""
    others = [run.child("round-trips", f"process {i}") for i in range(2)]
    with run.connect() as manager:
        cache = Cache(run, manager, "vllm-packed-hnd", "beside processes")
        for i in range(10):
            round_trip(cache, f"beside {i}")
    for other in others:
        output = other.communicate(timeout=GATE_SECONDS)[0]
        expect(other.returncode == 0, f"a client process failed:\n{output}")


@gate
def client_killed_mid_copy(run):
    """A killed client's memory is drained and unmapped, its bytes come back, others go on."""
    with run.connect() as manager:
        idle = run.mapped_bytes(manager), run.pool_bytes(manager)
        for i in range(3):
            child = run.child("publish-forever", f"killed {i}")
            for line in child.stdout:
                if "publishing" in line:
                    break
            expect(child.poll() is None, "the client ended by itself")
            time.sleep(0.02 * i)
            child.send_signal(signal.SIGKILL)
            child.wait()
        run.until(lambda: run.mapped_bytes(manager) == idle[0],
                  lambda: f"[{run.mapped_bytes(manager)}] bytes stay mapped, [{idle[0]}] before")
        manager.evict(everywhere=True)
        run.until(lambda: run.pool_bytes(manager) <= idle[1],
                  lambda: f"[{run.pool_bytes(manager)}] bytes stay in the pool, [{idle[1]}] before")
        cache = Cache(run, manager, "vllm-block-kv", "after the kill")
        round_trip(cache, "after the kill")


@gate
def two_ranks(run):
    """TP=2: each rank publishes and restores its own part; on two GPUs where there are two."""
    gpus = torch.cuda.device_count() if run.cuda else 0
    if run.cuda and gpus < 2:
        raise Skipped("one GPU")
    with run.connect() as first, run.connect() as second:
        namespace = orbitkv.digest("two ranks")
        caches = [
            Cache(run, manager, "vllm-packed-nhd", "two ranks", rank=rank, world=2,
                  namespace=namespace, device=run.device(rank))
            for rank, manager in enumerate((first, second))]
        for i in range(3):
            names = keys(8)
            sources = [cache.some_pages(8) for cache in caches]
            saved = [cache.copy() for cache in caches]
            operations = [
                cache.manager.publish(cache.worker, names, pages)
                for cache, pages in zip(caches, sources)]
            for operation in operations:
                operation.wait()
                operation.commit()
            first.sync()
            for cache in caches:
                cache.fill()
            before = [cache.copy() for cache in caches]
            targets = [cache.some_pages(8) for cache in caches]
            answer = first.query(caches[0].worker, f"ranks {i}", names).wait()
            expect(answer.state == "READY" and answer.hits == 8, answer)
            restores = [
                cache.manager.restore(cache.worker, answer.lease, pages)
                for cache, pages in zip(caches, targets)]
            for operation in restores:
                operation.wait()
            for rank, cache in enumerate(caches):
                cache.check(targets[rank], sources[rank], saved[rank], before[rank], f"rank {rank}")


@gate
def wrong_memory_refused(run):
    """A GPU that is not there, an allocation that is too short, and VMM memory are refused."""
    run.need_cuda()
    with run.connect() as manager:
        cache = Cache(run, manager, "vllm-block-kv", "right")

        class Wrong:
            def __init__(self, change):
                self.body = cache.memory.json()
                change(self.body)

            def json(self):
                return self.body

        def refused(change, word):
            try:
                manager.register("wrong", orbitkv.digest("wrong"), cache.layout, Wrong(change))
            except OrbitKvError as refusal:
                expect(word in str(refusal), f"[{word}] is not in: {refusal}")
                return
            raise AssertionError(f"registered in spite of the wrong [{word}]")

        refused(lambda body: body.update(gpuUuid="GPU-00000000-0000-0000-0000-000000000000"), "GPU-0")
        refused(lambda body: body["allocations"][0].update(bytes=1 << 40), "bytes")
        refused(lambda body: body["allocations"][0].update(handle="00" * 64), "cuMemCreate")
        with run.connect() as other:
            expect_closed(other, cache, Wrong(lambda body: body.update(kind="cuda-files")))
        round_trip(cache, "after the refusals")
    child = run.child("register", "expandable",
                      environment={"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"})
    output = child.communicate(timeout=GATE_SECONDS)[0]
    expect(child.returncode != 0 and "expandable segments" in output,
           f"expandable segments are not refused with the reason:\n{output}")


def stage_events(cache):
    device = cache.tensors[0].device
    return [
        [torch.cuda.Event.from_ipc_handle(device, handle) for handle in slot]
        for slot in cache.worker.stage_events]


@gate
def staged_restore(run):
    """A stream that waits for a layer's event sees exactly that layer's bytes; slots are reused."""
    run.need_cuda()
    shape = ((256, TOKENS, 8192), (0, 1, 2), 0, 36, 1)
    with run.connect() as manager:
        cache = Cache(run, manager, "staged", "staged", shape=shape)
        events = stage_events(cache)
        expect(len(events) >= 2 and all(len(slot) == 36 for slot in events),
               f"[{len(events)}] slots of events, [36] layers")
        stream = torch.cuda.Stream()
        names, sources, saved = keys(128), cache.some_pages(128), cache.copy()
        publish(cache, names, sources)
        for i in range(6):
            cache.fill()
            before = cache.copy()
            targets = cache.some_pages(128)
            answer = manager.query(cache.worker, f"staged {i}", names).wait()
            operation = manager.restore(cache.worker, answer.lease, targets, staged=True)
            told = operation.wait_submitted()
            expect(told.state == "SUBMITTED", told)
            seen = []
            with torch.cuda.stream(stream):
                for layer, tensor in enumerate(cache.tensors):
                    events[told.detail][layer].wait(stream)
                    seen.append(tensor.clone())
            operation.waited()
            stream.synchronize()
            for layer, tensor in enumerate(seen):
                wanted = before[layer].clone()
                wanted[targets] = saved[layer][sources]
                expect(torch.equal(tensor, wanted), f"round {i}: layer {layer} was not there yet")
            expect(operation.wait().state == "RESTORED", operation)
            cache.check(targets, sources, saved, before, f"staged {i}")


@gate
def staged_slots_run_out(run):
    """A client that never says that it has waited keeps its slots; restores end as a whole then."""
    run.need_cuda()
    with run.connect() as manager:
        cache = Cache(run, manager, "vllm-packed-nhd", "slots")
        names, sources, saved = round_trip(cache, "before")
        operations = []
        for i in range(len(cache.worker.stage_events) + 1):
            before, targets = cache.copy(), cache.some_pages(len(names))
            answer = manager.query(cache.worker, f"slot {i}", names).wait()
            operation = manager.restore(cache.worker, answer.lease, targets, staged=True)
            told = operation.wait_submitted()
            last = i == len(cache.worker.stage_events)
            expect(told.state == ("RESTORED" if last else "SUBMITTED"), f"restore {i}: {told}")
            operation.wait()
            operations.append(operation)
            cache.check(targets, sources, saved, before, f"slot {i}")
        operations[0].waited()
        answer = manager.query(cache.worker, "again", names).wait()
        operation = manager.restore(cache.worker, answer.lease, targets, staged=True)
        expect(operation.wait_submitted().state == "SUBMITTED", "the slot did not come back")
        operation.wait()


@gate
def staged_client_killed(run):
    """A client killed between the submission and the end: memory and bytes come back, others go on."""
    run.need_cuda()
    with run.connect() as manager:
        idle = run.mapped_bytes(manager), run.pool_bytes(manager)
        for i in range(3):
            child = run.child("staged-forever", f"staged killed {i}")
            for line in child.stdout:
                if "submitted" in line:
                    break
            child.send_signal(signal.SIGKILL)
            output = child.communicate()[0]
            expect(child.returncode == -signal.SIGKILL, f"the client ended by itself:\n{output}")
        run.until(lambda: run.mapped_bytes(manager) == idle[0],
                  lambda: f"[{run.mapped_bytes(manager)}] bytes stay mapped, [{idle[0]}] before")
        manager.evict(everywhere=True)
        run.until(lambda: run.pool_bytes(manager) <= idle[1],
                  lambda: f"[{run.pool_bytes(manager)}] bytes stay in the pool, [{idle[1]}] before")
        round_trip(Cache(run, manager, "vllm-block-kv", "after staged"), "after staged")


@gate
def manager_killed_between_layers(run):
    """The Manager dies while layers are on their way: the client learns it, and its GPU works on."""
    run.need_cuda()
    with tempfile.TemporaryDirectory() as folder, \
            running_manager(run.arguments, folder, own=True) as (socket, _, process):
        manager = Manager(socket, "gpu-gates")
        shape = ((256, TOKENS, 8192), (0, 1, 2), 0, 36, 1)
        cache = Cache(run, manager, "dies", "dies", shape=shape)
        events = stage_events(cache)
        names, sources = keys(128), cache.some_pages(128)
        publish(cache, names, sources)
        answer = manager.query(cache.worker, "dies", names).wait()
        operation = manager.restore(cache.worker, answer.lease, cache.some_pages(128), staged=True)
        told = operation.wait_submitted()
        process.kill()
        process.wait()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            events[told.detail][-1].wait(stream)
        try:
            operation.wait()
        except OrbitKvError as end:
            expect(end.code == "CLOSED", end)
        else:
            expect(operation.answer.state == "RESTORED", operation.answer)
        # Whatever became of the copies, the engine's own device goes on.
        expect(int(torch.ones(1000, device="cuda").sum()) == 1000, "the GPU does not work on")
        manager.close()


@gate
def staged_times(run):
    """1.2 GB in 36 layers: when the first layer is there, and what staging costs (a measurement)."""
    run.need_cuda()
    shape = ((129, 4096, 64), (0, 1, 2), 0, 36, 1)
    told = {}
    with run.connect() as manager:
        cache = Cache(run, manager, "staged times", "staged times", shape=shape)
        events = stage_events(cache)
        for order in ("consecutive", "shuffled"):
            names, pages = keys(128), list(range(1, 129))
            if order == "shuffled":
                chance.shuffle(pages)
            publish(cache, names, pages)
            rows = [staged_time(cache, events, names, pages, i % 2) for i in range(60)]
            staged, whole = rows[21::2], rows[20::2]

            def middle(rows, name):
                return sorted(row[name] for row in rows)[len(rows) // 2]

            told[order] = {
                "unstaged_s": middle(whole, "end"), "staged_s": middle(staged, "end"),
                "submitted_s": middle(staged, "submitted"), "first_s": middle(staged, "first"),
                "first_by_whole": round(middle(staged, "first") / middle(staged, "end"), 4),
                # Of neighbours, one of each kind: what else the machine does meets both.
                "staged_by_unstaged": round(sorted(
                    a["end"] / b["end"] for a, b in zip(staged, whole))[len(staged) // 2], 4)}
        told["bytes"] = 128 * cache_page_bytes(cache)
    return told


def staged_time(cache, events, names, pages, staged):
    """Seconds from the restore on until its submission, its first layer, and its end."""
    manager = cache.manager
    answer = manager.query(cache.worker, "times", names).wait()
    begin = time.perf_counter()
    operation = manager.restore(cache.worker, answer.lease, pages, staged=bool(staged))
    row = {}
    if staged:
        told = operation.wait_submitted()
        expect(told.state == "SUBMITTED", told)
        row["submitted"] = round(time.perf_counter() - begin, 5)
        events[told.detail][0].synchronize()
        row["first"] = round(time.perf_counter() - begin, 5)
        operation.waited()
    operation.wait()
    row["end"] = round(time.perf_counter() - begin, 5)
    return row


def expect_closed(manager, cache, memory):
    """A kind of memory that the Manager does not know is malformed, which ends the session."""
    try:
        manager.register("wrong", orbitkv.digest("wrong"), cache.layout, memory)
    except OrbitKvError as end:
        expect("cuda-files" in str(end) and "expandable segments" in str(end), str(end))
        return
    raise AssertionError("memory shared as files was registered")


@gate
def restore_times(run):
    """How long a restore of some gigabytes takes from SSD and from host memory (a measurement)."""
    layers, pages, page_bytes = (36, 128, 256 << 10) if run.cuda else (36, 8, 64 << 10)
    shape = ((pages + 1, page_bytes // 64, 64), (0, 1, 2), 0, layers, 1)
    with run.connect() as manager:
        cache = Cache(run, manager, "times", "times", shape=shape)
        saved, names, sources = cache.copy(), keys(pages), list(range(1, pages + 1))
        manager.evict(everywhere=True)
        publish(cache, names, sources)
        rows = []
        for i in range(3):
            manager.sync(durable=True)
            manager.evict()
            begin = time.perf_counter()
            answer = manager.query(cache.worker, f"ssd {i}", names).wait()
            ready = time.perf_counter()
            expect(answer.hits == pages, answer)
            manager.restore(cache.worker, answer.lease, sources).wait()
            end = time.perf_counter()
            rows.append((ready - begin, end - ready))
        before = cache.copy()
        cache.fill()
        restore(cache, names, sources, "times")
        cache.check(sources, sources, saved, cache.copy(), "times")
        del before
        total = pages * cache_page_bytes(cache)
        read, copy = sorted(rows)[1]
        return {
            "bytes": total, "ssd_read_s": round(read, 4), "copy_s": round(copy, 4),
            "read_gb_s": round(total / read / 1e9, 2), "copy_gb_s": round(total / copy / 1e9, 2),
            "end_to_end_by_read": round((read + copy) / read, 4)}


# ---- what children do ---------------------------------------------------------------------------


def child_main(run, what, name):
    with run.connect() as manager:
        if what == "round-trips":
            cache = Cache(run, manager, "vllm-split-kv", name)
            for i in range(10):
                round_trip(cache, f"{name} {i}")
        elif what == "staged-forever":
            cache = Cache(run, manager, name, name, shape=((256, TOKENS, 8192), (0, 1, 2), 0, 36, 1))
            names = keys(128)
            publish(cache, names, list(range(1, 129)))
            while True:
                answer = manager.query(cache.worker, "again", names).wait()
                operation = manager.restore(
                    cache.worker, answer.lease, list(range(129, 256))[:127] + [0], staged=True)
                if operation.wait_submitted().state == "SUBMITTED":
                    print("submitted", flush=True)
                operation.waited()
        elif what == "register":
            Cache(run, manager, "vllm-block-kv", name)
        else:
            size = (64, 1 << 20) if run.cuda else (64, 64 << 10)
            cache = Cache(run, manager, name, name, shape=(size, (0, 1), 0, 8, 1))
            print("publishing", flush=True)
            while True:
                manager.publish(cache.worker, keys(63), list(range(1, 64))).wait()


# ---- running ------------------------------------------------------------------------------------


class Run:
    def __init__(self, device, socket, arguments=None):
        self.arguments = arguments
        self.cuda = device == "cuda"
        self.socket = socket

    def device(self, index=0):
        return Gpu(index) if self.cuda else Cpu(index)

    def connect(self):
        return Manager(self.socket, "gpu-gates")

    def need_cuda(self):
        if not self.cuda:
            raise Skipped("needs a GPU")

    def pool_bytes(self, manager):
        return _number(manager.status(), "allocated_bytes")

    def mapped_bytes(self, manager):
        return sum(value for name, value in _flat(manager.metrics())
                   if "mapped_bytes" in name and isinstance(value, (int, float)))

    def until(self, holds, message, seconds=20):
        end = time.monotonic() + seconds
        while not holds():
            expect(time.monotonic() < end, message())
            time.sleep(0.05)

    def child(self, what, name, environment=None):
        return subprocess.Popen(
            [sys.executable, __file__, "--child", what, "--name", name, "--socket", self.socket,
             "--device", "cuda" if self.cuda else "cpu"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(environment or {})})


def _flat(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _flat(inner, f"{name}.{i}")
    else:
        yield name, value


def _number(tree, name):
    found = [value for path, value in _flat(tree) if path.endswith(name)]
    expect(found, f"the status has no [{name}]: {json.dumps(tree)[:2000]}")
    return found[0]


@contextlib.contextmanager
def running_manager(arguments, folder, own=False):
    socket = arguments.socket
    if socket and not own:
        yield socket, None, None
        return
    socket = str(Path(folder) / "manager.sock")
    log = Path(folder) / "manager.log"
    copiers = "[cuda-copy, host-copy]" if arguments.device == "cuda" else "[host-copy]"
    config = Path(folder) / "orbitkv.yaml"
    pool, ssd = ("6gb", "8gb") if arguments.device == "cuda" else ("512mb", "1gb")
    config.write_text(f"""socket: {socket}
memory: {{pool-size: {pool}}}
copiers: {copiers}
backing: {{write-queue: {pool}}}
ssd: {{paths: [{folder}/store], capacity: {ssd}}}
plugin-settings: {{cuda-copy: {{stage-slots: 2}}}}
policies: {{retention: {{dram: none, ssd: none}}, cutoff: none, admission: {{dram: none, ssd: none}}}}
""")
    with open(log, "w") as out:
        manager = subprocess.Popen(
            [str(Path(arguments.home) / "bin" / "orbitkv"), "serve", "--config", str(config)],
            stdout=out, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + 60
        while "serves at" not in log.read_text():
            expect(manager.poll() is None and time.monotonic() < end,
                   f"the Manager does not start:\n{log.read_text()}")
            time.sleep(0.1)
        yield socket, log, manager
    finally:
        manager.terminate()
        try:
            manager.wait(30)
        except subprocess.TimeoutExpired:
            manager.kill()
        if manager.returncode != 0 and not own:
            print(f"the Manager ended with status [{manager.returncode}]:\n{tail(log)}")


def tail(log, lines=30):
    return "" if log is None else "\n".join(log.read_text().splitlines()[-lines:])


def run_gate(run, function):
    """The outcome and what it tells; a gate that hangs is left behind."""
    box = []

    def work():
        try:
            box.append(("ok", function(run)))
        except Skipped as reason:
            box.append(("skipped", str(reason)))
        except BaseException:
            box.append(("FAILED", traceback.format_exc()))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(GATE_SECONDS)
    return box[0] if box else ("FAILED", f"no end after {GATE_SECONDS} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"),
                        default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--home", default=str(HOME), help="the unpacked tarball")
    parser.add_argument("--only", help="names of gates, comma-separated; --list tells them")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--log", help="file for the outcome as JSON")
    parser.add_argument("--folder", help="folder for the store and the log of the Manager")
    parser.add_argument("--socket", help="of a running Manager; default: one of its own")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(GATES))
        return 0
    if arguments.child:
        child_main(Run(arguments.device, arguments.socket), arguments.child, arguments.name)
        return 0
    wanted = arguments.only.split(",") if arguments.only else list(GATES)
    unknown = [name for name in wanted if name not in GATES]
    if unknown:
        parser.error(f"no gates {unknown}; --list tells their names")
    rows, began = [], time.time()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, \
            running_manager(arguments, folder) as (socket, log, _):
        run = Run(arguments.device, socket, arguments)
        for name in wanted:
            start = time.monotonic()
            outcome, told = run_gate(run, GATES[name])
            seconds = round(time.monotonic() - start, 2)
            rows.append({"gate": name, "outcome": outcome, "seconds": seconds, "told": told})
            note = "" if told is None else f"  {told}" if outcome != "FAILED" else f"\n{told}"
            print(f"{outcome:8} {name:28} {seconds:6.2f} s{note}", flush=True)
            if outcome == "FAILED":
                print(f"the Manager's log ends with:\n{tail(log)}", flush=True)
    failed = [row["gate"] for row in rows if row["outcome"] == "FAILED"]
    gpu = torch.cuda.get_device_name(0) if arguments.device == "cuda" else "none"
    summary = {
        "device": arguments.device, "gpu": gpu, "gpus": torch.cuda.device_count(),
        "torch": torch.__version__, "started": int(began), "failed": failed, "gates": rows}
    if arguments.log:
        Path(arguments.log).write_text(json.dumps(summary, indent=1) + "\n")
    print(f"{len(rows)} gates, {len(failed)} failed, on [{gpu}]")
    # Threads of gates that hang must not keep the process.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
