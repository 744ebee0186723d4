package io.orbitkv.manager.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerPolicyTest {
  private record User(String getName) implements UserPrincipal {
    @Override
    public String getName() {
      return getName;
    }
  }

  @Test
  void ownUserAndAllowedUsers_mayConnectAndNobodyElse() {
    PeerPolicy policy = new PeerPolicy(new User("manager"), List.of("engine"));

    assertThat(policy.admits(new User("manager"))).isTrue();
    assertThat(policy.admits(new User("engine"))).isTrue();
    assertThat(policy.admits(new User("root"))).isFalse();
    assertThat(policy.admits(new User("1000"))).isFalse();
  }
}
