/*
 * Steers the clock of an unmodified program: its waits can be made to end at once.
 *
 * steer-clock.h replaces its clock and steer-waits.h its waits; this file traces the program and reports when it sleeps. The harness writes
 * lines: "rest TO MS" advances the clock to TO, in ns since the run began, unless it is already there, and ends each wait whose deadline
 * has passed. The answer comes once the program sleeps, or after MS milliseconds: "asleep NOW DEADLINE ENDED" or "awake NOW - ENDED" (the
 * time on its clock; when its next wait ends, "-" for never; how many waits were ended). "lost WHAT" comes without a request: the program
 * waits in a way that is not steered.
 */
#ifdef __x86_64__
#include <linux/mman.h>
#include <asm/mman.h>
#include <asm/ptrace.h>
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/futex.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/resource.h>
#include <linux/signalfd.h>
#include <linux/time.h>
#include <linux/uio.h>
#include <linux/wait.h>

enum { EAGAIN = 11, EMFILE = 24, ETIMEDOUT = 110 };
#include "steer-clock.h"
#include "steer-waits.h"

/*
 * How far the program's monotonic clock is ahead of the kernel's, so that a wait for an absolute time on it does not end by itself: 30
 * days.
 */
#define AHEAD_NS (30 * 24 * 3600 * NS_PER_S)

static long control;
static const struct steered *how;
static int is_lost;

/* Reports that the program cannot be steered. Its clock and waits stay as they are; the harness starts it again in real time. */
static void lost(const char *what) {
  if (is_lost) return;
  is_lost = 1;
  static struct text line;
  line.used = 0;
  add(&line, "lost "), add(&line, what), add(&line, "\n");
  CALL(write, control, line.bytes, line.used, 0, 0);
}

/* ---- stops ---- */

/* Reports whether the noted wait may have ended without being seen. */
static int ends_unseen(const struct task *task) {
  return task->is_as_given || task->call == __NR_nanosleep;
}

/* Called at a call that the filter stops. Returns whether to stop at its exit too. */
static int on_call(long tid) {
  struct registers at;
  struct task *task = task_of(tid);
  if (!task || trace(GET_REGISTERS, tid, 0, (word)&at) < 0) return 0;
  switch (at.orig_rax) {
    case __NR_clock_gettime:
    case __NR_gettimeofday:
    case __NR_time:
    case __NR_getrandom:
      if (!(at.orig_rax == __NR_getrandom ? give_random(tid, &at) : read_clock(task, &at))) return 0;
      at.orig_rax = -1;
      trace(SET_REGISTERS, tid, 0, (word)&at);
      return 0;
    case __NR_alarm:
    case __NR_setitimer:
    case __NR_timer_settime:
    case __NR_timerfd_settime: {
      const char *what = timer_armed(tid, &at);
      if (what) lost(what);
      return 0;
    }
  }
  return begin_wait(task, &at);
}

/* Continues a new thread that stopped before its parent's event announced it. */
static void release(struct task *task) {
  if (!task->is_held) return;
  task->is_held = 0, task->is_told = 1;
  trace(PTRACE_CONT, task->tid, 0, 0);
}

static long code, first;
static int has_ended;

static void on_stop(long tid, int status) {
  if ((status & 0x7f) != 0x7f) {
    if (tid == first) has_ended = 1, code = (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f);
    forget(tid);
    /* The ended thread may have been about to announce a new one. */
    for (int i = 0; i < task_count; i++) release(&tasks[i]);
    return;
  }
  int event = status >> 16, number = (status >> 8) & 0xff;
  long about = 0, pid;
  struct task *task;
  if ((status & 0xffff) == STOPPED_AT_CALL && !event) {
    task = task_of(tid);
    if (task && task->call >= 0) end_wait(task);
    trace(PTRACE_CONT, tid, 0, 0);
    return;
  }
  switch (event) {
    case PTRACE_EVENT_EXEC:
      trace(PTRACE_GETEVENTMSG, tid, 0, (word)&about);
      if (about != tid) forget(about);
      task = task_of(tid);
      if (task) forget_wait(task), task->pid = tid;
      on_exec(tid);
      break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
      trace(PTRACE_GETEVENTMSG, tid, 0, (word)&about);
      task = task_of(tid);
      if (!task || !process_with(task)) break;
      pid = task->pid;
      task = task_of(about);
      if (!task) break;
      /* A clone may also be a new process. */
      if (event != PTRACE_EVENT_CLONE || (process_with(task) && task->pid == about)) on_fork(pid, about);
      task->is_told = 1, release(task);
      break;
    case PTRACE_EVENT_SECCOMP:
      trace(on_call(tid) ? PTRACE_SYSCALL : PTRACE_CONT, tid, 0, 0);
      return;
    case PTRACE_EVENT_STOP:
      task = task_of(tid);
      if (number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) {
        trace(PTRACE_LISTEN, tid, 0, 0);
        return;
      }
      if (task && !task->is_told) {
        task->is_held = 1;
        return;
      }
      if (task && task->is_over && ends_unseen(task)) end_where_it_is(task);
      break;
    default:
      task = task_of(tid);
      if (task && task->is_interrupted && has_handler(tid, number)) forget_wait(task);
      trace(PTRACE_CONT, tid, 0, number);
      return;
  }
  trace(PTRACE_CONT, tid, 0, 0);
}

