package io.orbitkv.ssd.device;

/** Error numbers of Linux that this package tells apart. */
final class Errors {
  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int EAGAIN = 11;
  static final int ENOMEM = 12;
  static final int EACCES = 13;
  static final int EFAULT = 14;
  static final int EBUSY = 16;
  static final int EEXIST = 17;
  static final int ENODEV = 19;
  static final int ENOTDIR = 20;
  static final int EISDIR = 21;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;
  static final int EROFS = 30;
  static final int ENOSYS = 38;
  static final int ETIME = 62;
  static final int EOPNOTSUPP = 95;
  static final int EDQUOT = 122;

  private Errors() {}

  /** The system's words for an error number, with the number. */
  static String describe(int error) {
    return Libc.strerror(error) + " (error " + error + ")";
  }
}
