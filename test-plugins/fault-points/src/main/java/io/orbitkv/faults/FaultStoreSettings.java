package io.orbitkv.faults;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * Settings of the backing tier {@code fault-store}.
 *
 * @param directory whose files control it
 * @param capacity of the store
 * @param queueOperations reads, and writes, that are taken and not reported
 * @param keepIn file that keeps the pages over a clean stop, or none
 */
public record FaultStoreSettings(
    @Setting(def = ".", doc = "folder whose files pause or fail reads and writes") String directory,
    @Setting(def = "64mb", min = "4kb", doc = "payload that the store holds; it lies in the heap")
        ByteSize capacity,
    @Setting(
            def = "64",
            min = "1",
            max = "65536",
            doc = "reads, and writes, that are taken and not reported")
        int queueOperations,
    @Setting(
            def = "none",
            doc =
                "file that keeps the pages from a clean stop to the next start; none keeps them"
                    + " nowhere")
        String keepIn) {}