/* Handles everything that has stopped or ended. Returns the number of stops. */
static int collect(void) {
  for (int count_of = 0;; count_of++) {
    int status = 0;
    long tid = CALL(wait4, -1, &status, WNOHANG | __WALL, NULL, 0);
    if (tid <= 0) return count_of;
    on_stop(tid, status);
  }
}

/* ---- rest ---- */

/* Reports whether it is one of the threads that the Java virtual machine wakes up many times a second for its own purposes. */
static int is_ticker(long tid) {
  static const char *const NAMES_OF[] = {"VM Periodic Tas", "Monitor Deflati"};
  char name[32];
  long file = open_of(tid, "/comm", O_RDONLY);
  long size = CALL(read, file, name, sizeof name - 1, 0, 0);
  CALL(close, file, 0, 0, 0, 0);
  if (size <= 1) return 0;
  name[size - 1] = 0;
  for (int i = 0; i < (int)(sizeof NAMES_OF / sizeof *NAMES_OF); i++)
    if (same(name, NAMES_OF[i])) return 1;
  return 0;
}

static long read_file(long *file, long tid, const char *name, char *text, word room) {
  if (*file <= 0) *file = open_of(tid, name, O_RDONLY);
  long size = *file < 0 ? -1 : CALL(pread64, *file, text, room - 1, 0, 0);
  text[size > 0 ? size : 0] = 0;
  return size;
}

static char state_of(struct task *task) {
  char text[256];
  long file = 0, size = read_file(&file, task->tid, "/stat", text, sizeof text), at;
  CALL(close, file, 0, 0, 0, 0);
  /* The state follows the name: "7 (a name) D 1 …" */
  for (at = size - 1; at > 0 && text[at] != ')';) at--;
  return at > 0 ? text[at + 2] : 0;
}

/* The state of a first thread that has ended before the others: it never runs again. */
#define ENDED (-2)

/* Returns the number of the system call that a thread sleeps in; -1 if it is running or gone. */
static long sleeps_in(struct task *task, word *argument) {
  char text[256];
  long size = read_file(&task->call_file, task->tid, "/syscall", text, sizeof text);
  if (task->call_file == -EMFILE) lost("too-many-threads");
  if (size > 0 && text[0] == '-' && state_of(task) == 'Z') return ENDED;
  if (size <= 0 || text[0] < '0' || text[0] > '9') return -1;
  const char *at = text;
  long call = 0;
  while (*at >= '0' && *at <= '9') call = call * 10 + (*at++ - '0');
  for (int i = 0; i < 6; i++) {
    argument[i] = 0;
    while (*at == ' ') at++;
    if (at[0] == '0' && at[1] == 'x') at += 2;
    for (; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++)
      argument[i] = argument[i] * 16 + (*at <= '9' ? *at - '0' : *at - 'a' + 10);
  }
  return call;
}

/* Reports whether the sleep ends by itself: the thread exits, or waits for a disk, in a call other than those that wait for events. */
static int is_served(struct task *task, long call) {
  if (call == __NR_futex || call == __NR_epoll_wait || call == __NR_epoll_pwait || call == __NR_ppoll || call == __NR_poll || call == __NR_nanosleep) return 0;
  if (call == __NR_exit || call == __NR_exit_group) return 1;
  /* The thread may be running again by now. */
  char state = state_of(task);
  return !state || state == 'D' || state == 'R';
}

