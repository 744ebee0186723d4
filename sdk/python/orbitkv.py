"""A client of the OrbitKV Manager in plain Python: what an engine's adapter needs, and no more.

Answers come over the socket; there is no status board here, so each of them costs a message. Every
method may be called from any thread. Numbers on the wire are little-endian. Needs Python 3.10, Linux,
and nothing else; only `cuda_memory` wants the driver's library, and torch for events.

    manager = Manager("/run/user/1000/orbitkv/manager.sock")
    worker = manager.register("engine-0", digest("my model"), layout, device)
    publish = manager.publish(worker, keys, device_pages)
    publish.wait()                      # the source pages are free again
    publish.commit()                    # and others may find what was published
    query = manager.query(worker, "request-1", keys)
    answer = query.wait()               # READY with a lease, or MISS
    manager.restore(worker, answer.lease, other_pages[:answer.hits]).wait()
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import queue
import socket
import struct
import threading
from dataclasses import dataclass, field

VERSION = 1
HEADER = struct.Struct("<ihhqqiiii")  # length kind version epoch operation revision json flags 0
ANSWER = struct.Struct("<iiqqqii")  # state hits detail lease(2) error message length

# Kinds of frames, of clients and then of Managers.
HELLO, REGISTER, ATTACH, UNREGISTER, SUBMIT, TAKEN, CANCEL = 1, 2, 3, 4, 5, 6, 7
RELEASE, RESTORE, PUBLISH, COMMIT, ENGINE_STATS, SYNC, EVICT, STATUS, ECHO, METRICS = (
    10, 11, 12, 13, 15, 16, 17, 18, 19, 20)
STAGE_WAITED = 22
WELCOME, REGISTERED, ATTACHED, ANSWERED, DONE, REFUSED, STATUS_REPORT, ECHOED, METRICS_REPORT = (
    64, 65, 66, 67, 68, 69, 70, 71, 73)

STATES = {
    1: "LOADING", 2: "READY", 3: "MISS", 4: "BUSY", 5: "RESTORED", 6: "PUBLISHED", 7: "FAILED",
    8: "CANCELLED", 9: "REFUSED", 10: "PREPARED", 11: "WARMED", 12: "SUBMITTED"}
NOT_TERMINAL = {"LOADING", "PREPARED", "SUBMITTED"}
STAGED = 1 << 5  # a feature
ERRORS = (
    "NONE", "INVALID", "STALE_EPOCH", "STALE_OPERATION", "UNKNOWN", "NOT_OWNER", "NOT_SEALED",
    "CONFLICT", "UNSUPPORTED", "LIMIT", "DEVICE", "DRAINING", "INTERNAL")
DEMAND, PRODUCER_WAIT = 0, 1
NO_LEASE = (0, 0)
NO_KEY = bytes(16)


class OrbitKvError(Exception):
    """A refusal, a failure, or the end of the connection. `code` is one of ERRORS or CLOSED."""

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code


def digest(text: str) -> str:
    """A namespace: whoever shares bytes must agree on what the text says."""
    return hashlib.sha256(text.encode()).hexdigest()


# ---- layouts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """Where the pages of a layer lie: base + page * page_stride + segment * segment_stride, bytes."""

    name: str
    base: int
    pages: int
    segment_bytes: int
    page_stride: int
    segments: int = 1
    segment_stride: int = 0
    group: int = 0

    def json(self) -> dict:
        return {
            "name": self.name, "group": self.group, "baseOffset": self.base, "pages": self.pages,
            "segmentBytes": self.segment_bytes, "segments": self.segments,
            "segmentStride": self.segment_stride, "pageStride": self.page_stride}


def layers_of(name, base, shape, strides, item_bytes, page_dim, blocks_a_page=1) -> list[Layer]:
    """The layers of one tensor, from its shape and its strides in items: never from a table.

    The dimension `page_dim` counts blocks. What else does not lie dense beside it is cut: one
    further dimension of two becomes the segments of a layer (K and V apart), any other becomes a
    layer for each of its places. A page of several kernel blocks takes them one after another,
    so each of its parts must be dense over blocks.

    Raises ValueError when that cannot be told by one affine rule.
    """
    blocks = shape[page_dim]
    if blocks % blocks_a_page:
        raise ValueError(f"[{blocks}] blocks are no whole number of pages of [{blocks_a_page}]")
    dense, apart = item_bytes, []
    rest = [(strides[d] * item_bytes, shape[d]) for d in range(len(shape)) if d != page_dim]
    for stride, size in sorted(rest):
        if size == 1:
            continue
        if stride == dense and not apart:
            dense *= size
        else:
            apart.append((stride, size))
    block_stride = strides[page_dim] * item_bytes
    pages = blocks // blocks_a_page
    if blocks_a_page > 1:
        if block_stride != dense:
            raise ValueError("the blocks of a page do not lie dense beside each other")
        dense *= blocks_a_page
    page_stride = block_stride * blocks_a_page
    if not apart:
        return [Layer(name, base, pages, dense, page_stride)]
    if len(apart) == 1 and apart[0][1] == 2:
        return [Layer(name, base, pages, dense, page_stride, 2, apart[0][0])]
    places = [0]
    for stride, size in reversed(apart):
        places = [place + i * stride for place in places for i in range(size)]
    return [
        Layer(f"{name}.part.{i}", base + place, pages, dense, page_stride)
        for i, place in enumerate(places)]


@dataclass(frozen=True)
class Layout:
    """The layers of one rank. `groups` holds (id, rule, tokens); the default is one prefix group."""

    layers: list[Layer]
    page_tokens: int = 16
    rank: int = 0
    world_size: int = 1
    numa_node: int = -1
    groups: tuple = ((0, "prefix", 0),)

    def json(self) -> dict:
        return {
            "rank": self.rank, "worldSize": self.world_size, "pageTokens": self.page_tokens,
            "numaNode": self.numa_node,
            "groups": [{"id": i, "rule": rule, "tokens": tokens} for i, rule, tokens in self.groups],
            "layers": [layer.json() for layer in self.layers]}


# ---- device memory ------------------------------------------------------------------------------


class SharedMemory:
    """Host memory in a sealed memory file that the Manager maps too, for the copier host-copy."""

    _ADD_SEALS, _SEAL_SHRINK, _SEAL_GROW = 1033, 2, 4

    def __init__(self, size: int):
        import fcntl
        import mmap

        self.bytes = size
        self._fd = os.memfd_create("orbitkv-worker", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self._fd, size)
        fcntl.fcntl(self._fd, self._ADD_SEALS, self._SEAL_SHRINK | self._SEAL_GROW)
        self.memory = mmap.mmap(self._fd, size)

    def json(self) -> dict:
        return {
            "kind": "shared-memory", "pid": os.getpid(), "descriptor": self._fd, "bytes": self.bytes}

    def close(self) -> None:
        self.memory.close()
        os.close(self._fd)


class _IpcHandle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_byte * 64)]


class CudaMemory:
    """Tensors of one GPU, as raw interprocess handles of the allocations that they lie in.

    An allocation is sent once, however many tensors lie in it. `offset_of` tells where an address
    stands in the line of bytes that the allocations form, which is what a layer's base means.
    """

    def __init__(self, tensors, events=()):
        import torch

        driver = ctypes.CDLL("libcuda.so.1")
        properties = torch.cuda.get_device_properties(tensors[0].device)
        self.gpu_uuid = f"GPU-{properties.uuid}".replace("GPU-GPU-", "GPU-")
        self.events = [event.ipc_handle().hex() for event in events]
        self._allocations: dict[int, list] = {}  # base address: handle, place in the line, size
        self.bytes = 0
        for tensor in tensors:
            base, size = ctypes.c_uint64(), ctypes.c_size_t()
            address = ctypes.c_uint64(tensor.data_ptr())
            _check("cuMemGetAddressRange", driver.cuMemGetAddressRange_v2(
                ctypes.byref(base), ctypes.byref(size), address))
            if base.value in self._allocations:
                continue
            handle = _IpcHandle()
            code = driver.cuIpcGetMemHandle(ctypes.byref(handle), base)
            if code:
                raise OrbitKvError("DEVICE", (
                    f"the allocation at [{base.value:#x}] has no interprocess handle (error {code}):"
                    " it was not made by cudaMalloc; start the engine without expandable segments,"
                    " sleep mode or a memory saver"))
            self._allocations[base.value] = [bytes(handle.reserved).hex(), self.bytes, size.value]
            self.bytes += size.value

    def offset_of(self, address: int) -> int:
        for base, (_, place, size) in self._allocations.items():
            if base <= address < base + size:
                return place + address - base
        raise ValueError(f"address [{address:#x}] lies in none of the tensors' allocations")

    def json(self) -> dict:
        return {
            "kind": "cuda-ipc", "gpuUuid": self.gpu_uuid, "events": self.events,
            "allocations": [
                {"handle": handle, "offset": 0, "bytes": size}
                for handle, _, size in self._allocations.values()]}


def _check(call: str, code: int) -> None:
    if code:
        raise OrbitKvError("DEVICE", f"{call} fails with error {code}")


# ---- operations ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """The state of an operation. `hits`: pages; `lease`: of a READY query."""

    state: str
    hits: int = 0
    detail: int = 0
    lease: tuple = NO_LEASE
    error: str = "NONE"
    message: str = ""


@dataclass(frozen=True)
class Worker:
    """A registered rank, or an instance that was attached to."""

    instance: int
    generation: int
    sealed: bool = True
    stage_events: tuple = ()
    """For each slot of staged restores the handles of its events, by layer, in bytes."""


@dataclass
class Operation:
    """A query, restore or publish under way."""

    manager: Manager
    id: int
    revision: int
    answers: queue.Queue = field(default_factory=queue.Queue)
    answer: Answer | None = None

    def wait_submitted(self, timeout: float = 60) -> Answer:
        """Of a staged restore: SUBMITTED, with the slot in `detail`, or its end if there is none.

        After SUBMITTED, wait on the GPU for the events of that slot, then call `waited`.
        """
        while self.answer is None:
            frame = self.manager._take(self.answers, timeout, f"operation [{self.id}]")
            answer = _answer(frame)
            if answer.state == "SUBMITTED":
                return answer
            if answer.state not in NOT_TERMINAL:
                self.answer = answer
                self.manager._forget(self.id)
        return self.wait()

    def waited(self) -> None:
        """Of a restore asked for as staged, once: all waits for its events are enqueued, or none
        will be. Called at SUBMITTED or at its end; the slot stays taken until then."""
        self.manager._send(STAGE_WAITED, self.id)

    def wait(self, timeout: float = 60) -> Answer:
        """The terminal answer. Raises OrbitKvError for REFUSED and FAILED, TimeoutError if late."""
        while self.answer is None:
            frame = self.manager._take(self.answers, timeout, f"operation [{self.id}]")
            answer = _answer(frame)
            if answer.state in NOT_TERMINAL:
                continue
            self.answer = answer
            self.manager._forget(self.id)
            if answer.state == "READY":
                # An offer that nobody takes lapses.
                self.manager._send(TAKEN, self.id, revision=self.revision)
        if self.answer.state in ("REFUSED", "FAILED"):
            raise OrbitKvError(self.answer.error, f"{self.answer.state}: {self.answer.message}")
        return self.answer

    def cancel(self) -> None:
        """Nobody waits for it any more; the terminal answer comes all the same."""
        self.manager._send(CANCEL, self.id, revision=self.revision)

    def commit(self, produced: bool = True) -> None:
        """Of a publish: the producer of its pages succeeded, as its event told, or did not."""
        self.manager._send(COMMIT, self.id, struct.pack("<i", int(produced)))


def _answer(frame) -> Answer:
    kind, body = frame
    if kind == REFUSED:
        error, size = struct.unpack_from("<ii", body)
        return Answer("REFUSED", error=ERRORS[error], message=body[8:8 + size].decode())
    state, hits, detail, high, low, error, size = ANSWER.unpack_from(body)
    text = body[ANSWER.size:ANSWER.size + size].decode()
    return Answer(STATES[state], hits, detail, (high, low), ERRORS[error], text)


class Manager:
    """A connection to a Manager, with a thread that reads what it says."""

    def __init__(self, path: str, name: str = "python", timeout: float = 60):
        self._timeout = timeout
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._sending = threading.Lock()
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.Queue] = {}
        self._last = 0
        self._epoch = 0
        self._end: str | None = None
        threading.Thread(target=self._read, name="orbitkv-reader", daemon=True).start()
        hello = {"client": name, "protocolVersion": VERSION, "features": STAGED, "pid": os.getpid()}
        self.welcome = json.loads(self._ask(HELLO, json_part=hello)[1])
        self._epoch = self.welcome["epoch"]

    # -- what an engine asks for --

    def register(self, instance: str, namespace: str, layout: Layout, device) -> Worker:
        """Registers one rank's memory, `device` being SharedMemory or CudaMemory."""
        body = {
            "instance": instance, "namespace": namespace, "layout": layout.json(),
            "device": device.json()}
        told = json.loads(self._ask(REGISTER, json_part=body)[1])
        slots = told.get("stageSlots", 0)
        handles = [bytes.fromhex(handle) for handle in told.get("stageEvents", [])]
        layers = len(handles) // slots if slots else 0
        return Worker(
            told["instance"], told["generation"], told["sealed"],
            tuple(tuple(handles[i * layers:(i + 1) * layers]) for i in range(slots)))

    def attach(self, instance: str) -> Worker:
        """Attaches a scheduler to an instance whose ranks have all registered."""
        told = json.loads(self._ask(ATTACH, json_part={"instance": instance})[1])
        return Worker(told["instance"], told["generation"])

    def unregister(self, worker: Worker) -> None:
        self._ask(UNREGISTER, struct.pack("<i", worker.instance))

    def query(self, worker: Worker, request_id: str, keys, kind: int = DEMAND) -> Operation:
        """Asks for the longest prefix of `keys` (16 bytes each); its answer carries a lease."""
        name = request_id.encode()
        body = struct.pack(
            "<iiiiiiii", -1, worker.instance, kind, len(name), 1, len(keys), 0, len(keys))
        return self._begin(SUBMIT, body + b"".join(keys) + name, revision=1)

    def restore(
            self, worker: Worker, lease, device_pages, wait_event: int = 0,
            staged: bool = False) -> Operation:
        """Copies leased pages to as many device pages, once event `wait_event` (from 1) happened.

        `staged` asks for an event behind each layer; see `Operation.wait_submitted`.
        """
        body = struct.pack(
            "<iiqqqii", -1, worker.instance, *lease, wait_event, len(device_pages), int(staged))
        return self._begin(RESTORE, body + struct.pack(f"<{len(device_pages)}i", *device_pages))

    def publish(
            self, worker: Worker, keys, device_pages, wait_event: int = 0, parent: bytes = NO_KEY,
            group: int = 0) -> Operation:
        """Copies device pages to the Manager. Others find them once `commit` was called as well."""
        if len(keys) != len(device_pages):
            raise ValueError(f"[{len(keys)}] keys for [{len(device_pages)}] device pages")
        body = struct.pack(
            "<iiiiq", -1, worker.instance, group, len(keys), wait_event) + parent
        pages = struct.pack(f"<{len(device_pages)}i", *device_pages)
        return self._begin(PUBLISH, body + b"".join(keys) + pages)

    def release(self, lease) -> None:
        """Gives a lease back that will not be restored."""
        self._send(RELEASE, self._next(), struct.pack("<qq", *lease))

    def engine_stats(self, worker: Worker, prefill_tokens_per_second: int) -> None:
        self._send(ENGINE_STATS, self._next(), struct.pack(
            "<iiq", worker.instance, 0, prefill_tokens_per_second))

    # -- administration --

    def sync(self, durable: bool = False) -> int:
        """Waits until each earlier publish can be found; `durable`: and is written to SSD."""
        return self._done(SYNC, struct.pack("<i", 1) if durable else b"")

    def evict(self, everywhere: bool = False) -> int:
        """Makes all pages unfindable, in host memory or everywhere; returns how many there were."""
        return self._done(EVICT, struct.pack("<i", 1) if everywhere else b"")

    def status(self) -> dict:
        return json.loads(self._ask(STATUS)[1])

    def metrics(self) -> dict:
        return json.loads(self._ask(METRICS, struct.pack("<i", 1))[1])

    def echo(self, payload: bytes, reply_bytes: int) -> bytes:
        return self._ask(ECHO, struct.pack("<ii", reply_bytes, 0) + payload)[1]

    def close(self) -> None:
        """Ends the session: its instances retire, their memory is unmapped after its copies."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # -- frames --

    def _next(self) -> int:
        with self._lock:
            self._last += 1
            return self._last

    def _begin(self, kind: int, body: bytes, revision: int = 0) -> Operation:
        operation = Operation(self, self._next(), revision)
        with self._lock:
            self._waiting[operation.id] = operation.answers
        self._send(kind, operation.id, body, revision)
        return operation

    def _ask(self, kind: int, body: bytes = b"", json_part: dict | None = None):
        number, answers = self._next(), queue.Queue()
        with self._lock:
            self._waiting[number] = answers
        self._send(kind, number, body, json_part=json_part)
        try:
            told, reply = self._take(answers, self._timeout, f"request [{number}]")
        finally:
            self._forget(number)
        if told == REFUSED:
            refusal = _answer((told, reply))
            raise OrbitKvError(refusal.error, refusal.message)
        return told, reply

    def _done(self, kind: int, body: bytes) -> int:
        return struct.unpack_from("<q", self._ask(kind, body)[1])[0]

    def _take(self, answers: queue.Queue, timeout: float, what: str):
        try:
            frame = answers.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"{what} has no answer after {timeout} s") from None
        if frame is None:
            raise OrbitKvError("CLOSED", f"the connection ended: {self._end}")
        return frame

    def _forget(self, number: int) -> None:
        with self._lock:
            self._waiting.pop(number, None)

    def _send(self, kind, number, body=b"", revision=0, json_part=None) -> None:
        text = b"" if json_part is None else json.dumps(json_part).encode()
        header = HEADER.pack(
            HEADER.size + len(text) + len(body), kind, VERSION, self._epoch, number, revision,
            len(text), 0, 0)
        if self._end is not None:
            raise OrbitKvError("CLOSED", f"the connection ended: {self._end}")
        with self._sending:
            self._socket.sendall(header + text + body)

    def _read(self) -> None:
        end = "the Manager closed it"
        try:
            with self._socket.makefile("rb") as stream:
                while header := stream.read(HEADER.size):
                    length, kind, _, _, number, _, _, _, _ = HEADER.unpack(header)
                    body = stream.read(length - HEADER.size)
                    with self._lock:
                        answers = self._waiting.get(number)
                    if answers is not None:
                        answers.put((kind, body))
                    elif kind == REFUSED:
                        refusal = _answer((kind, body))
                        end = f"{refusal.error}: {refusal.message}"
        except (OSError, ValueError, struct.error) as broken:
            end = str(broken)
        with self._lock:
            self._end = end
            for answers in self._waiting.values():
                answers.put(None)
