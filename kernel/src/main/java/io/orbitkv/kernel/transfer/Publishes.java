package io.orbitkv.kernel.transfer;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.operation.PendingKeys;
import io.orbitkv.kernel.operation.PublishOperation;
import io.orbitkv.kernel.operation.PublishOperation.Copying;
import io.orbitkv.kernel.operation.PublishOperation.Verdict;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages on their way from device memory into residency. A page seals when each rank's slot is
 * copied and committed; everything else gives it up. Dispatcher.
 */
public final class Publishes {
  private final Step step;
  private final Replies replies;
  private final Residency residency;
  private final Plans plans;
  private final PendingKeys pendingKeys;
  private final Writes writes;
  private final PublishAdmissions admissions;
  private final PublishBook book;
  private long accepted;

  /** No publish is live. */
  public Publishes(
      Step step,
      Replies replies,
      Residency residency,
      Plans plans,
      PendingKeys pendingKeys,
      Writes writes,
      DurableSyncs durables,
      Asked asked,
      Lineage lineage) {
    this.step = step;
    this.replies = replies;
    this.residency = residency;
    this.plans = plans;
    this.pendingKeys = pendingKeys;
    this.writes = writes;
    this.admissions = new PublishAdmissions(step, residency, asked, lineage);
    this.book = new PublishBook(step, replies, residency, pendingKeys, durables);
  }

  // ---- publish ---------------------------------------------------------------------------------

  /**
   * A rank publishes pages. Everything is checked before anything changes.
   *
   * @param worker the rank of this session in the instance, or null
   */
  public void publish(Session session, Event.Publish publish, @Nullable Registration worker) {
    if (session.operations().get(publish.operation()) != null
        || publish.operation() <= session.lastOperation()) {
      refuse(session, publish, ErrorCode.STALE_OPERATION, "was used already: ids only grow");
      return;
    }
    if (worker == null
        || worker.state() != Registration.State.OPEN
        || worker.instance().retired()) {
      refuse(
          session,
          publish,
          ErrorCode.NOT_OWNER,
          "this connection registered no rank of the instance");
      return;
    }
    Instance instance = worker.instance();
    if (!instance.sealed()) {
      refuse(
          session, publish, ErrorCode.NOT_SEALED, "not all ranks of the instance have registered");
      return;
    }
    if (session.publishes() >= step.settings().limits().sessionCopies()) {
      refuse(
          session,
          publish,
          ErrorCode.LIMIT,
          "["
              + session.publishes()
              + "] publishes run or wait for their commit already: commit or cancel them");
      return;
    }
    String problem = problem(publish, worker);
    if (problem == null) {
      problem = session.recordProblem(publish.record(), publish.operation());
    }
    if (problem != null) {
      refuse(session, publish, ErrorCode.INVALID, problem);
      return;
    }
    if (!pendingKeys.admits(PendingKeys.bytesOf(publish.keys()))) {
      refuse(
          session,
          publish,
          ErrorCode.LIMIT,
          "["
              + pendingKeys.bytes()
              + "] bytes of keys are pending already: commit or cancel publishes, or try later");
      return;
    }
    step.count(KernelCounter.PUBLISHES);
    step.count(KernelCounter.PUBLISH_OFFERED_PAGES, publish.devicePages().length);
    session.use(publish.operation());
    session.occupy(publish.record(), publish.operation());
    int[] pages = new int[publish.devicePages().length];
    Arrays.fill(pages, Residency.NONE);
    PublishOperation operation =
        new PublishOperation(
            session,
            publish,
            worker,
            ++accepted,
            pages,
            step.nowNanos() + step.settings().lifetimes().unsealed().toNanos());
    PublishAdmissions.Waiting judged = admissions.involved() ? admissions.arrived(operation) : null;
    if (judged != null && judged.waits()) {
      book.add(operation);
      session.operations().put(operation.id(), operation);
    } else {
      claimAndCopy(operation, judged);
    }
  }

  /** The answer to a question about new pages; returns whether it was one. */
  public boolean advised(Event.AdmissionAdvice advice) {
    List<PublishAdmissions.Waiting> goOn = admissions.advised(advice);
    if (goOn == null) {
      return false;
    }
    for (PublishAdmissions.Waiting judged : goOn) {
      claimAndCopy(judged.operation(), judged);
      book.removeOver(judged.operation());
    }
    return true;
  }

