"""Tests of the Python client: its layouts, and a Manager of the tarball around it over shared memory.

Run `python3 sdk/python/test_orbitkv.py` in the unpacked tarball; ORBITKV_HOME names another one.
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("ORBITKV_HOME", HERE.parent.parent))
sys.path.insert(0, str(HERE))

import orbitkv  # noqa: E402
from orbitkv import Layer, Layout, Manager, OrbitKvError, SharedMemory, layers_of  # noqa: E402

PAGES, SEGMENT = 32, 4096


def strides(shape, order):
    """Strides in items of a tensor whose dimensions lie in `order`, the slowest first."""
    found, step = [0] * len(shape), 1
    for dimension in reversed(order):
        found[dimension] = step
        step *= shape[dimension]
    return found


class LayersOf(unittest.TestCase):
    def of(self, shape, order, page_dim, blocks=1):
        return layers_of("l", 100, shape, strides(shape, order), 2, page_dim, blocks)

    def test_dense_blocks_are_one_segment(self):
        self.assertEqual(self.of((8, 16, 4, 64), (0, 1, 2, 3), 0), [Layer("l", 100, 8, 8192, 8192)])

    def test_permuted_heads_are_dense_all_the_same(self):
        self.assertEqual(self.of((8, 4, 16, 64), (0, 2, 1, 3), 0), [Layer("l", 100, 8, 8192, 8192)])

    def test_halves_apart_are_two_segments(self):
        self.assertEqual(
            self.of((2, 8, 16, 4, 32), (0, 1, 2, 3, 4), 1),
            [Layer("l", 100, 8, 4096, 4096, 2, 8 * 4096)])

    def test_many_places_apart_are_a_layer_each(self):
        layers = self.of((3, 8, 64), (0, 1, 2), 1)
        self.assertEqual([layer.base for layer in layers], [100, 100 + 1024, 100 + 2048])
        self.assertEqual({layer.segment_bytes for layer in layers}, {128})

    def test_interleaved_layers_keep_the_stride_of_the_block(self):
        self.assertEqual(
            layers_of("l", 0, (8, 64), (640, 1), 2, 0), [Layer("l", 0, 8, 128, 1280)])

    def test_a_page_of_several_blocks_takes_them_together(self):
        self.assertEqual(self.of((8, 64), (0, 1), 0, 4), [Layer("l", 100, 2, 512, 512)])

    def test_a_page_of_blocks_that_lie_apart_is_refused(self):
        with self.assertRaisesRegex(ValueError, "dense"):
            layers_of("l", 0, (8, 64), (640, 1), 2, 0, 4)

    def test_blocks_that_fill_no_whole_page_are_refused(self):
        with self.assertRaisesRegex(ValueError, "8.*whole number"):
            self.of((8, 64), (0, 1), 0, 3)


class AroundAManager(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.socket = str(Path(cls.folder.name) / "manager.sock")
        cls.process = subprocess.Popen(
            [str(HOME / "bin" / "orbitkv"), "serve", "--json", "--pool-size", "64mb",
             "--socket", cls.socket],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if not cls.process.stdout.readline():
            raise RuntimeError("the Manager does not start")

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        status = cls.process.wait(30)
        cls.process.stdout.close()
        cls.folder.cleanup()
        if status != 0:
            raise RuntimeError(f"the Manager ended with status [{status}]")

    def setUp(self):
        self.manager = Manager(self.socket, "test")
        self.addCleanup(self.manager.close)
        self.chance = random.Random(7)

    def layout(self, **changes):
        layers = [
            Layer(f"layer.{i}", i * 2 * PAGES * SEGMENT, PAGES, SEGMENT, SEGMENT, 2, PAGES * SEGMENT)
            for i in range(12)]
        return Layout(layers, **changes)

    def worker(self, name, manager=None, **changes):
        layout = self.layout(**changes)
        device = SharedMemory(12 * 2 * PAGES * SEGMENT)
        self.addCleanup(device.close)
        device.memory[:] = self.chance.randbytes(device.bytes)
        worker = (manager or self.manager).register(name, orbitkv.digest(name), layout, device)
        return worker, device, layout

    def page(self, device, layout, page):
        parts = []
        for layer in layout.layers:
            for segment in range(layer.segments):
                at = layer.base + page * layer.page_stride + segment * layer.segment_stride
                parts.append(device.memory[at:at + layer.segment_bytes])
        return b"".join(parts)

    def keys(self, count):
        return [self.chance.randbytes(16) for _ in range(count)]

    def publish(self, worker, keys, pages):
        operation = self.manager.publish(worker, keys, pages)
        self.assertEqual(operation.wait().state, "PUBLISHED")
        operation.commit()
        self.manager.sync()

    def test_restored_pages_hold_what_was_published(self):
        worker, device, layout = self.worker("round trip")
        keys = self.keys(5)
        self.publish(worker, keys, [3, 9, 4, 30, 1])
        before = device.memory[:]
        answer = self.manager.query(worker, "r", keys + self.keys(2)).wait()
        self.assertEqual((answer.state, answer.hits), ("READY", 5))
        restored = self.manager.restore(worker, answer.lease, [20, 21, 2, 8, 7]).wait()
        self.assertEqual(restored.state, "RESTORED")
        for target, source in zip([20, 21, 2, 8, 7], [3, 9, 4, 30, 1]):
            self.assertEqual(self.page(device, layout, target), self.page(device, layout, source))
        changed = [
            page for page in range(PAGES)
            if any(
                device.memory[at:at + SEGMENT] != before[at:at + SEGMENT]
                for layer in layout.layers for segment in range(2)
                for at in [layer.base + page * SEGMENT + segment * layer.segment_stride])]
        self.assertEqual(changed, [2, 7, 8, 20, 21])

    def test_unknown_and_evicted_pages_miss(self):
        worker, _, _ = self.worker("misses")
        keys = self.keys(3)
        self.assertEqual(self.manager.query(worker, "unknown", keys).wait().state, "MISS")
        self.publish(worker, keys, [1, 2, 3])
        self.assertGreaterEqual(self.manager.evict(everywhere=True), 3)
        self.assertEqual(self.manager.query(worker, "evicted", keys).wait().state, "MISS")

    def test_what_was_not_produced_is_never_found(self):
        worker, _, _ = self.worker("not produced")
        keys = self.keys(2)
        operation = self.manager.publish(worker, keys, [1, 2])
        operation.wait()
        operation.commit(produced=False)
        self.manager.sync()
        self.assertEqual(self.manager.query(worker, "r", keys).wait().state, "MISS")

    def test_a_refusal_says_why(self):
        worker, _, _ = self.worker("refusals")
        with self.assertRaisesRegex(OrbitKvError, "99") as caught:
            self.manager.publish(worker, self.keys(1), [99]).wait()
        self.assertEqual(caught.exception.code, "INVALID")
        # A lease that is gone is no error: the engine computes the pages instead.
        self.assertEqual(self.manager.restore(worker, (1, 2), [1]).wait().state, "MISS")

    def test_a_layout_beyond_the_memory_is_refused_and_the_session_goes_on(self):
        device = SharedMemory(4096)
        self.addCleanup(device.close)
        with self.assertRaisesRegex(OrbitKvError, "4096"):
            self.manager.register("small", orbitkv.digest("small"), self.layout(), device)
        self.assertIn("epoch", self.manager.welcome)
        self.worker("after the refusal")

    def test_two_ranks_restore_their_own_parts(self):
        other = Manager(self.socket, "other rank")
        self.addCleanup(other.close)
        ranks = [
            self.worker("ranks", manager, rank=rank, world_size=2)
            for rank, manager in enumerate((self.manager, other))]
        keys = self.keys(4)
        for manager, (worker, _, _) in zip((self.manager, other), ranks):
            operation = manager.publish(worker, keys, [1, 2, 3, 4])
            operation.wait()
            operation.commit()
        self.manager.sync()
        answer = self.manager.query(ranks[0][0], "r", keys).wait()
        self.assertEqual(answer.hits, 4)
        for manager, (worker, device, layout) in zip((self.manager, other), ranks):
            manager.restore(worker, answer.lease, [11, 12, 13, 14]).wait()
            for page in range(1, 5):
                self.assertEqual(
                    self.page(device, layout, page + 10), self.page(device, layout, page))

    def test_echo_status_and_metrics_answer(self):
        self.assertEqual(len(self.manager.echo(b"abc", 10)), 10)
        self.assertIsInstance(self.manager.status(), dict)
        self.assertIsInstance(self.manager.metrics(), dict)

    def test_after_the_end_every_call_says_so(self):
        manager = Manager(self.socket, "short")
        manager.close()
        with self.assertRaises((OrbitKvError, OSError)):
            manager.status()


if __name__ == "__main__":
    unittest.main()
