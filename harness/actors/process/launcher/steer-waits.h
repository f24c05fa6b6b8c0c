/*
 * Waits with a timeout. A seccomp filter stops each such call at its entry; its deadline is noted, and its timeout removed, so that it ends
 * only with the event that it waits for, or when the tracer ends it with the result of a timeout. At its exit it is stopped again, and its
 * arguments are restored. Waits for an absolute time on the monotonic clock keep their timeout, and are not stopped at their exit.
 *
 * Detected but not steered: kernel timers. Neither steered nor detected: SO_RCVTIMEO and SO_SNDTIMEO, semtimedop, message queues, and
 * sleeps by nanosleep(2) below 20 ms, which Go's runtime depends on.
 */
/* Sleeps shorter than this end by themselves. */
#define SHORT_NS 20000000L
/* No deadline. */
#define NEVER __LONG_MAX__

struct task {
  long tid, pid;
  /* Its files in /proc, kept open because opening costs more than reading; 0 if not open yet. */
  long call_file, runs_file;
  /* Whether it was last seen in a nap, a sleep too short to wait for; and the requested length of its last nanosleep(2). */
  int is_napping;
  long span;
  /* 1 for a runtime's own thread that wakes up all the time, and that no check waits for; -1 for any other thread; 0 if unknown. */
  int is_ticker;
  /* Its current wait: the call (-1 if none), its deadline, and its arguments. */
  long call, deadline;
  word arguments[6];
  /* Whether the wait kept its timeout, because the kernel's clock does not reach the deadline; its exit is then not seen. */
  int is_as_given;
  /* Whether its deadline has passed. */
  int is_over;
  /* Whether a signal has interrupted it; if the call is restarted, its deadline stays the same. */
  int is_interrupted;
  /*
   * For a new thread: whether its parent's event has announced it, and whether it has stopped for the first time. It continues once both
   * have happened.
   */
  int is_told, is_held;
};
static struct task tasks[MAX_TASKS];
static int task_count;

static struct task *task_of(long tid) {
  for (int i = 0; i < task_count; i++)
    if (tasks[i].tid == tid) return &tasks[i];
  if (task_count == MAX_TASKS) {
    lost("too-many-threads");
    return NULL;
  }
  tasks[task_count] = (struct task){.tid = tid, .call = -1, .deadline = NEVER};
  return &tasks[task_count++];
}

static void forget(long tid) {
  for (int i = 0; i < task_count; i++)
    if (tasks[i].tid == tid) {
      if (tasks[i].call_file > 0) CALL(close, tasks[i].call_file, 0, 0, 0, 0);
      if (tasks[i].runs_file > 0) CALL(close, tasks[i].runs_file, 0, 0, 0, 0);
      tasks[i] = tasks[--task_count];
    }
  forget_process(tid);
}

static struct process *process_with(struct task *task) {
  static char text[512];
  if (!task->pid) {
    long file = open_of(task->tid, "/status", O_RDONLY), size = CALL(read, file, text, sizeof text - 1, 0, 0);
    CALL(close, file, 0, 0, 0, 0);
    task->pid = task->tid;
    if (size > 0) {
      text[size] = 0;
      for (const char *at = text; *at; at++)
        if (at[0] == 'T' && at[1] == 'g' && at[2] == 'i' && at[3] == 'd')
          for (task->pid = 0, at += 6; *at >= '0' && *at <= '9'; at++) task->pid = task->pid * 10 + (*at - '0');
    }
  }
  return process_of(task->pid);
}

/* ---- the filter ---- */

#define WHEN(value, then) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, then)
#define TRACE DONE(SECCOMP_RET_TRACE)
/* Stops a call if its argument n, a pointer to a time, is not null. */
#define WITH_TIME(n) LOAD(args[n]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, __builtin_offsetof(struct seccomp_data, args[n]) + 4), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), TRACE, ALLOW
/* Stops a call if its argument n, in milliseconds, is positive. */
#define WITH_MS(n) \
  LOAD(args[n]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x80000000, 1, 0), TRACE, ALLOW
#define ALWAYS(call) WHEN(call, 1), TRACE