  private void claimAndCopy(
      PublishOperation operation, PublishAdmissions.@Nullable Waiting judged) {
    Event.Publish publish = operation.publish();
    Registration worker = operation.registration();
    int[] pages = operation.pages();
    int count = pages.length;
    operation.copying(Copying.RUNNING);
    Instance instance = worker.instance();
    int domain = instance.domain(publish.group());
    // Before anything is allocated, so that the chain does not evict itself; and from the tail to
    // the head, so that the tail counts as older and is evicted first.
    for (int place = count - 1; place >= 0; place--) {
      int resident = residency.find(domain, operation.keyHigh(place), operation.keyLow(place));
      if (resident != Residency.NONE) {
        residency.touch(resident);
      }
    }
    // Nor does it evict the page that it goes on from, which a policy may have given up.
    int before = residency.find(domain, operation.parentHigh(0), operation.parentLow(0));
    if (before != Residency.NONE) {
      residency.hold(before);
    }
    for (int place = 0; place < count; place++) {
      long high = operation.keyHigh(place);
      long low = operation.keyLow(place);
      int resident = residency.find(domain, high, low);
      if (resident != Residency.NONE) {
        operation.countResident();
        if (worker.rank() == 0) {
          // Once for all ranks.
          writes.touched(
              instance,
              publish.group(),
              resident,
              operation.parentHigh(place),
              operation.parentLow(place));
        }
        continue;
      }
      int page = residency.findInFlight(instance.inFlight(), domain, high, low);
      if (page != Residency.NONE && residency.claimed(page, worker.rank())) {
        operation.countResident();
        continue;
      }
      if (page == Residency.NONE && judged != null && judged.refuses(place)) {
        operation.refuse();
        continue;
      }
      if (page == Residency.NONE) {
        page =
            residency.allocate(
                instance.inFlight(),
                domain,
                high,
                low,
                instance.runBytes(publish.group()),
                instance.nodes());
      }
      if (page == Residency.NONE) {
        // What follows on the chain could never be reached without this page.
        operation.drop(count - place);
        break;
      }
      residency.claim(page, worker.rank(), operation.sequence());
      residency.hold(page);
      operation.claimed();
      pages[place] = page;
    }
    if (before != Residency.NONE) {
      residency.letGoOfWrite(before);
    }
    step.count(KernelCounter.PUBLISH_RESIDENT_PAGES, operation.resident());
    step.count(KernelCounter.PUBLISH_DROPPED_PAGES, operation.dropped());
    step.count(KernelCounter.PUBLISH_REFUSED_PAGES, operation.refused());
    if (operation.copied() == 0) {
      operation.copying(Copying.DONE);
      answer(operation, AnswerState.PUBLISHED, "", 0);
      return;
    }
    book.add(operation);
    operation.session().operations().put(operation.id(), operation);
    submit(operation, publish);
  }

  private void submit(PublishOperation operation, Event.Publish publish) {
    int[] pages = new int[operation.copied()];
    int[] devicePages = new int[operation.copied()];
    int next = 0;
    for (int place = 0; place < operation.pages().length; place++) {
      if (operation.pages()[place] != Residency.NONE) {
        pages[next] = operation.pages()[place];
        devicePages[next++] = publish.devicePages()[place];
      }
    }
    plans.submit(
        operation.registration(),
        operation,
        publish.group(),
        CopyPlan.Direction.DEVICE_TO_HOST,
        publish.waitEvent(),
        pages,
        devicePages,
        CopyPlan.NO_STAGE);
  }

  // ---- the copy's end --------------------------------------------------------------------------

  /** The copy of a publish reported. */
  public void completed(PublishOperation operation, CopyOutcome outcome) {
    switch (outcome) {
      case CopyOutcome.Done done -> {
        operation.copying(Copying.DONE);
        letGo(operation, true);
        answer(operation, AnswerState.PUBLISHED, "", 0);
        settle(operation);
      }
      case CopyOutcome.Failed failed -> {
        operation.copying(Copying.FAILED);
        giveUp(operation);
        letGo(operation, false);
        answer(operation, AnswerState.FAILED, failed.message(), 0);
      }
      case CopyOutcome.Unknown unknown -> {
        operation.copying(Copying.FAILED);
        quarantine(operation);
        letGo(operation, false);
        answer(operation, AnswerState.FAILED, unknown.message(), Command.OUTCOME_UNKNOWN);
      }
    }
    book.removeOver(operation);
  }

