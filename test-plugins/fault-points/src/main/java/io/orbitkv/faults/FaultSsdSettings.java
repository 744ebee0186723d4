package io.orbitkv.faults;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * Settings of the backing tier {@code fault-ssd}.
 *
 * @param directory whose files control it
 * @param path of the store
 * @param capacity of the store
 */
public record FaultSsdSettings(
    @Setting(def = ".", doc = "folder whose files pause or fail reads and writes") String directory,
    @Setting(def = "store", doc = "file of the store") String path,
    @Setting(def = "64mb", min = "1mb", doc = "size of the store") ByteSize capacity) {}
