package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.util.List;

/**
 * Clients and what each may use.
 *
 * @param max sessions at once
 * @param boardRecords records on one session's status board
 * @param replyQueue messages that may wait for one slow client
 * @param maxFrame largest message
 * @param allowedUsers users that may connect beside the one that runs the Manager
 */
public record SessionsSection(
    @Setting(def = "64", min = "1", max = "4096", doc = "sessions at once") int max,
    @Setting(
            def = "1024",
            min = "16",
            max = "65536",
            doc = "records on the status board of a session")
        int boardRecords,
    @Setting(
            def = "1024",
            min = "16",
            max = "65536",
            doc = "messages that may wait for a slow client before its session is closed")
        int replyQueue,
    @Setting(
            def = "8mb",
            min = "64kb",
            max = "256mb",
            doc = "largest message of a client; a larger one closes its session")
        ByteSize maxFrame,
    @Setting(
            def = "[]",
            doc = "names of users that may connect beside the one that runs the Manager")
        List<String> allowedUsers) {}
