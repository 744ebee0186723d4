package io.orbitkv.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command that ran in this process: what it printed and how it ended. */
record Invocation(int status, String out, String err) {
  static Invocation of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    return new Invocation(status, out.toString(), err.toString());
  }
}
