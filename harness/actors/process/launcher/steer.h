/*
 * Steers the clock of a program that nobody changed: what it waits for can be made to come at once.
 *
 * The program's clock is the host's plus a number of nanoseconds. The kernel's code for reading the clock (the vDSO) is replaced at each
 * exec by code that adds it; calls past it are stopped by a seccomp filter and answered here. Waits with a timeout are stopped at their
 * entry, where their deadline is noted. A jump adds to the number and ends all waits whose deadline has come with their timeout result.
 * Without a jump everything takes the time that it takes.
 *
 * Commands and answers are lines: "look" is answered with "awake" or "asleep NS" (until the next deadline; "asleep -": there is none);
 * "jump NS" with "jumped N" (so many waits ended). "lost WHAT" comes by itself: this program waits in a way that is not steered.
 */
#ifdef __x86_64__
#include <asm/ptrace.h>
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/futex.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/signalfd.h>
#include <linux/time.h>
#include <linux/uio.h>
#include <linux/wait.h>

enum { EAGAIN = 11, ETIMEDOUT = 110 };
/* The sixth argument of our own calls, which lets them pass the filter. */
#define PASS 0x5374616c
#define NS_PER_S 1000000000L
/* Shorter sleeps are the runtime's own business (Go's sysmon): they end by themselves. */
#define SHORT_NS 20000000L

/* ---- the code that replaces the kernel's ---- */

#define STRING(x) #x
#define VALUE(x) STRING(x)
__asm__(
    ".section .rodata\n .balign 16\n"
    "clock_code:\n"
    "  mov $228, %eax\n  mov $" VALUE(PASS) ", %r9d\n  syscall\n"
    "  test %eax, %eax\n  jnz 1f\n"
    /* Clocks of processor time stay the kernel's: 2, 3 and those below zero. */
    "  test %edi, %edi\n  js 1f\n"
    "  lea -2(%rdi), %ecx\n  cmp $1, %ecx\n  jbe 1f\n"
    "  imul $1000000000, (%rsi), %rax\n  add 8(%rsi), %rax\n  add clock_ahead(%rip), %rax\n"
    "  xor %edx, %edx\n  mov $1000000000, %ecx\n  div %rcx\n  mov %rax, (%rsi)\n  mov %rdx, 8(%rsi)\n  xor %eax, %eax\n"
    "1: ret\n"
    ".balign 16\n"
    "day_code:\n"
    "  test %rdi, %rdi\n  jz 2f\n  push %rdi\n  mov %rdi, %rsi\n  xor %edi, %edi\n  call clock_code\n  pop %rdi\n"
    "  mov 8(%rdi), %rax\n  xor %edx, %edx\n  mov $1000, %ecx\n  div %rcx\n  mov %rax, 8(%rdi)\n"
    "2: xor %eax, %eax\n  ret\n"
    ".balign 16\n"
    "second_code:\n"
    "  push %rdi\n  sub $16, %rsp\n  mov %rsp, %rsi\n  xor %edi, %edi\n  call clock_code\n  mov (%rsp), %rax\n  add $16, %rsp\n  pop %rdi\n"
    "  test %rdi, %rdi\n  jz 3f\n  mov %rax, (%rdi)\n"
    "3: ret\n"
    ".balign 8\n"
    "clock_ahead: .quad 0\n"
    "clock_end:\n"
    ".text\n");
extern const char clock_code[], day_code[], second_code[], clock_ahead[], clock_end[];

/* ---- what is traced ---- */

enum { MAX_TASKS = 2048, MAX_PROCESSES = 256 };

struct task {
  long tid;
  /* A runtime's own thread that ticks all the time: nobody waits for it. */
  int is_ticker;
  /* Of the wait that it was in when it was last stopped: its call, and when it ends; 0: none. */
  long call, deadline;
  word arguments[6];
};
struct process {
  long pid, memory;
  /* Where its clock's number is; 0: its clock is not steered. */
  word ahead_at;
};
static struct task tasks[MAX_TASKS];
static struct process processes[MAX_PROCESSES];
static int task_count, process_count;
static long control, clock_ahead_ns;
static int is_lost;

