package io.orbitkv.workload.ab.simulate;

/**
 * What the trace offers at this capacity, as shares of all prompt pages.
 *
 * @param lru prefix hits of plain LRU that writes everything
 * @param clairvoyant bound of a retention that knows the future
 * @param infinite bound of a cache that keeps everything
 */
public record ReferenceLines(double lru, double clairvoyant, double infinite) {}