/* Returns the processor time that a thread has used. */
static long ran_of(struct task *task) {
  char text[128];
  long sum = 0;
  read_file(&task->runs_file, task->tid, "/schedstat", text, sizeof text);
  for (const char *at = text; *at >= '0' && *at <= '9'; at++) sum = sum * 10 + (*at - '0');
  return sum;
}

/* Notes a sleep by nanosleep(2), which the filter does not stop. Returns whether it is short. */
static int is_short_sleep(struct task *task, const word *argument) {
  long span = time_at(task->tid, argument[0], 1);
  /* Consecutive sleeps may have their argument at the same address. */
  if (task->call != __NR_nanosleep || task->arguments[0] != argument[0] || task->span != span) {
    task->call = __NR_nanosleep, task->is_over = 0, task->span = span;
    for (int i = 0; i < 6; i++) task->arguments[i] = argument[i];
    task->deadline = span < SHORT_NS ? NEVER : now_of(process_with(task)) + span;
  }
  return task->deadline == NEVER;
}

/* If bytes stay unread for this long, in real time, no thread waits for them: it would have been woken up. */
#define UNREAD_NS 60000000L

enum { PAGE = 4096, LINE_MAX = 512 };

/* Returns a hash of the non-empty queues in a table of connections; 0 if all queues are empty. The file is kept open. */
static word queues_in(const char *path, long *file) {
  static char text[256 * 1024];
  long used = 0, size;
  word sum = 0;
  if (*file <= 0) *file = CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0, 0);
  if (*file < 0) return 0;
  while ((size = CALL(pread64, *file, text + used, sizeof text - 1 - used, used, 0)) > 0) {
    used += size;
    /* The kernel returns as many lines as fit into a page: after less than that, no lines are left. */
    if (size < PAGE - LINE_MAX) break;
  }
  text[used] = 0;
  /* The queues are the fifth word of each line: "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 …" */
  int column = 0, is_first = 1;
  for (const char *at = text; *at; at++) {
    if (*at == '\n') column = 0, is_first = 0;
    else if (*at != ' ' && (at == text || at[-1] == ' ' || at[-1] == '\n')) {
      int is_queue = ++column == 5 && !is_first, is_filled = 0;
      word about = at - text;
      for (; is_queue && *at && *at != ' '; at++) about = about * 1099511628211u + *at, is_filled |= *at != '0' && *at != ':';
      if (is_filled) sum = sum * 31 + about;
      if (!*at) break;
    }
  }
  return sum;
}

/* Reports whether bytes are in transit between two sockets of this network. */
static int is_moving(void) {
  static word before;
  static long since;
  static long file, file_6;
  word queues = queues_in("/proc/self/net/tcp", &file) * 31 + queues_in("/proc/self/net/tcp6", &file_6);
  long now = host_ns(CLOCK_MONOTONIC);
  if (queues != before) before = queues, since = now;
  return queues && now - since < UNREAD_NS;
}

/*
 * Napping threads are ignored once no other thread has run for this long, in real time: Go's runtime keeps napping while a timer is
 * pending. Single naps of at least this length show that the runtime has had nothing to do for a while.
 */
#define STILL_NS 1000000L

/* Reports whether only napping threads have run for a while. `ran`: the processor time that all other threads have used. */
static int is_still(long ran) {
  static long before, since;
  long now = host_ns(CLOCK_MONOTONIC);
  if (ran != before) before = ran, since = now;
  return now - since >= STILL_NS;
}

/* The thread that was found running by the last check. It usually still is, and then no other thread has to be checked. */
static long runner;

static int is_running(void) {
  word argument[6];
  for (int i = 0; i < task_count; i++)
    if (tasks[i].tid == runner) return sleeps_in(&tasks[i], argument) == -1;
  return 0;
}

/* Returns the processor time that all threads except napping ones have used: while it stays the same, none of them has run. */
static long ran_by_others(void) {
  long sum = 0;
  for (int i = 0; i < process_count; i++) sum += host_ns(CPU_CLOCK_OF(processes[i].pid));
  for (int i = 0; i < task_count; i++)
    if (tasks[i].is_napping) sum -= ran_of(&tasks[i]);
  return sum;
}

/* Reports whether all threads except napping ones still sleep: a napping thread may have woken them up. */
static int do_others_sleep(void) {
  word argument[6];
  for (int i = 0; i < task_count; i++)
    if (!tasks[i].is_napping && sleeps_in(&tasks[i], argument) == -1) return 0;
  return 1;
}