static void answer(const char *what, long number, int has_number) {
  static struct text line;
  line.used = 0;
  add(&line, what);
  if (has_number) add(&line, " "), add_number(&line, number);
  add(&line, "\n");
  CALL(write, control, line.bytes, line.used, 0, 0);
}

/* The program goes on, in real time from here on. */
static void lost(const char *what) {
  if (is_lost) return;
  is_lost = 1;
  static struct text line;
  line.used = 0;
  add(&line, "lost "), add(&line, what);
  answer(line.bytes, 0, 0);
}

static long host_ns(int clock) {
  struct timespec now;
  CALL(clock_gettime, clock, &now, 0, 0, 0);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static long program_ns(void) {
  return host_ns(CLOCK_MONOTONIC) + clock_ahead_ns;
}

static struct task *task_of(long tid) {
  for (int i = 0; i < task_count; i++)
    if (tasks[i].tid == tid) return &tasks[i];
  if (task_count == MAX_TASKS) {
    lost("too-many-threads");
    return NULL;
  }
  tasks[task_count] = (struct task){.tid = tid};
  return &tasks[task_count++];
}

static void forget(long tid) {
  for (int i = 0; i < task_count; i++)
    if (tasks[i].tid == tid) tasks[i] = tasks[--task_count];
  for (int i = 0; i < process_count; i++)
    if (processes[i].pid == tid) {
      CALL(close, processes[i].memory, 0, 0, 0, 0);
      processes[i] = processes[--process_count];
    }
}

static long open_of(long pid, const char *file, int flags) {
  static struct text path;
  path.used = 0;
  add(&path, "/proc/"), add_number(&path, pid), add(&path, file);
  return CALL(openat, AT_FDCWD, path.bytes, flags | O_CLOEXEC, 0, 0);
}

static int read_memory(long tid, word from, void *to, word size) {
  struct iovec here = {to, size}, there = {(void *)from, size};
  return kernel6(__NR_process_vm_readv, tid, (word)&here, 1, (word)&there, 1, 0) == (long)size;
}

/* ---- the clock of a process ---- */

/* Another process of the program may have changed the image: nothing outside of it is read. A zero follows it. */
static word function_in(const char *image, word size, const char *name, word *room) {
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Phdr *segment = (const void *)(image + header->e_phoff);
  const Elf64_Sym *symbols = NULL;
  const char *names = NULL;
  const char *end = image + size;
  if (header->e_phoff >= size || header->e_phnum > (size - header->e_phoff) / sizeof *segment) return 0;
  for (int i = 0; i < header->e_phnum; i++)
    if (segment[i].p_type == PT_DYNAMIC && segment[i].p_offset < size)
      for (const Elf64_Dyn *entry = (const void *)(image + segment[i].p_offset); (const char *)(entry + 1) <= end && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB && entry->d_un.d_ptr < size) symbols = (const void *)(image + entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRTAB && entry->d_un.d_ptr < size) names = image + entry->d_un.d_ptr;
      }
  if (!symbols || !names) return 0;
  /* The names follow the symbols. */
  for (const Elf64_Sym *symbol = symbols; (const char *)(symbol + 1) <= names; symbol++)
    if (symbol->st_name < (word)(end - names) && same(names + symbol->st_name, name)) {
      *room = symbol->st_size;
      return symbol->st_value;
    }
  return 0;
}

static int write_memory(long memory, word at, const void *from, word size) {
  return CALL(pwrite64, memory, from, size, at, 0) == (long)size;
}

static int jump_to(long memory, word from, word to) {
  char code[5] = {(char)0xe9};
  int distance = (int)(to - (from + 5));
  for (int i = 0; i < 4; i++) code[i + 1] = (char)(distance >> (8 * i));
  return write_memory(memory, from, code, sizeof code);
}

