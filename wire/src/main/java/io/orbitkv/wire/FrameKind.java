package io.orbitkv.wire;

/** Kinds of frames: 1–63 from clients, 64–127 from the Manager. The numbers never change. */
public final class FrameKind {
  /** {@link ClientMessage.Hello}. */
  public static final short HELLO = 1;

  /** {@link ClientMessage.Register}. */
  public static final short REGISTER = 2;

  /** {@link ClientMessage.Attach}. */
  public static final short ATTACH = 3;

  /** {@link ClientMessage.Unregister}. */
  public static final short UNREGISTER = 4;

  /** {@link ClientMessage.Submit}. */
  public static final short SUBMIT = 5;

  /** {@link ClientMessage.Taken}. */
  public static final short TAKEN = 6;

  /** {@link ClientMessage.Cancel}. */
  public static final short CANCEL = 7;

  /** {@link ClientMessage.Ask}. */
  public static final short ASK = 8;

  /** {@link ClientMessage.Claim}. */
  public static final short CLAIM = 9;

  /** {@link ClientMessage.Release}. */
  public static final short RELEASE = 10;

  /** {@link ClientMessage.Restore}. */
  public static final short RESTORE = 11;

  /** {@link ClientMessage.Publish}. */
  public static final short PUBLISH = 12;

  /** {@link ClientMessage.Commit}. */
  public static final short COMMIT = 13;

  /** {@link ClientMessage.Queue}. */
  public static final short QUEUE = 14;

  /** {@link ClientMessage.EngineStats}. */
  public static final short ENGINE_STATS = 15;

  /** {@link ClientMessage.Sync}. */
  public static final short SYNC = 16;

  /** {@link ClientMessage.Evict}. */
  public static final short EVICT = 17;

  /** {@link ClientMessage.Status}. */
  public static final short STATUS = 18;

  /** {@link ClientMessage.Echo}. */
  public static final short ECHO = 19;

  /** {@link ClientMessage.Metrics}. */
  public static final short METRICS = 20;

  /** {@link ClientMessage.Policy}. */
  public static final short POLICY = 21;

  /** {@link ClientMessage.StageWaited}. */
  public static final short STAGE_WAITED = 22;

  /** {@link ServerMessage.Welcome}. */
  public static final short WELCOME = 64;

  /** {@link ServerMessage.Registered}. */
  public static final short REGISTERED = 65;

  /** {@link ServerMessage.Attached}. */
  public static final short ATTACHED = 66;

  /** {@link ServerMessage.Answer}. */
  public static final short ANSWER = 67;

  /** {@link ServerMessage.Done}. */
  public static final short DONE = 68;

  /** {@link ServerMessage.Refused}. */
  public static final short REFUSED = 69;

  /** {@link ServerMessage.StatusReport}. */
  public static final short STATUS_REPORT = 70;

  /** {@link ServerMessage.Echo}. */
  public static final short ECHO_REPLY = 71;

  /** {@link ServerMessage.Candidates}. */
  public static final short CANDIDATES = 72;

  /** {@link ServerMessage.MetricsReport}. */
  public static final short METRICS_REPORT = 73;

  /** {@link ServerMessage.PolicyReport}. */
  public static final short POLICY_REPORT = 74;

  private FrameKind() {}

  /** The name of a kind for messages to people; an unknown kind yields its number. */
  public static String name(short kind) {
    return switch (kind) {
      case HELLO -> "Hello";
      case REGISTER -> "Register";
      case ATTACH -> "Attach";
      case UNREGISTER -> "Unregister";
      case SUBMIT -> "Submit";
      case TAKEN -> "Taken";
      case CANCEL -> "Cancel";
      case ASK -> "Ask";
      case CLAIM -> "Claim";
      case RELEASE -> "Release";
      case RESTORE -> "Restore";
      case STAGE_WAITED -> "StageWaited";
      case PUBLISH -> "Publish";
      case COMMIT -> "Commit";
      case QUEUE -> "Queue";
      case ENGINE_STATS -> "EngineStats";
      case SYNC -> "Sync";
      case EVICT -> "Evict";
      case STATUS -> "Status";
      case ECHO, ECHO_REPLY -> "Echo";
      case METRICS -> "Metrics";
      case POLICY -> "Policy";
      case WELCOME -> "Welcome";
      case REGISTERED -> "Registered";
      case ATTACHED -> "Attached";
      case ANSWER -> "Answer";
      case DONE -> "Done";
      case REFUSED -> "Refused";
      case STATUS_REPORT -> "StatusReport";
      case CANDIDATES -> "Candidates";
      case METRICS_REPORT -> "MetricsReport";
      case POLICY_REPORT -> "PolicyReport";
      default -> "kind [" + kind + "]";
    };
  }
}
