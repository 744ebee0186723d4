package io.orbitkv.manager.admin;

import io.orbitkv.manager.shadow.ShadowFigures;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What shadow policies would have kept, as JSON. */
final class ShadowReport {
  private ShadowReport() {}

  static void put(ShadowFigures shadows, double askedShare, ObjectNode node) {
    node.put("state", shadows.state());
    if (!shadows.trouble().isEmpty()) {
      node.put("trouble", shadows.trouble());
    }
    node.put("epoch", shadows.epoch());
    node.put("cause", shadows.cause());
    node.put("sample_ratio", shadows.share());
    node.put("asked_ratio", askedShare);
    node.put("dram_pages", shadows.dramPages());
    node.put("ssd_pages", shadows.ssdPages());
    node.put("known_pages", shadows.knownPages());
    node.put("turned_over", shadows.turnedOver());
    ShadowFigures.Lookups lookups = shadows.lookups();
    ObjectNode counted = node.putObject("lookups");
    counted.put("offered", lookups.offered());
    counted.put("sampled", lookups.sampled());
    counted.put("others", lookups.others());
    counted.put("dropped", lookups.dropped());
    counted.put("left_out", lookups.leftOut());
    counted.put("waiting", lookups.waiting());
    ArrayNode slots = node.putArray("slots");
    for (String slot : shadows.slots()) {
      put(shadows, slot, slots.addObject());
    }
  }

  private static void put(ShadowFigures shadows, String slot, ObjectNode node) {
    node.put("slot", slot);
    for (ShadowFigures.Regret regret : shadows.regrets()) {
      if (regret.slot().equals(slot)) {
        ObjectNode told = node.putObject("regret");
        told.put("pages", regret.pages());
        told.put("ratio", regret.ratio());
        told.put("best", regret.best().policy());
        if (!regret.best().settings().isEmpty()) {
          told.put("settings", regret.best().settings());
        }
      }
    }
    ArrayNode all = node.putArray("miniatures");
    for (ShadowFigures.Mini mini : shadows.miniatures()) {
      if (mini.slot().equals(slot)) {
        put(mini, all.addObject());
      }
    }
  }

  private static void put(ShadowFigures.Mini mini, ObjectNode node) {
    node.put("policy", mini.policy());
    if (!mini.settings().isEmpty()) {
      node.put("settings", mini.settings());
    }
    node.put("role", mini.active() ? "active" : "shadow");
    node.put("state", mini.state());
    if (!mini.trouble().isEmpty()) {
      node.put("trouble", mini.trouble());
    }
    node.put("lookups", mini.lookups());
    node.put("looked_up_pages", mini.lookedUpPages());
    node.put("hit_pages", mini.hitPages());
    node.put("hit_ratio", mini.hitRatio());
    node.put("dram_written_bytes", mini.dramWrittenBytes());
    node.put("ssd_written_bytes", mini.ssdWrittenBytes());
  }
}
