package io.orbitkv.manager.metrics;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/**
 * One answer of HTTP/1.1, after which the connection ends.
 *
 * @param status three digits and their words
 * @param contentType of the text
 * @param text the body
 * @param headers further ones, each with its line end
 * @param bodiless whether the headers alone are sent, as for HEAD
 */
record HttpAnswer(
    String status, String contentType, String text, String headers, boolean bodiless) {
  static final String OK = "200 OK";
  static final String NOT_FOUND = "404 Not Found";
  static final String NOT_ALLOWED = "405 Method Not Allowed";
  static final String UNAVAILABLE = "503 Service Unavailable";
  static final String PLAIN = "text/plain; charset=utf-8";

  private static final String MALFORMED = "400 Bad Request";

  static HttpAnswer of(String status, String contentType, String text) {
    return new HttpAnswer(status, contentType, text, "", false);
  }

  /** Plain text. */
  static HttpAnswer plain(String status, String text) {
    return of(status, PLAIN, text);
  }

  static HttpAnswer malformed(String problem) {
    return plain(MALFORMED, problem + "\n");
  }

  /** The same with a further header. */
  HttpAnswer with(String name, String value) {
    return new HttpAnswer(
        status, contentType, text, headers + name + ": " + value + "\r\n", bodiless);
  }

  HttpAnswer withoutBody(boolean without) {
    return new HttpAnswer(status, contentType, text, headers, without);
  }

  ByteBuffer bytes() {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    byte[] head =
        ("HTTP/1.1 "
                + status
                + "\r\nDate: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC))
                + "\r\nContent-Type: "
                + contentType
                + "\r\nContent-Length: "
                + body.length
                + "\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
                + headers
                + "Connection: close\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer bytes = ByteBuffer.allocate(head.length + (bodiless ? 0 : body.length)).put(head);
    return (bodiless ? bytes : bytes.put(body)).flip();
  }
}
