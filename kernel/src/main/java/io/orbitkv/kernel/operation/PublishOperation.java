package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import org.jspecify.annotations.Nullable;

/**
 * Pages that one rank publishes. Lives until its copy has ended and each of its page slots has
 * sealed or was given up.
 *
 * <p>The page numbers in {@link #pages} are only good while the page's slot still belongs to this
 * publish: the residency is asked by {@link #sequence} each time.
 */
public final class PublishOperation implements Operation {
  private final Session session;
  private final Event.Publish publish;
  private final Registration registration;
  private final long sequence;
  private final int[] pages;
  private final long deadlineNanos;
  private Copying copying = Copying.WAITING;
  private Verdict verdict = Verdict.OPEN;
  private int unsettled;
  private int copied;
  private int resident;
  private int dropped;
  private int refused;
  private Command.@Nullable Answer answer;

  /**
   * @param sequence never used twice; later publishes have larger ones
   * @param pages by key: the unsealed page, or none
   */
  public PublishOperation(
      Session session,
      Event.Publish publish,
      Registration registration,
      long sequence,
      int[] pages,
      long deadlineNanos) {
    this.session = session;
    this.publish = publish;
    this.registration = registration;
    this.sequence = sequence;
    this.pages = pages;
    this.deadlineNanos = deadlineNanos;
  }

  /** How far the copy is. */
  public enum Copying {
    /** It is not decided yet which pages are copied. */
    WAITING,
    /** The plan did not report yet. */
    RUNNING,
    /** The bytes are there, or there was nothing to copy. */
    DONE,
    /** The plan failed. */
    FAILED
  }

  /** What the client said about its producer. */
  public enum Verdict {
    /** Nothing yet. */
    OPEN,
    /** It produced: pages may seal. */
    COMMITTED,
    /** It failed, or nobody is interested any more. */
    REJECTED
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public long id() {
    return publish.operation();
  }

  @Override
  public int record() {
    return publish.record();
  }

  /** Order of acceptance. */
  public long sequence() {
    return sequence;
  }

  /** The publishing rank. */
  public Registration registration() {
    return registration;
  }

  /** Its generation. */
  public Instance instance() {
    return registration.instance();
  }

  /** Its rank. */
  public int rank() {
    return registration.rank();
  }

  /** What the client said. */
  public Event.Publish publish() {
    return publish;
  }

  /** The group. */
  public int group() {
    return publish.group();
  }

  /** Unsealed pages by place in the publish, or none. */
  public int[] pages() {
    return pages;
  }

  /** What its keys take of the heap. */
  public long keyBytes() {
    return PendingKeys.bytesOf(publish.keys());
  }

  /** First half of a key. */
  public long keyHigh(int place) {
    return publish.keys()[2 * place];
  }

  /** Second half of a key. */
  public long keyLow(int place) {
    return publish.keys()[2 * place + 1];
  }

  /** First half of the key before a page on its chain. */
  public long parentHigh(int place) {
    return place == 0 ? publish.parent().high() : keyHigh(place - 1);
  }

  /** Second half of the key before a page on its chain. */
  public long parentLow(int place) {
    return place == 0 ? publish.parent().low() : keyLow(place - 1);
  }

  /** When its unsealed pages are given up. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** How far the copy is. */
  public Copying copying() {
    return copying;
  }

  /** The copy begins or ended. */
  public void copying(Copying next) {
    copying = next;
  }

  /** What the client said. */
  public Verdict verdict() {
    return verdict;
  }

  /** The client says it once. */
  public void verdict(Verdict said) {
    verdict = said;
  }

  /** Page slots that neither sealed nor were given up. */
  public int unsettled() {
    return unsettled;
  }

  /** A page slot is claimed. */
  public void claimed() {
    unsettled++;
    copied++;
  }

  /** A page slot sealed or was given up. */
  public void settled() {
    unsettled--;
  }

  /** Whether nothing is left to happen. */
  public boolean over() {
    return copying != Copying.WAITING && copying != Copying.RUNNING && unsettled == 0;
  }

  /** Page slots that are or were copied. */
  public int copied() {
    return copied;
  }

  /** Page slots that were there already. */
  public int resident() {
    return resident;
  }

  /** A page was there already. */
  public void countResident() {
    resident++;
  }

  /** Page slots without memory. */
  public int dropped() {
    return dropped;
  }

  /** Pages got no memory. */
  public void drop(int count) {
    dropped += count;
  }

  /** Page slots that an admission policy did not let in. */
  public int refused() {
    return refused;
  }

  /** A page is not let in. */
  public void refuse() {
    refused++;
  }

  /** The answer, once given. */
  public Command.@Nullable Answer answer() {
    return answer;
  }

  /** The answer was given. */
  public void answered(Command.Answer given) {
    answer = given;
  }
}