/*
 * Reports whether the program sleeps: each thread was seen asleep, and none has run in between, so that all slept at one moment; and no
 * bytes are in transit. Sets `soonest` to the earliest deadline.
 */
static int is_asleep(long *soonest) {
  int is_other = 0, is_restless = 0;
  *soonest = NEVER;
  if (is_running()) return 0;
  long ran = ran_by_others();
  for (int i = 0; i < task_count; i++) {
    word argument[6];
    struct task *task = &tasks[i];
    long call = sleeps_in(task, argument);
    if (call == -1 || (call != ENDED && is_served(task, call))) {
      runner = task->tid;
      return 0;
    }
    int is_napping = call == __NR_nanosleep && is_short_sleep(task, argument);
    if (is_napping != task->is_napping) task->is_napping = is_napping, is_other = 1;
    if (is_napping && task->span < STILL_NS) is_restless = 1;
    if (call == ENDED || is_napping) continue;
    if (ends_unseen(task) && !is_in_wait(task, call, argument)) forget_wait(task);
    if (task->deadline >= *soonest || task->is_over || task->is_interrupted) continue;
    if (!task->is_ticker) task->is_ticker = is_ticker(task->tid) ? 1 : -1;
    if (task->is_ticker < 0) *soonest = task->deadline;
  }
  /* Both calls of ran_by_others are comparable only if the set of napping threads is the same. */
  if (is_other || ran_by_others() != ran) return 0;
  if (is_restless && (!is_still(ran) || !do_others_sleep())) return 0;
  /* A thread to which bytes were sent in the meantime has not read them yet. */
  if (how->has_network && is_moving()) return 0;
  /* A wait that began in the meantime has stopped at its entry. */
  return !collect();
}

/* Ends all waits whose deadline has passed. Returns how many. */
static long end_due(void) {
  long ended = 0;
  for (int i = 0; i < task_count; i++) {
    struct task *task = &tasks[i];
    word argument[6];
    if (task->is_over || task->is_interrupted || task->call < 0 || task->deadline > clock.now) continue;
    if (ends_unseen(task)) {
      long call = sleeps_in(task, argument);
      /* The wait has ended by itself. If the thread is running, the wait may have ended, or may not have begun. */
      if (call != -1 && !is_in_wait(task, call, argument)) forget_wait(task);
      if (call == -1 || task->call < 0) continue;
    }
    task->is_over = 1;
    if (trace(PTRACE_INTERRUPT, task->tid, 0, 0) >= 0) ended++;
  }
  if (ended) collect();
  return ended;
}

/* ---- commands of the harness ---- */

/* The last request, and the real time at which it must be answered. */
static struct {
  int is_asked;
  long until, ended;
} rest;

static void answer(const char *what, long deadline) {
  static struct text line;
  line.used = 0;
  add(&line, what), add(&line, " "), add_number(&line, clock.now), add(&line, " ");
  if (deadline == NEVER) add(&line, "-");
  else add_number(&line, deadline);
  add(&line, " "), add_number(&line, rest.ended), add(&line, "\n");
  CALL(write, control, line.bytes, line.used, 0, 0);
  rest.is_asked = 0;
}

/* Executes the command "rest TO MS". */
static void command(char *line) {
  char *at = line + 5;
  if (line[0] != 'r' || line[1] != 'e' || line[2] != 's' || line[3] != 't' || line[4] != ' ') fail("a command that is not known:", line, 0);
  while (*at && *at != ' ') at++;
  if (!*at) fail("a command that is not known:", line, 0);
  *at = 0;
  long to = number_of(line + 5);
  rest.is_asked = 1, rest.ended = 0, rest.until = host_ns(CLOCK_MONOTONIC) + (long)number_of(at + 1) * 1000000L;
  if (to > clock.now) clock.now = to, show_clock();
}

/*
 * The bounds of the interval between two checks, in ns: while the harness waits for rest, and while it does not. The interval grows while
 * nothing changes, because each check takes about 50 us of processor time.
 */
struct pace {
  long shortest, longest;
};
static const struct pace ASKED = {20000, 2000000}, UNASKED = {5000000, 40000000};

static long slower(long pause, struct pace pace) {
  long next = pause * 3 / 2;
  return next < pace.shortest ? pace.shortest : next > pace.longest ? pace.longest : next;
}

/* The most checks in a row that are skipped because they would only show that the program does not sleep yet. */
#define SKIPPED_MAX 16

/* The interval to the next check, in ns. */
static long pause;