  /** The copy's own references go; until here no page of it can have got another name. */
  private void letGo(PublishOperation operation, boolean copied) {
    for (int page : operation.pages()) {
      if (page != Residency.NONE) {
        if (copied && residency.belongsTo(page, operation.rank(), operation.sequence())) {
          residency.copied(page, operation.rank());
        }
        residency.letGo(page);
      }
    }
  }

  private void quarantine(PublishOperation operation) {
    for (int page : operation.pages()) {
      if (page == Residency.NONE) {
        continue;
      }
      if (residency.belongsTo(page, operation.rank(), operation.sequence())) {
        book.settle(page, KernelCounter.PUBLISH_DISCARDED_PAGES);
        residency.quarantineUnsealed(operation.instance().inFlight(), page);
      } else {
        residency.quarantine(page);
      }
    }
  }

  // ---- commit ----------------------------------------------------------------------------------

  /** The client says whether its producer succeeded. The first word counts. */
  public void commit(PublishOperation operation, boolean produced) {
    if (operation.verdict() != Verdict.OPEN) {
      return;
    }
    operation.verdict(produced ? Verdict.COMMITTED : Verdict.REJECTED);
    settle(operation);
    book.removeOver(operation);
  }

  /** Seals or gives up what the copy's end and the client's word allow. */
  private void settle(PublishOperation operation) {
    switch (operation.verdict()) {
      case OPEN -> {}
      case REJECTED -> giveUp(operation);
      case COMMITTED -> {
        if (operation.copying() == Copying.DONE) {
          for (int place = 0; place < operation.pages().length; place++) {
            seal(operation, place);
          }
        }
      }
    }
  }

  private void seal(PublishOperation operation, int place) {
    int page = operation.pages()[place];
    if (page == Residency.NONE
        || !residency.belongsTo(page, operation.rank(), operation.sequence())) {
      return;
    }
    residency.committed(page, operation.rank());
    if (!residency.complete(page)) {
      return;
    }
    Instance instance = operation.instance();
    int domain = instance.domain(operation.group());
    int earlier = residency.find(domain, operation.keyHigh(place), operation.keyLow(place));
    if (earlier != Residency.NONE) {
      // Another instance was faster: a key is never overwritten.
      residency.touch(earlier);
      book.settle(page, KernelCounter.PUBLISH_RESIDENT_PAGES);
      residency.discard(instance.inFlight(), page);
      return;
    }
    book.settle(page, KernelCounter.PUBLISH_STORED_PAGES);
    step.count(KernelCounter.PUBLISHED_BYTES, instance.payloadBytes(operation.group()));
    int parent = residency.find(domain, operation.parentHigh(place), operation.parentLow(place));
    residency.seal(instance.inFlight(), page, parent);
    long parentHigh = operation.parentHigh(place);
    long parentLow = operation.parentLow(place);
    if (parentHigh == 0 && parentLow == 0) {
      residency.beginChain(page);
    }
    writes.offer(instance, operation.group(), page, parentHigh, parentLow);
  }

  // ---- giving up -------------------------------------------------------------------------------

  /** A generation ended: its unsealed pages are given up. */
  public void retired(Instance instance) {
    for (PublishOperation operation : book.all()) {
      if (operation.instance() == instance) {
        giveUp(operation);
        book.removeOver(operation);
      }
    }
    admissions.retired(instance);
    if (instance.inFlight().size() != 0) {
      throw new BrokenInvariant(
          "instance ["
              + instance.name()
              + "] ended with ["
              + instance.inFlight().size()
              + "] unsealed pages");
    }
  }

  /** Gives up what was unsealed for too long. */
  public void expire() {
    admissions.expire();
    for (PublishOperation operation : book.due()) {
      giveUp(operation);
      book.removeOver(operation);
    }
  }

