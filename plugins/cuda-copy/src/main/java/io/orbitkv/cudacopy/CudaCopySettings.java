package io.orbitkv.cudacopy;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;

/**
 * Settings of the copier {@code cuda-copy}.
 *
 * @param queuePlans most plans that are accepted and not yet reported
 * @param callFragments most fragments in one call of the driver
 * @param minRows fewest equally spaced fragments that are copied as rows; 0 for never
 * @param sliceBytes payload of one plan that is submitted before the next plan's turn
 * @param slicesInFlight slices of one direction that the GPU has at a time
 * @param eventTimeout longest that a plan waits for its worker's event
 * @param foregroundSlices slices of foreground plans between two of speculative ones
 * @param stageSlots staged restores of a worker at a time; 0 for none
 * @param stageBytes largest staged restore
 */
public record CudaCopySettings(
    @Setting(
            def = "256",
            min = "1",
            max = "65536",
            doc = "most plans that wait or run; the Manager holds back what is beyond")
        int queuePlans,
    @Setting(
            def = "512",
            min = "1",
            max = "4096",
            doc = "most fragments in one call of the driver; above 1,024 calls get slower")
        int callFragments,
    @Setting(
            def = "16",
            min = "0",
            max = "65536",
            doc =
                "fewest fragments of equal size and at equal distances that become the rows of one"
                    + " copy, which is faster for those that the driver cannot hand over one by one"
                    + " at the link's speed; 0 turns that off")
        int minRows,
    @Setting(
            def = "32mb",
            min = "64kb",
            max = "1gb",
            doc =
                "bytes of one plan that the GPU is given before the next plan gets its turn, so"
                    + " that a large copy does not delay a small one")
        ByteSize sliceBytes,
    @Setting(
            def = "2",
            min = "1",
            max = "16",
            doc = "slices of one direction that a GPU has at a time; one leaves gaps between them")
        int slicesInFlight,
    @Setting(
            def = "60s",
            min = "1ms",
            max = "1h",
            doc =
                "longest that a plan waits for the event of its worker; nothing of it moves before,"
                    + " and it fails then")
        Duration eventTimeout,
    @Setting(
            def = "8",
            min = "1",
            max = "1024",
            doc =
                "foreground slices after which one speculative slice is copied when both wait, so"
                    + " that speculative copies never starve")
        int foregroundSlices,
    @Setting(
            def = "0",
            min = "0",
            max = "16",
            doc =
                "restores of one worker at a time whose layers it can wait for one by one, with an"
                    + " event of the GPU behind each; 0: none, every restore ends as a whole")
        int stageSlots,
    @Setting(
            def = "4gb",
            min = "1mb",
            max = "64gb",
            doc =
                "largest restore that is submitted at once for that; a larger one ends as a whole")
        ByteSize stageBytes) {}
