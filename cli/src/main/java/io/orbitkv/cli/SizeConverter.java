package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 4gb}. */
final class SizeConverter implements ITypeConverter<ByteSize> {
  @Override
  public ByteSize convert(String text) {
    try {
      return ByteSize.parse(text);
    } catch (IllegalArgumentException problem) {
      throw new TypeConversionException(problem.getMessage());
    }
  }
}
