package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;

/**
 * What is known of engines beside what they tell.
 *
 * @param prefillTokensPerSecond of engines that do not report theirs
 */
public record EngineSection(
    @Setting(
            def = "0",
            min = "0",
            max = "100000000",
            doc =
                "tokens that an engine prefills in a second, for policies, as long as it does not"
                    + " report its own rate; 0 is unknown")
        long prefillTokensPerSecond) {}
