package io.orbitkv.workload.sim.rule;

/**
 * Something that somebody outside the kernel did in a run, as a trace keeps it.
 *
 * @param index its place in the seed's run
 * @param atNanos when, on the virtual clock
 * @param kind what, in kebab case
 * @param choices the seed of everything random in it
 */
public record RecordedAction(int index, long atNanos, String kind, long choices) {}
