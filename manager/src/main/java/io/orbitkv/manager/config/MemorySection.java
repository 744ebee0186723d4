package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;
import io.orbitkv.manager.settings.Share;

/**
 * Host memory.
 *
 * @param tier which plugin's memory tier
 * @param poolSize how much it holds
 */
public record MemorySection(
    @Setting(def = "dram", doc = "memory tier that holds the pages, offered by a plugin")
        String tier,
    @Setting(
            def = "auto",
            doc =
                "memory for pages; auto is a quarter of the memory limit of the process's control"
                    + " group, at most 64gb")
        Share poolSize) {}