/* At an exec, before its first instruction. Returns what is in the way, or NULL. */
static const char *take_clock(struct process *process) {
  static char image[4 * 4096 + 1];
  word auxiliary[2], base = 0, room, ignored;
  long file = open_of(process->pid, "/auxv", O_RDONLY);
  while (CALL(read, file, auxiliary, sizeof auxiliary, 0, 0) == sizeof auxiliary && auxiliary[0] != AT_NULL)
    if (auxiliary[0] == AT_SYSINFO_EHDR) base = auxiliary[1];
  CALL(close, file, 0, 0, 0, 0);
  if (!base) return "no-vdso";
  long size = CALL(pread64, process->memory, image, sizeof image - 1, base, 0);
  if (size < (long)sizeof(Elf64_Ehdr)) return "no-vdso";
  image[size] = 0;
  word clock = function_in(image, size, "__vdso_clock_gettime", &room);
  word day = function_in(image, size, "__vdso_gettimeofday", &ignored);
  word second = function_in(image, size, "__vdso_time", &ignored);
  if (!clock || clock % 16 || room < (word)(clock_end - clock_code)) return "another-vdso";
  clock += base;
  process->ahead_at = clock + (clock_ahead - clock_code);
  int done = write_memory(process->memory, clock, clock_code, clock_end - clock_code) &&
             write_memory(process->memory, process->ahead_at, &clock_ahead_ns, sizeof clock_ahead_ns) &&
             (!day || jump_to(process->memory, base + day, clock + (day_code - clock_code))) &&
             (!second || jump_to(process->memory, base + second, clock + (second_code - clock_code)));
  return done ? NULL : "memory-not-writable";
}

static struct process *process_of(long pid) {
  for (int i = 0; i < process_count; i++)
    if (processes[i].pid == pid) return &processes[i];
  if (process_count == MAX_PROCESSES) {
    lost("too-many-processes");
    return NULL;
  }
  struct process *process = &processes[process_count++];
  *process = (struct process){.pid = pid, .memory = open_of(pid, "/mem", O_RDWR)};
  return process;
}

static void on_exec(long pid) {
  struct process *process = process_of(pid);
  if (!process) return;
  /* The old memory is gone. */
  CALL(close, process->memory, 0, 0, 0, 0);
  process->memory = open_of(pid, "/mem", O_RDWR);
  process->ahead_at = 0;
  const char *trouble = process->memory < 0 ? "memory-not-open" : take_clock(process);
  if (trouble) process->ahead_at = 0, lost(trouble);
}

/* A forked process has its parent's code, at the same place. */
static void on_fork(long parent, long child) {
  struct process *from = process_of(parent), *to = process_of(child);
  if (from && to) to->ahead_at = from->ahead_at;
}

/* ---- waits ---- */

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
      WHEN(__NR_clock_gettime, 3),
      LOAD(args[5]),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 1, 0),
      TRACE,
      ALLOW,
  };
  filter_calls(SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter, sizeof filter);
}

/* ---- stops ---- */

struct registers {
  word r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip, cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};
enum { GET_REGISTERS = 12, SET_REGISTERS = 13 };

static long trace(long request, long tid, word address, word data) {
  return CALL(ptrace, request, tid, address, data, 0);
}

static long time_at(long tid, word at, long unit) {
  long pair[2];
  if (!at || !read_memory(tid, at, pair, sizeof pair)) return -1;
  /* So far ahead that nobody waits for it. */
  if (pair[0] > 1000000000L) pair[0] = 1000000000L + pair[0] % 1000000000L;
  return pair[0] * NS_PER_S + pair[1] * unit;
}

/* When a wait that begins now ends, on the program's clock; 0 for one without an end. */
static long deadline_of(long tid, long call, const word *argument) {
  long now = program_ns(), span = -1;
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
      if ((int)argument[0] == CLOCK_PROCESS_CPUTIME_ID || (int)argument[0] < 0) return 0;
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
  if (span < 0) return 0;
  if (!is_absolute) return now + span;
  return is_wall ? span - (host_ns(CLOCK_REALTIME) - host_ns(CLOCK_MONOTONIC)) : span;
}