  private void giveUp(PublishOperation operation) {
    if (operation.copying() == Copying.WAITING) {
      endWaiting(operation);
      return;
    }
    if (operation.unsettled() == 0) {
      return;
    }
    for (int page : operation.pages()) {
      if (page != Residency.NONE
          && residency.belongsTo(page, operation.rank(), operation.sequence())) {
        book.settle(page, KernelCounter.PUBLISH_DISCARDED_PAGES);
        residency.discard(operation.instance().inFlight(), page);
      }
    }
  }

  /** Nothing is copied any more: the device pages are the client's at once. */
  private void endWaiting(PublishOperation operation) {
    int count = operation.pages().length;
    admissions.over(operation);
    operation.copying(Copying.DONE);
    operation.drop(count);
    step.count(KernelCounter.PUBLISH_DISCARDED_PAGES, count);
    book.discarded(operation, count);
    answer(operation, AnswerState.PUBLISHED, "", 0);
  }

  // ---- other messages --------------------------------------------------------------------------

  /**
   * A client waits for all publishes accepted so far.
   *
   * @param durable and for their writes to the backing tier
   */
  public void sync(Session session, long operation, boolean durable) {
    if (durable && !step.settings().writes().present()) {
      replies.refuse(
          session,
          operation,
          ErrorCode.UNSUPPORTED,
          "there is no backing tier that could keep anything durably: name one (`ssd.paths`)");
      return;
    }
    if (session.syncs() >= KernelSettings.SESSION_SYNCS) {
      replies.refuse(
          session, operation, ErrorCode.LIMIT, "[" + session.syncs() + "] syncs wait already");
      return;
    }
    book.sync(session, operation, durable, accepted);
  }

  /** The session's syncs need no answer any more. */
  public void sessionClosed(Session session) {
    book.sessionClosed(session);
  }

  /** Where a publish stands, over the socket. */
  public void ask(PublishOperation operation) {
    Command.Answer given = operation.answer();
    if (given != null) {
      replies.repeat(given);
    } else {
      replies.answer(
          operation.session(),
          operation.id(),
          0,
          Event.NO_RECORD,
          AnswerState.LOADING,
          0,
          0,
          LeaseId.NONE,
          "");
    }
  }

  private @Nullable String problem(Event.Publish publish, Registration worker) {
    int count = publish.devicePages().length;
    if (publish.group() < 0 || publish.group() >= worker.instance().groups()) {
      return "group [" + publish.group() + "] is not registered";
    }
    if (count == 0 || count > step.settings().limits().maxQueryPages()) {
      return "[" + count + "] pages: must be 1.." + step.settings().limits().maxQueryPages();
    }
    if (publish.keys().length != 2 * count) {
      return "["
          + publish.keys().length
          + "] halves of keys for ["
          + count
          + "] pages: must be twice as many";
    }
    int devicePages = worker.slot(publish.group()).devicePages();
    for (int i = 0; i < count; i++) {
      int devicePage = publish.devicePages()[i];
      if (devicePage < 0 || devicePage >= devicePages) {
        return "device page [" + devicePage + "] is outside 0.." + (devicePages - 1);
      }
      if (publish.keys()[2 * i] == 0 && publish.keys()[2 * i + 1] == 0) {
        return "key at place [" + i + "] is the key of no page";
      }
    }
    return null;
  }

  private void answer(PublishOperation operation, AnswerState state, String message, long failure) {
    boolean published = state == AnswerState.PUBLISHED;
    operation.answered(
        replies.answer(
            operation.session(),
            operation.id(),
            0,
            operation.record(),
            state,
            published ? operation.copied() : 0,
            published
                ? (long) operation.resident() << 32 | (operation.dropped() + operation.refused())
                : failure,
            LeaseId.NONE,
            message));
  }

  private void refuse(Session session, Event.Publish publish, ErrorCode error, String problem) {
    replies.refuse(
        session, publish.operation(), error, "publish [" + publish.operation() + "]: " + problem);
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Publishes that are not over. */
  public int live() {
    return book.size();
  }

  /** How many publishes were looked at to find those that are over or due. */
  long looked() {
    return book.looked();
  }

  /** Bytes of the keys of the publishes that are not over. */
  public long pendingKeyBytes() {
    return book.all().stream().mapToLong(PublishOperation::keyBytes).sum();
  }

  /** Adds the references that copies hold, by page, and checks claims. For the deep check. */
  public void countReferences(int[] references) {
    book.countReferences(references);
    admissions.verify();
  }
}