/*
 * Advances the clock, ends waits that are due, and answers the harness if it can. `has_stopped`: whether a thread has stopped since the
 * last call.
 */
static void go_on(int is_woken, int has_stopped) {
  static long looked;
  static int skipped;
  const struct pace pace = rest.is_asked ? ASKED : UNASKED;
  long soonest, now = host_ns(CLOCK_MONOTONIC), ran = advance(), passed = now - looked;
  looked = now;
  long ended = end_due();
  rest.ended += ended;
  pause = is_woken || (!rest.is_asked && ran) ? pace.shortest : slower(pause, pace);
  if (!rest.is_asked) return;
  /* A program that begins or ends waits, or used a processor most of the time, is running. */
  if ((has_stopped || ended || ran > passed / 2) && skipped < SKIPPED_MAX) skipped++;
  else {
    skipped = 0;
    if (is_asleep(&soonest)) {
      answer("asleep", soonest);
      pause = UNASKED.shortest;
      return;
    }
  }
  if (now > rest.until) answer("awake", NEVER);
}

/* The tracer reads data that an untrusted program has written, so it keeps only the capability that tracing needs. */
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct kept[2] = {{1u << CAP_SYS_PTRACE, 1u << CAP_SYS_PTRACE, 0}, {0}};
  /* A caller without this capability cannot keep it. */
  if (CALL(capset, &header, kept, 0, 0, 0) < 0) kept[0].effective = kept[0].permitted = 0, CALL(capset, &header, kept, 0, 0, 0);
  CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Runs the program until it ends; returns its exit code. */
static int steer(long child, const struct steered *wanted, long ready) {
  static char input[256];
  int was_asked = 0;
  long used = 0, mask = 1L << (SIGCHLD - 1);
  word options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD;
  struct rlimit files;
  how = wanted, control = how->by, first = child;
  seed = how->seed, is_seeded = how->is_seeded;
  clock.now = how->at, clock.real = how->origin;
  clock.monotonic = how->origin - (host_ns(CLOCK_REALTIME) - host_ns(CLOCK_MONOTONIC)) + AHEAD_NS;
  must(trace(PTRACE_SEIZE, child, 0, options), "cannot trace the program", "");
  drop_capabilities();
  task_of(child)->is_told = 1;
  struct process *process = process_of(child);
  process->ran = host_ns(CPU_CLOCK_OF(child));
  must(CALL(rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof mask, 0), "cannot block signals", "");
  long signals = must(CALL(signalfd4, -1, &mask, sizeof mask, SFD_CLOEXEC | SFD_NONBLOCK, 0), "cannot wait for signals", "");
  /* Each thread needs two open files. */
  CALL(prlimit64, 0, RLIMIT_NOFILE, NULL, &files, 0);
  files.rlim_cur = files.rlim_max;
  CALL(prlimit64, 0, RLIMIT_NOFILE, &files, NULL, 0);
  CALL(prctl, PR_SET_TIMERSLACK, 1, 0, 0, 0);
  CALL(write, ready, "x", 1, 0, 0);
  struct pollfd from[2] = {{signals, POLLIN, 0}, {control, POLLIN, 0}};
  for (;;) {
    struct signalfd_siginfo told;
    struct timespec wait = {0, pause};
    long woken = CALL(ppoll, from, 2, &wait, NULL, 0);
    if (from[0].revents) CALL(read, signals, &told, sizeof told, 0, 0);
    int has_stopped = collect() > 0;
    if (has_ended) return code;
    if (from[1].revents & (POLLIN | POLLHUP)) {
      long size = CALL(read, control, input + used, sizeof input - 1 - used, 0, 0);
      /* The harness is gone, so that nothing needs the exit code. A harness that never sent a request only tests whether steering works. */
      if (size <= 0 && was_asked) quit(125);
      if (size <= 0) from[1].fd = -1;
      else was_asked = 1, used += size;
      for (long start = 0, at = 0; at <= used; at++) {
        if (at == used) {
          for (long k = start; k < used; k++) input[k - start] = input[k];
          used -= start;
          break;
        }
        if (input[at] != '\n') continue;
        input[at] = 0;
        command(input + start);
        start = at + 1;
      }
    }
    go_on(woken > 0, has_stopped);
  }
}
#else
static void stop_at_waits(void) {}
static int steer(long child, const struct steered *how, long ready) {
  (void)child, (void)how, (void)ready;
  fail("no clock is steered on this architecture", "", 0);
  return 0;
}
#endif
