/*
 * What a program waits for with a timeout: each such call is stopped at its entry by a seccomp filter, its deadline is noted, and the
 * timeout taken out of it, so that only what it waits for ends it, or we do, with its timeout result. At its end it is stopped once more
 * and gets its arguments back. Waits for a moment on the monotonic clock are left as they are, and not stopped at their end.
 *
 * Not steered, but noticed: timers of the kernel. Neither: SO_RCVTIMEO and SO_SNDTIMEO, semtimedop, messages queues, and sleeps
 * by nanosleep(2) below 20 ms, by which Go's runtime lives.
 */
/* Shorter ones end by themselves. */
#define SHORT_NS 20000000L
/* No deadline. */
#define NEVER __LONG_MAX__

struct task {
  long tid, pid;
  /* Its files in /proc, kept open: opening costs more than reading. 0: not yet open. */
  long call_file, runs_file;
  /* It was seen in a sleep too short to be waited for; how long a sleep by nanosleep(2) was meant to be. */
  int is_napping;
  long span;
  /* A runtime's own thread that ticks all the time: nobody waits for it (-1: no). */
  int is_ticker;
  /* The wait that it is in: its call (-1: none), what that was given, and when it ends. */
  long call, deadline;
  word arguments[6];
  /* It was left as it is, for the kernel's clock does not reach its deadline: no end of it is seen. */
  int is_as_given;
  /* Its time has come. */
  int is_over;
  /* A signal has interrupted it, and it may go on: its deadline stays. */
  int is_interrupted;
  /* Of a new one: its parent has told of it, and it has stopped for the first time. It goes on once both have happened. */
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

/* ---- which calls ---- */

#define WHEN(value, then) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, then)
#define TRACE DONE(SECCOMP_RET_TRACE)
/* Stops a call whose argument, a pointer to a time, is not null. */
#define WITH_TIME(n) LOAD(args[n]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, __builtin_offsetof(struct seccomp_data, args[n]) + 4), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), TRACE, ALLOW
/* Stops a call whose argument, milliseconds, is above zero. */
#define WITH_MS(n) \
  LOAD(args[n]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x80000000, 1, 0), TRACE, ALLOW
#define ALWAYS(call) WHEN(call, 1), TRACE

/* In the program's place, before it starts: from here on its waits stop. */
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
      /* Of a futex, the operations that wait. */
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
  /* So far ahead that nobody waits for it, and still a number. */
  if (pair[0] > 8000000000L) pair[0] = 8000000000L;
  return pair[0] * NS_PER_S + pair[1] * unit;
}

/* When a wait that begins now ends, since the run began. */
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

/* The same call without a timeout. */
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
      /* There is none: for nothing, for ever. */
      at->orig_rax = __NR_ppoll, at->rdi = 0, at->rsi = 0, at->rdx = 0, at->r10 = 0;
      break;
  }
}

static long timeout_result(long call) {
  if (call == __NR_futex) return -ETIMEDOUT;
  return call == __NR_rt_sigtimedwait ? -EAGAIN : 0;
}

/* Whether it waits for a moment on a clock of ours that is ahead of the kernel's: locks and conditions do. A stop at its end is spared. */
static int is_beyond(long call, const word *argument) {
  return call == __NR_futex && (argument[1] & 0x7f) == FUTEX_WAIT_BITSET && !(argument[1] & FUTEX_CLOCK_REALTIME);
}

/* Whether a thread that sleeps in a call is still in the wait that was noted. Who was stopped meanwhile is in another call for the same. */
static int is_in_wait(const struct task *task, long call, const word *argument) {
  if (call != task->call && call != __NR_restart_syscall) return 0;
  for (int i = 0; i < 4; i++)
    if (argument[i] != task->arguments[i]) return 0;
  return 1;
}

/* At its entry. Returns whether it is to be stopped at its end. */
static int begin_wait(struct task *task, struct registers *at) {
  const word arguments[6] = {at->rdi, at->rsi, at->rdx, at->r10, at->r8, at->r9};
  int is_same = task->is_interrupted && task->call == (long)at->orig_rax;
  for (int i = 0; i < 4; i++) is_same = is_same && task->arguments[i] == arguments[i];
  long deadline = is_same ? task->deadline : deadline_of(task, at->orig_rax, arguments);
  task->is_interrupted = task->is_over = task->is_as_given = 0;
  task->call = -1, task->deadline = NEVER;
  if (deadline == NEVER) return 0;
  /* Other waits whose time has come look for what they wait for first, and are ended then. */
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

/* What is left of a sleep that a signal has cut short, for a caller who wants to know. */
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

/* At its end: its arguments are what they were, and its result is that of a timeout where its time has come. */
static void end_wait(struct task *task) {
  struct registers at;
  if (trace(GET_REGISTERS, task->tid, 0, (word)&at) == 0) {
    long result = at.rax;
    int is_cut = result == -EINTR || (result >= -516 && result <= -512);
    at.rdi = task->arguments[0], at.rsi = task->arguments[1], at.rdx = task->arguments[2];
    at.r10 = task->arguments[3], at.r8 = task->arguments[4], at.r9 = task->arguments[5];
    at.orig_rax = task->call;
    if (is_cut && task->is_over) at.rax = timeout_result(task->call), at.orig_rax = -1;
    /* It is begun anew, and stopped there, rather than continued where nobody sees it. */
    if (is_cut && !task->is_over) tell_rest(task);
    if (is_cut && !task->is_over && result != -EINTR) at.rax = -514, task->is_interrupted = 1;
    trace(SET_REGISTERS, task->tid, 0, (word)&at);
  }
  if (!task->is_interrupted) forget_wait(task);
}

/* Where the thread still is in it: a wait whose end is not stopped. */
static void end_where_it_is(struct task *task) {
  struct registers at;
  if (trace(GET_REGISTERS, task->tid, 0, (word)&at) == 0 && ((long)at.orig_rax == task->call || at.orig_rax == __NR_restart_syscall) && (long)at.rax == -516) {
    at.rax = timeout_result(task->call), at.orig_rax = -1;
    trace(SET_REGISTERS, task->tid, 0, (word)&at);
  }
  forget_wait(task);
}

/* Whether a thread has a handler for a signal: what it interrupts is then not begun anew. */
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

/* ---- calls past the vDSO ---- */

/* A clock. Returns whether it was answered here. */
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

/* Who wants more asks again. */
#define RANDOM_MAX 16384

/* Random numbers, which depend on the seed. Returns whether they were given here. */
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

/* Timers of the kernel are not steered: a program that arms one lives in real time. */
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

