package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

final class GoldenVectorsTest {
  @TestFactory
  List<DynamicTest> encodeAndDecode_goldenFrame() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode vector : GoldenVectors.load().get("frames")) {
      String name = vector.get("name").stringValue();
      String hex = vector.get("hex").stringValue();
      tests.add(
          DynamicTest.dynamicTest(
              name,
              () -> {
                byte[] bytes = HexFormat.of().parseHex(hex);
                Record decoded;
                String encoded;
                if (vector.get("from").stringValue().equals("client")) {
                  decoded = (Record) Frames.decodeClient(bytes);
                  encoded = Frames.hex(Frames.encode(Samples.ofClients().get(name)));
                } else {
                  decoded = (Record) Frames.decodeServer(bytes);
                  encoded = Frames.hex(Frames.encode(Samples.ofManager().get(name)));
                }
                assertThat(Meaning.text(decoded))
                    .isEqualTo(Meaning.MAPPER.writeValueAsString(vector.get("meaning")));
                assertThat(encoded).isEqualTo(hex);
              }));
    }
    return tests;
  }

  @TestFactory
  List<DynamicTest> decode_malformedGoldenFrame_isProtocolException() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode vector : GoldenVectors.load().get("malformed")) {
      byte[] bytes = HexFormat.of().parseHex(vector.get("hex").stringValue());
      boolean fromClient = vector.get("from").stringValue().equals("client");
      tests.add(
          DynamicTest.dynamicTest(
              vector.get("name").stringValue(),
              () ->
                  assertThatExceptionOfType(ProtocolException.class)
                      .isThrownBy(() -> {
                        if (fromClient) {
                          Frames.decodeClient(bytes);
                        } else {
                          Frames.decodeServer(bytes);
                        }
                      })));
    }
    return tests;
  }

  @Test
  void goldenFile_holdsEverySampleAndMalformation() throws IOException {
    JsonNode golden = GoldenVectors.load();
    List<String> names = new ArrayList<>();
    golden.get("frames").forEach(vector -> names.add(vector.get("name").stringValue()));
    List<String> samples = new ArrayList<>(Samples.ofClients().keySet());
    samples.addAll(Samples.ofManager().keySet());
    assertThat(names).isEqualTo(samples);

    List<String> malformed = new ArrayList<>();
    golden.get("malformed").forEach(vector -> malformed.add(vector.get("name").stringValue()));
    assertThat(malformed).isEqualTo(List.copyOf(GoldenVectors.malformed().keySet()));
  }

  @Test
  void samples_coverEveryKindOfMessage() {
    assertThat(Samples.ofClients().values().stream().map(Object::getClass).distinct())
        .hasSize(ClientMessage.class.getPermittedSubclasses().length);
    assertThat(Samples.ofManager().values().stream().map(Object::getClass).distinct())
        .hasSize(ServerMessage.class.getPermittedSubclasses().length);
  }
}