/* Called in the program's process before it starts the program: from here on, its waits are stopped. */
static void stop_at_waits(void) {
  static const struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      ALLOW,
      LOAD(nr),
      WHEN(__NR_epoll_wait, 5), WITH_MS(3),
      WHEN(__NR_epoll_pwait, 5), WITH_MS(3),
      WHEN(__NR_poll, 5), WITH_MS(2),
      WHEN(__NR_ppoll, 6), WITH_TIME(2),
      WHEN(__NR_pselect6, 6), WITH_TIME(4),
      WHEN(__NR_select, 6), WITH_TIME(4),
      WHEN(__NR_epoll_pwait2, 6), WITH_TIME(3),
      WHEN(__NR_rt_sigtimedwait, 6), WITH_TIME(2),
      /* The futex operations that wait. */
      WHEN(__NR_futex, 13), LOAD(args[1]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7f),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT, 4, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT_BITSET, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_LOCK_PI, 2, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT_REQUEUE_PI, 1, 0), ALLOW, WITH_TIME(3),
      ALWAYS(__NR_clock_nanosleep),
      ALWAYS(__NR_gettimeofday),
      ALWAYS(__NR_time),
      ALWAYS(__NR_timerfd_settime),
      ALWAYS(__NR_timer_settime),
      ALWAYS(__NR_setitimer),
      ALWAYS(__NR_alarm),
      ALWAYS(__NR_getrandom),
      WHEN(__NR_clock_gettime, 3),
      LOAD(args[5]),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 1, 0),
      TRACE,
      ALLOW,
  };
  filter_calls(SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter, sizeof filter);
}

/* ---- deadlines ---- */

static long time_at(long tid, word at, long unit) {
  long pair[2];
  if (!at || !read_memory(tid, at, pair, sizeof pair)) return -1;
  /* Far enough ahead that no program waits for it, and small enough not to overflow. */
  if (pair[0] > 8000000000L) pair[0] = 8000000000L;
  return pair[0] * NS_PER_S + pair[1] * unit;
}

/* Returns the deadline of a wait that begins now, in ns since the run began. */
static long deadline_of(struct task *task, long call, const word *argument) {
  long tid = task->tid, span = -1;
  int is_absolute = 0, is_wall = 0;
  switch (call) {
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
      span = (int)argument[3] * 1000000L;
      break;
    case __NR_poll:
      span = (int)argument[2] * 1000000L;
      break;
    case __NR_ppoll:
    case __NR_rt_sigtimedwait:
      span = time_at(tid, argument[2], 1);
      break;
    case __NR_epoll_pwait2:
      span = time_at(tid, argument[3], 1);
      break;
    case __NR_pselect6:
      span = time_at(tid, argument[4], 1);
      break;
    case __NR_select:
      span = time_at(tid, argument[4], 1000);
      break;
    case __NR_nanosleep:
      span = time_at(tid, argument[0], 1);
      break;
    case __NR_clock_nanosleep:
      if ((int)argument[0] == CLOCK_PROCESS_CPUTIME_ID || (int)argument[0] < 0) return NEVER;
      span = time_at(tid, argument[2], 1);
      is_absolute = argument[1] & TIMER_ABSTIME;
      is_wall = argument[0] == CLOCK_REALTIME || argument[0] == CLOCK_TAI;
      break;
    case __NR_futex: {
      int operation = argument[1] & 0x7f;
      span = time_at(tid, argument[3], 1);
      is_absolute = operation != FUTEX_WAIT;
      is_wall = operation == FUTEX_LOCK_PI || argument[1] & FUTEX_CLOCK_REALTIME;
      break;
    }
  }
  if (span < 0 || (!span && !is_absolute)) return NEVER;
  return is_absolute ? span - (is_wall ? clock.real : clock.monotonic) : now_of(process_with(task)) + span;
}

/* Removes the timeout of a call. */
static void without_timeout(struct registers *at) {
  switch (at->orig_rax) {
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
      at->r10 = -1;
      break;
    case __NR_poll:
      at->rdx = -1;
      break;
    case __NR_ppoll:
    case __NR_rt_sigtimedwait:
      at->rdx = 0;
      break;
    case __NR_epoll_pwait2:
    case __NR_futex:
      at->r10 = 0;
      break;
    case __NR_pselect6:
    case __NR_select:
      at->r8 = 0;
      break;
    case __NR_clock_nanosleep:
      /* A sleep has no form without a timeout: replaced by a wait for no event, without a timeout. */
      at->orig_rax = __NR_ppoll, at->rdi = 0, at->rsi = 0, at->rdx = 0, at->r10 = 0;
      break;
  }
}

