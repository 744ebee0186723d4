package io.orbitkv.api.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "4096,4096",
    "1kb,1024",
    "4gb,4294967296",
    "1.5 GiB,1610612736",
    "512MB,536870912",
    "7b,7"
  })
  void parse_numberAndUnit_isBinary(String text, long bytes) {
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gb", "-1", "4 gigs", "1e9", "4gbb", "0x10"})
  void parse_notASize_quotesTheValue(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[" + text + "] is not a size");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9000000000gb", "8388608tb"})
  void parse_tooLarge_saysSo(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text)).hasMessageContaining("more than 8 EiB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0b", "4gb", "1023b", "3mb", "17kb"})
  void toString_isTheExactShortForm(String text) {
    assertThat(ByteSize.parse(text)).hasToString(text);
  }
}
