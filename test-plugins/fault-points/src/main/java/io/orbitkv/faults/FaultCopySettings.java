package io.orbitkv.faults;

import io.orbitkv.api.settings.Setting;

/**
 * Settings of the copier {@code fault-copy}.
 *
 * @param directory whose files control it
 */
public record FaultCopySettings(
    @Setting(doc = "folder whose files pause or fail copies") String directory) {}