static long timeout_result(long call) {
  if (call == __NR_futex) return -ETIMEDOUT;
  return call == __NR_rt_sigtimedwait ? -EAGAIN : 0;
}

/*
 * Reports whether a wait is for an absolute time on our monotonic clock, which is ahead of the kernel's; locks and condition variables wait
 * like this. Such a wait needs no stop at its exit.
 */
static int is_beyond(long call, const word *argument) {
  return call == __NR_futex && (argument[1] & 0x7f) == FUTEX_WAIT_BITSET && !(argument[1] & FUTEX_CLOCK_REALTIME);
}

/* Reports whether a sleeping thread is still in the noted wait. If it was stopped in the meantime, it sleeps in restart_syscall instead. */
static int is_in_wait(const struct task *task, long call, const word *argument) {
  if (call != task->call && call != __NR_restart_syscall) return 0;
  for (int i = 0; i < 4; i++)
    if (argument[i] != task->arguments[i]) return 0;
  return 1;
}

/* Called at the entry of a wait. Returns whether to stop at its exit. */
static int begin_wait(struct task *task, struct registers *at) {
  const word arguments[6] = {at->rdi, at->rsi, at->rdx, at->r10, at->r8, at->r9};
  int is_same = task->is_interrupted && task->call == (long)at->orig_rax;
  for (int i = 0; i < 4; i++) is_same = is_same && task->arguments[i] == arguments[i];
  long deadline = is_same ? task->deadline : deadline_of(task, at->orig_rax, arguments);
  task->is_interrupted = task->is_over = task->is_as_given = 0;
  task->call = -1, task->deadline = NEVER;
  if (deadline == NEVER) return 0;
  /* All other expired waits first check for their event, and are ended afterwards. */
  if (deadline <= clock.now && at->orig_rax == __NR_clock_nanosleep) {
    at->rax = 0, at->orig_rax = -1;
    trace(SET_REGISTERS, task->tid, 0, (word)at);
    return 0;
  }
  task->call = at->orig_rax, task->deadline = deadline;
  for (int i = 0; i < 6; i++) task->arguments[i] = arguments[i];
  task->is_as_given = is_beyond(task->call, arguments);
  if (task->is_as_given) return 0;
  without_timeout(at);
  trace(SET_REGISTERS, task->tid, 0, (word)at);
  return 1;
}

/* Writes the remaining time of an interrupted sleep to the caller's buffer, if there is one. */
static void tell_rest(const struct task *task) {
  word to = task->arguments[3];
  if (task->call != __NR_clock_nanosleep || (task->arguments[1] & TIMER_ABSTIME) || !to) return;
  long left = task->deadline > clock.now ? task->deadline - clock.now : 0;
  long pair[2] = {left / NS_PER_S, left % NS_PER_S};
  struct iovec here = {pair, sizeof pair}, there = {(void *)to, sizeof pair};
  kernel6(__NR_process_vm_writev, task->tid, (word)&here, 1, (word)&there, 1, 0);
}

static void forget_wait(struct task *task) {
  task->call = -1, task->deadline = NEVER, task->is_over = task->is_interrupted = task->is_as_given = 0;
}

/* Called at the exit of a wait. Restores its arguments, and sets the result of a timeout if its deadline has passed. */
static void end_wait(struct task *task) {
  struct registers at;
  if (trace(GET_REGISTERS, task->tid, 0, (word)&at) == 0) {
    long result = at.rax;
    int is_cut = result == -EINTR || (result >= -516 && result <= -512);
    at.rdi = task->arguments[0], at.rsi = task->arguments[1], at.rdx = task->arguments[2];
    at.r10 = task->arguments[3], at.r8 = task->arguments[4], at.r9 = task->arguments[5];
    at.orig_rax = task->call;
    if (is_cut && task->is_over) at.rax = timeout_result(task->call), at.orig_rax = -1;
    /* An interrupted call is restarted, so that it stops at its entry again; if the kernel continued it, its end would not be seen. */
    if (is_cut && !task->is_over) tell_rest(task);
    if (is_cut && !task->is_over && result != -EINTR) at.rax = -514, task->is_interrupted = 1;
    trace(SET_REGISTERS, task->tid, 0, (word)&at);
  }
  if (!task->is_interrupted) forget_wait(task);
}