/* A clock that was read past the vDSO. Returns whether it was answered here. */
static int read_clock(long tid, struct registers *at) {
  struct iovec here, there;
  long pair[2], now, unit = 1;
  word to = at->rdi;
  int clock = CLOCK_REALTIME;
  if (at->orig_rax == __NR_clock_gettime) {
    clock = (int)at->rdi, to = at->rsi;
    if (clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock > CLOCK_TAI) return 0;
  } else if (at->orig_rax == __NR_gettimeofday) unit = 1000;
  now = host_ns(clock) + clock_ahead_ns;
  pair[0] = now / NS_PER_S, pair[1] = now % NS_PER_S / unit;
  here = (struct iovec){pair, at->orig_rax == __NR_time ? sizeof *pair : sizeof pair};
  there = (struct iovec){(void *)to, here.iov_len};
  if (to && kernel6(__NR_process_vm_writev, tid, (word)&here, 1, (word)&there, 1, 0) < 0) return 0;
  at->rax = at->orig_rax == __NR_time ? (word)pair[0] : 0;
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

static void on_call(long tid) {
  struct registers at;
  if (trace(GET_REGISTERS, tid, 0, (word)&at) < 0) return;
  struct task *task = task_of(tid);
  switch (at.orig_rax) {
    case __NR_clock_gettime:
    case __NR_gettimeofday:
    case __NR_time:
      if (!read_clock(tid, &at)) return;
      at.orig_rax = -1;
      trace(SET_REGISTERS, tid, 0, (word)&at);
      return;
    case __NR_alarm:
    case __NR_setitimer:
    case __NR_timer_settime:
    case __NR_timerfd_settime: {
      const char *what = timer_armed(tid, &at);
      if (what) lost(what);
      return;
    }
  }
  if (!task) return;
  const word arguments[6] = {at.rdi, at.rsi, at.rdx, at.r10, at.r8, at.r9};
  task->call = at.orig_rax;
  for (int i = 0; i < 6; i++) task->arguments[i] = arguments[i];
  task->deadline = deadline_of(tid, task->call, arguments);
}

static long code, first;
static int has_ended;

static void on_stop(long tid, int status) {
  if ((status & 0x7f) != 0x7f) {
    if (tid == first) has_ended = 1, code = (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f);
    forget(tid);
    return;
  }
  int event = status >> 16, number = (status >> 8) & 0xff;
  long about = 0;
  switch (event) {
    case PTRACE_EVENT_EXEC:
      trace(PTRACE_GETEVENTMSG, tid, 0, (word)&about);
      if (about != tid) forget(about);
      on_exec(tid);
      break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      trace(PTRACE_GETEVENTMSG, tid, 0, (word)&about);
      task_of(about);
      on_fork(tid, about);
      break;
    case PTRACE_EVENT_CLONE:
      trace(PTRACE_GETEVENTMSG, tid, 0, (word)&about);
      task_of(about);
      break;
    case PTRACE_EVENT_SECCOMP:
      on_call(tid);
      break;
    case PTRACE_EVENT_STOP:
      task_of(tid);
      if (number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) {
        trace(PTRACE_LISTEN, tid, 0, 0);
        return;
      }
      break;
    default:
      trace(PTRACE_CONT, tid, 0, number);
      return;
  }
  trace(PTRACE_CONT, tid, 0, 0);
}

/* ---- rest and jumps ---- */

/* Threads of the Java virtual machine that wake up many times a second for its own sake. */
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

/* What a thread does: the number of the call that it sleeps in, -1 while it runs or is gone. */
static long sleeps_in(long tid, word *argument) {
  char text[256];
  long file = open_of(tid, "/syscall", O_RDONLY);
  if (file < 0) return -1;
  long size = CALL(read, file, text, sizeof text - 1, 0, 0);
  CALL(close, file, 0, 0, 0, 0);
  if (size <= 0 || text[0] < '0' || text[0] > '9') return -1;
  text[size] = 0;
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

/* Whether a thread is still in the wait that was noted. */
static int is_waiting(const struct task *task, long call, const word *argument) {
  if (!task->deadline) return 0;
  /* A wait that was interrupted goes on under another number. */
  if (call == __NR_restart_syscall) return 1;
  if (call != task->call) return 0;
  for (int i = 0; i < 4; i++)
    if (argument[i] != task->arguments[i]) return 0;
  return 1;
}

/* Handles all that has stopped. Returns how many did. */
static int collect(void) {
  for (int count_of = 0;; count_of++) {
    int status = 0;
    long tid = CALL(wait4, -1, &status, WNOHANG | __WALL, NULL, 0);
    if (tid <= 0) return count_of;
    on_stop(tid, status);
  }
}

/* Whether bytes are on their way between two sockets of this network, or wait to be read. */
static int is_moving(const char *path) {
  static char text[64 * 1024];
  long file = CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0, 0), used = 0, size;
  if (file < 0) return 0;
  while ((size = CALL(read, file, text + used, sizeof text - 1 - used, 0, 0)) > 0) used += size;
  CALL(close, file, 0, 0, 0, 0);
  text[used] = 0;
  /* "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 …": of each line the fifth word. */
  int column = 0, is_first = 1;
  for (const char *at = text; *at; at++) {
    if (*at == '\n') column = 0, is_first = 0;
    else if (*at != ' ' && (at == text || at[-1] == ' ' || at[-1] == '\n')) {
      if (++column == 5 && !is_first)
        for (; *at && *at != ' '; at++)
          if (*at != '0' && *at != ':') return 1;
      if (!*at) break;
    }
  }
  return 0;
}

static void look(void) {
  long soonest = 0;
  for (int i = 0; i < task_count; i++) {
    word argument[6];
    struct task *task = &tasks[i];
    long call = sleeps_in(task->tid, argument);
    if (call < 0) {
      answer("awake", 0, 0);
      return;
    }
    if (call == __NR_nanosleep && !is_waiting(task, call, argument)) {
      task->call = call;
      for (int k = 0; k < 6; k++) task->arguments[k] = argument[k];
      task->deadline = deadline_of(task->tid, call, argument);
    }
    if (!is_waiting(task, call, argument)) task->deadline = 0;
    if (task->deadline && call == __NR_nanosleep && task->deadline - program_ns() < SHORT_NS) {
      answer("awake", 0, 0);
      return;
    }
    if (!task->deadline || (soonest && task->deadline >= soonest)) continue;
    if (!task->is_ticker) task->is_ticker = is_ticker(task->tid) ? 1 : -1;
    if (task->is_ticker < 0) soonest = task->deadline;
  }
  /* What began meanwhile stops here first. */
  if (is_moving("/proc/self/net/tcp") || is_moving("/proc/self/net/tcp6") || collect()) {
    answer("awake", 0, 0);
    return;
  }
  long left = soonest - program_ns();
  if (soonest) answer("asleep", left > 0 ? left : 0, 1);
  else answer("asleep -", 0, 0);
}

static long result_of(long call) {
  if (call == __NR_futex) return -ETIMEDOUT;
  return call == __NR_rt_sigtimedwait ? -EAGAIN : 0;
}

/* Ends a wait with its timeout result, unless something else ends it at the same time. Returns whether it did. */
static int end_wait(struct task *task) {
  long tid = task->tid, call = task->call;
  int status = 0, did = 0;
  task->deadline = 0;
  if (trace(PTRACE_INTERRUPT, tid, 0, 0) < 0) return 0;
  /* It may be in a vfork by now, and stop only after its child has gone on. */
  for (long ended = 0; ended != tid;) {
    ended = CALL(wait4, -1, &status, __WALL, NULL, 0);
    if (ended < 0 && ended != -EINTR) return 0;
    if (ended > 0 && ended != tid) on_stop(ended, status);
  }
  if ((status & 0x7f) == 0x7f && status >> 16 == PTRACE_EVENT_STOP && ((status >> 8) & 0xff) == SIGTRAP) {
    struct registers at;
    if (trace(GET_REGISTERS, tid, 0, (word)&at) == 0) {
      long result = (long)at.rax, number = (long)at.orig_rax;
      if ((number == call || number == __NR_restart_syscall) && (result == -EINTR || (result >= -516 && result <= -512))) {
        at.rax = result_of(call), at.orig_rax = -1;
        did = trace(SET_REGISTERS, tid, 0, (word)&at) == 0;
      }
    }
  }
  on_stop(tid, status);
  return did;
}

/* Ends what is due and would not end by itself. `slack`: how late it may be for the host to be given the time to do so. */
static long end_due(long slack) {
  long ended = 0, now = program_ns();
  for (int i = 0; i < task_count; i++) {
    word argument[6];
    struct task *task = &tasks[i];
    if (!task->deadline || task->deadline + slack > now) continue;
    long call = sleeps_in(task->tid, argument);
    if (call < 0 || !is_waiting(task, call, argument)) task->deadline = 0;
    else ended += end_wait(task);
  }
  return ended;
}

static void jump(long by) {
  clock_ahead_ns += by;
  for (int i = 0; i < process_count; i++)
    if (processes[i].ahead_at && !write_memory(processes[i].memory, processes[i].ahead_at, &clock_ahead_ns, sizeof clock_ahead_ns))
      lost("memory-not-writable");
  answer("jumped", end_due(0), 1);
}

/* One line of the one who steers. */
static void command(char *line) {
  if (same(line, "look")) look();
  else if (line[0] == 'j' && line[1] == 'u' && line[2] == 'm' && line[3] == 'p' && line[4] == ' ') jump(number_of(line + 5));
  else fail("a command that is not known:", line, 0);
}

/* How long nothing needs to be done, at most. */
static void until_due(struct timespec *wait) {
  long soonest = NS_PER_S, now = program_ns();
  for (int i = 0; i < task_count; i++) {
    if (!tasks[i].deadline) continue;
    long left = tasks[i].deadline + 1000000L - now;
    if (left < soonest) soonest = left > 0 ? left : 0;
  }
  wait->tv_sec = soonest / NS_PER_S, wait->tv_nsec = soonest % NS_PER_S;
}

/* Runs the program until it ends; returns its exit code. */
static int steer(long child, long by, long ahead, long ready) {
  static char input[256];
  long used = 0, mask = 1L << (SIGCHLD - 1);
  word options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP;
  control = by, clock_ahead_ns = ahead, first = child;
  must(trace(PTRACE_SEIZE, child, 0, options), "cannot trace the program", "");
  task_of(child);
  process_of(child);
  must(CALL(rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof mask, 0), "cannot block signals", "");
  long signals = must(CALL(signalfd4, -1, &mask, sizeof mask, SFD_CLOEXEC | SFD_NONBLOCK, 0), "cannot wait for signals", "");
  CALL(write, ready, "x", 1, 0, 0);
  for (;;) {
    struct signalfd_siginfo told;
    struct timespec wait;
    struct pollfd files[2] = {{signals, POLLIN, 0}, {control, POLLIN, 0}};
    until_due(&wait);
    CALL(ppoll, files, 2, &wait, NULL, 0);
    while (CALL(read, signals, &told, sizeof told, 0, 0) > 0) {}
    collect();
    if (has_ended) return code;
    end_due(1000000L);
    if (!(files[1].revents & (POLLIN | POLLHUP))) continue;
    long size = CALL(read, control, input + used, sizeof input - 1 - used, 0, 0);
    /* The one who steers is gone: nobody is left to tell how it ends. */
    if (size <= 0) quit(125);
    used += size;
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
}
#else
static void stop_at_waits(void) {}
static int steer(long child, long by, long ahead, long ready) {
  (void)child, (void)by, (void)ahead, (void)ready;
  fail("no clock is steered on this architecture", "", 0);
  return 0;
}
#endif
