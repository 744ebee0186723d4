package io.orbitkv.manager.plugin;

/**
 * A plugin that is not used, and why.
 *
 * @param plugin its id, or its file name while the id is unknown
 * @param file its zip or folder
 * @param reason what is wrong
 * @param remedy what to do
 */
public record PluginRefusal(String plugin, String file, String reason, String remedy) {
  /** One line for the log. */
  public String line() {
    return "plugin [" + plugin + "] in [" + file + "] is refused: " + reason + "; " + remedy;
  }
}
