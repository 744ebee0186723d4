package io.orbitkv.manager.session;

import java.nio.file.attribute.UserPrincipal;
import java.util.List;

/**
 * Who may connect: the user who runs the Manager, and users that the configuration names. Users are
 * compared as the system reports them; a user without a name appears as its number.
 *
 * @param own the user who runs the Manager
 * @param allowedUsers names of others
 */
record PeerPolicy(UserPrincipal own, List<String> allowedUsers) {
  PeerPolicy {
    allowedUsers = List.copyOf(allowedUsers);
  }

  boolean admits(UserPrincipal peer) {
    return peer.equals(own) || allowedUsers.contains(peer.getName());
  }
}
