package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.Place;

/**
 * A measure with a relative change, as written: its margin or its limit.
 *
 * @param measure name of the measure
 * @param percent such as {@code +2%}
 * @param place where it was written
 */
public record Relative(String measure, String percent, Place place) {}
