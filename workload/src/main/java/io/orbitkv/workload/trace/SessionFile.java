package io.orbitkv.workload.trace;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * One session of the kv-cache-tester format.
 *
 * @param blockTokens tokens of a block
 * @param entries its requests in the order of the file
 * @param blocks of all of them
 */
record SessionFile(int blockTokens, List<SessionFile.Entry> entries, long blocks) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SESSION_SHIFT = 40;
  private static final long MOST_LOCAL_ID = 1L << 39;

  /** A request at a time since the start of the whole trace. */
  record Entry(long atNanos, int inputTokens, int outputTokens, long[] blockIds) {}

  /**
   * Reads a session.
   *
   * @param session tells its ids from those of other sessions
   * @param startNanos when it starts
   * @throws IllegalArgumentException saying what does not fit
   */
  static SessionFile read(JsonParser parser, int session, long startNanos) {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException("not a JSON object: a session is one object a file");
    }
    Reading reading = new Reading(session);
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "block_size" -> reading.blockTokens = JsonFields.tokens(parser, field, 1);
        case "hash_id_scope" -> {
          if (!parser.getString().equals("local")) {
            throw new IllegalArgumentException(
                "field [hash_id_scope] is [" + parser.getString() + "]: only local is known");
          }
        }
        case "requests" -> reading.requests(parser, startNanos, true);
        default -> parser.skipChildren();
      }
    }
    if (reading.entries.isEmpty()) {
      throw new IllegalArgumentException("field [requests] is missing or empty");
    }
    return new SessionFile(reading.blockTokens, reading.entries, reading.blocks);
  }

  private static final class Reading {
    private final long firstId;
    private int blockTokens;
    private final List<Entry> entries = new ArrayList<>();
    private long blocks;

    Reading(int session) {
      firstId = (long) session << SESSION_SHIFT;
    }

    void requests(JsonParser parser, long startNanos, boolean subAgents) {
      if (blockTokens == 0) {
        throw new IllegalArgumentException("field [block_size] is missing before [requests]");
      }
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw JsonFields.notA("a list of requests", "requests", parser);
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
          throw JsonFields.notA("a list of objects", "requests", parser);
        }
        request(parser, startNanos, subAgents);
      }
    }

    private void request(JsonParser parser, long startNanos, boolean subAgents) {
      long atNanos = -1;
      int inputTokens = -1;
      int outputTokens = 0;
      long[] ids = null;
      boolean agent = false;
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "t" ->
              atNanos = startNanos + JsonFields.nanos(parser, field, "seconds", NANOS_PER_SECOND);
          case "in" -> inputTokens = JsonFields.tokens(parser, field, 0);
          case "out" -> outputTokens = JsonFields.tokens(parser, field, 0);
          case "hash_ids" -> ids = JsonFields.blockIds(parser);
          case "requests" -> {
            if (!subAgents) {
              throw new IllegalArgumentException("a sub-agent has sub-agents: one level is known");
            }
            JsonFields.require(atNanos >= 0, "t");
            agent = true;
            requests(parser, atNanos, false);
          }
          default -> parser.skipChildren();
        }
      }
      if (agent) {
        return;
      }
      JsonFields.require(atNanos >= 0, "t");
      JsonFields.require(inputTokens >= 0, "in");
      if (ids == null) {
        throw new IllegalArgumentException("field [hash_ids] is missing");
      }
      if (inputTokens > 0) {
        add(atNanos, inputTokens, outputTokens, ids);
      }
    }

    private void add(long atNanos, int inputTokens, int outputTokens, long[] ids) {
      for (int i = 0; i < ids.length; i++) {
        if (ids[i] < 0 || ids[i] >= MOST_LOCAL_ID) {
          throw new IllegalArgumentException(
              "field [hash_ids] contains [" + ids[i] + "]: ids are 0 to 2^39");
        }
        ids[i] += firstId;
      }
      long unique = firstId + MOST_LOCAL_ID + entries.size();
      long[] all = JsonFields.withPartialBlock(ids, inputTokens, blockTokens, unique);
      int expected = Math.ceilDiv(inputTokens, blockTokens);
      if (all.length != expected) {
        throw new IllegalArgumentException(
            "field [hash_ids] has ["
                + ids.length
                + "] ids: a prompt of "
                + inputTokens
                + " tokens has "
                + expected
                + " blocks of "
                + blockTokens);
      }
      blocks += all.length;
      entries.add(new Entry(atNanos, inputTokens, outputTokens, all));
    }
  }
}