/* Ends a wait whose exit is not stopped, if the thread is still in it. */
static void end_where_it_is(struct task *task) {
  struct registers at;
  if (trace(GET_REGISTERS, task->tid, 0, (word)&at) == 0 && ((long)at.orig_rax == task->call || at.orig_rax == __NR_restart_syscall) && (long)at.rax == -516) {
    at.rax = timeout_result(task->call), at.orig_rax = -1;
    trace(SET_REGISTERS, task->tid, 0, (word)&at);
  }
  forget_wait(task);
}

/* Reports whether a thread has a handler for a signal: calls that such a signal interrupts are not restarted. */
static int has_handler(long tid, int number) {
  static char text[4096];
  long file = open_of(tid, "/status", O_RDONLY), size = CALL(read, file, text, sizeof text - 1, 0, 0);
  word mask = 0;
  CALL(close, file, 0, 0, 0, 0);
  text[size > 0 ? size : 0] = 0;
  for (const char *at = text; *at; at++) {
    if (at[0] != 'S' || at[1] != 'i' || at[2] != 'g' || at[3] != 'C' || at[4] != 'g' || at[5] != 't') continue;
    for (at += 8; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++) mask = mask * 16 + (*at <= '9' ? *at - '0' : *at - 'a' + 10);
    break;
  }
  return mask >> (number - 1) & 1;
}

/* ---- system calls that bypass the vDSO ---- */

/* Answers a call that reads a clock. Returns whether it did. */
static int read_clock(struct task *task, struct registers *at) {
  long pair[2], now = now_of(process_with(task)), unit = 1;
  word to = at->rdi;
  int is_wall = 1;
  if (at->orig_rax == __NR_clock_gettime) {
    int of = (int)at->rdi;
    to = at->rsi;
    if (of < 0 || of == CLOCK_PROCESS_CPUTIME_ID || of == CLOCK_THREAD_CPUTIME_ID || of > CLOCK_TAI) return 0;
    is_wall = of == CLOCK_REALTIME || of == CLOCK_REALTIME_COARSE || of == CLOCK_REALTIME_ALARM || of == CLOCK_TAI;
  } else if (at->orig_rax == __NR_gettimeofday) unit = 1000;
  now += is_wall ? clock.real : clock.monotonic;
  pair[0] = now / NS_PER_S, pair[1] = now % NS_PER_S / unit;
  struct iovec here = {pair, at->orig_rax == __NR_time ? sizeof *pair : sizeof pair}, there = {(void *)to, here.iov_len};
  if (to && kernel6(__NR_process_vm_writev, task->tid, (word)&here, 1, (word)&there, 1, 0) < 0) return 0;
  at->rax = at->orig_rax == __NR_time ? (word)pair[0] : 0;
  return 1;
}

/* The most bytes per call; a caller that wants more calls again. */
#define RANDOM_MAX 16384

/* Answers a call for random numbers, which depend on the seed. Returns whether it did. */
static int give_random(long tid, struct registers *at) {
  word numbers[32], given = 0, wanted = at->rsi < RANDOM_MAX ? at->rsi : RANDOM_MAX;
  if (!is_seeded) return 0;
  while (given < wanted) {
    word size = wanted - given < sizeof numbers ? wanted - given : sizeof numbers;
    for (word i = 0; i < sizeof numbers / sizeof *numbers; i++) numbers[i] = next_random();
    struct iovec here = {numbers, size}, there = {(void *)(at->rdi + given), size};
    if (kernel6(__NR_process_vm_writev, tid, (word)&here, 1, (word)&there, 1, 0) != (long)size) return 0;
    given += size;
  }
  at->rax = given;
  return 1;
}

/* Returns the name of a call that arms a kernel timer, else NULL. Such timers are not steered, so the program has to run in real time. */
static const char *timer_armed(long tid, const struct registers *at) {
  long value[4] = {0};
  switch (at->orig_rax) {
    case __NR_alarm:
      return at->rdi ? "alarm" : NULL;
    case __NR_setitimer:
      if (at->rdi != 0) return NULL;
      return at->rsi && read_memory(tid, at->rsi, value, sizeof value) && (value[2] || value[3]) ? "setitimer" : NULL;
    case __NR_timer_settime:
    case __NR_timerfd_settime:
      if (!at->rdx || !read_memory(tid, at->rdx, value, sizeof value) || !(value[2] || value[3])) return NULL;
      return at->orig_rax == __NR_timer_settime ? "timer_settime" : "timerfd_settime";
  }
  return NULL;
}

