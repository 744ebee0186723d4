package io.orbitkv.faults;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * Settings of the backing tier {@code fault-ssd}.
 *
 * @param directory whose files control it
 * @param path of the store
 * @param capacity of the store
 * @param fresh whether a store that is there is removed at the start
 * @param readRate bytes of pages a second that reads are reported at, at most; 0 for no limit
 */
public record FaultSsdSettings(
    @Setting(def = ".", doc = "folder whose files pause or fail reads and writes") String directory,
    @Setting(def = "store", doc = "file of the store") String path,
    @Setting(def = "64mb", min = "1mb", doc = "size of the store") ByteSize capacity,
    @Setting(def = "false", doc = "begin with an empty store, whatever is there") boolean fresh,
    @Setting(
            def = "0b",
            doc = "bytes a second that reads take at most, so that they are as slow as wanted")
        ByteSize readRate) {}
