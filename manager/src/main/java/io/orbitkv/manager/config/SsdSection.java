package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.util.List;

/**
 * Storage behind host memory.
 *
 * @param paths where it lies; none turns it off
 * @param capacity of all paths together
 */
public record SsdSection(
    @Setting(def = "[]", doc = "files or block devices of the SSD store; none turns it off")
        List<String> paths,
    @Setting(def = "512gb", min = "1mb", doc = "size of the SSD store over all paths")
        ByteSize capacity) {}
