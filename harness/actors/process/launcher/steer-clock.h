/*
 * The clock of an unmodified program: it stands still while the program sleeps, advances with the processor time that the program uses, and
 * can be set ahead.
 *
 * Programs read the time through kernel code in their own memory (the vDSO). At each exec, our code replaces it. Our code reads a page of
 * memory, which is allocated at the same time and contains the time since the run began in nanoseconds, which the tracer writes, and a
 * counter of reads, so that no two reads are equal. Clocks of processor time are still read from the kernel.
 */

/* Marks system calls of our own code, as their sixth argument: the filter lets these pass. */
#define PASS 0x5374616c
#define NS_PER_S 1000000000L

#define STRING(x) #x
#define VALUE(x) STRING(x)
__asm__(
    ".section .rodata\n .balign 16\n"
    "clock_code:\n"
    /* Clocks of processor time (2, 3 and negative numbers) are read from the kernel. */
    "  test %edi, %edi\n  js 1f\n"
    "  lea -2(%rdi), %ecx\n  cmp $1, %ecx\n  jbe 1f\n"
    "  mov clock_page(%rip), %rcx\n  mov $1, %eax\n  lock xadd %rax, 8(%rcx)\n  add (%rcx), %rax\n"
    /* Clocks of the time of day: 0, 5, 8 and 11. */
    "  mov $0x921, %edx\n  bt %edi, %edx\n  jc 2f\n  add 16(%rcx), %rax\n  jmp 3f\n2: add 24(%rcx), %rax\n3:"
    "  xor %edx, %edx\n  mov $1000000000, %ecx\n  div %rcx\n  mov %rax, (%rsi)\n  mov %rdx, 8(%rsi)\n  xor %eax, %eax\n  ret\n"
    "1: mov $228, %eax\n  mov $" VALUE(PASS) ", %r9d\n"
    "clock_call: syscall\n  ret\n"
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
    ".balign 16\n"
    /* Random numbers without a system call: not available (ENOSYS), so that libraries fall back to the system call. */
    "random_code: mov $-38, %rax\n  ret\n"
    ".balign 8\n"
    "clock_page: .quad 0\n"
    "clock_end:\n"
    ".text\n");
extern const char clock_code[], clock_call[], day_code[], second_code[], random_code[], clock_page[], clock_end[];

/* The content of the page. */
struct page {
  /* The time since the run began, in ns. */
  long now;
  /* Incremented by each read. */
  long count;
  /* The monotonic clock and the time of day when the run began. */
  long monotonic, real;
};

enum { MAX_TASKS = 2048, MAX_PROCESSES = 256 };

struct process {
  long pid, memory;
  /* The address of its page; 0 if its clock is not steered. */
  word page;
  /* The processor time that it had used at the last look. */
  long ran;
};
static struct process processes[MAX_PROCESSES];
static int process_count;
static struct page clock;
static word seed;
static int is_seeded;

static void lost(const char *what);

static long host_ns(int of) {
  struct timespec now;
  return CALL(clock_gettime, of, &now, 0, 0, 0) < 0 ? -1 : now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The clock that measures the processor time of a process, over all of its threads. */
#define CPU_CLOCK_OF(pid) ((int)(~(word)(pid) << 3 | CLOCK_PROCESS_CPUTIME_ID))

/* Returns the next pseudo-random number, which depends on the seed only (splitmix64). */
static word next_random(void) {
  word z = seed += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
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

static int write_memory(long memory, word at, const void *from, word size) {
  return CALL(pwrite64, memory, from, size, at, 0) == (long)size;
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

static void forget_process(long pid) {
  for (int i = 0; i < process_count; i++)
    if (processes[i].pid == pid) {
      CALL(close, processes[i].memory, 0, 0, 0, 0);
      processes[i] = processes[--process_count];
    }
}

/* Writes the current time to the pages of all processes. */
static void show_clock(void) {
  for (int i = 0; i < process_count; i++)
    if (processes[i].page && !write_memory(processes[i].memory, processes[i].page, &clock.now, sizeof clock.now)) processes[i].page = 0;
}

/* Returns the time that a process reads now, in ns since the run began. */
static long now_of(const struct process *process) {
  long count = 0;
  if (process && process->page) read_memory(process->pid, process->page + __builtin_offsetof(struct page, count), &count, sizeof count);
  return clock.now + count;
}

/* Advances the clock by the processor time that was used since the last call. Returns by how much. */
static long advance(void) {
  long before = clock.now;
  for (int i = 0; i < process_count; i++) {
    struct process *process = &processes[i];
    long ran = host_ns(CPU_CLOCK_OF(process->pid));
    if (ran <= process->ran) continue;
    clock.now += ran - process->ran, process->ran = ran;
  }
  if (clock.now != before) show_clock();
  return clock.now - before;
}

/* ---- replacing the code of the vDSO ---- */

/*
 * Finds a function in a vDSO image. Another process of the program may have changed the image, so nothing outside of it is read; a zero
 * byte follows it.
 */
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
  /* The string table follows the symbols. */
  for (const Elf64_Sym *symbol = symbols; (const char *)(symbol + 1) <= names; symbol++)
    if (symbol->st_name < (word)(end - names) && same(names + symbol->st_name, name)) {
      *room = symbol->st_size;
      return symbol->st_value;
    }
  return 0;
}

static int jump_to(long memory, word from, word to) {
  char code[5] = {(char)0xe9};
  int distance = (int)(to - (from + 5));
  for (int i = 0; i < 4; i++) code[i + 1] = (char)(distance >> (8 * i));
  return write_memory(memory, from, code, sizeof code);
}

struct registers {
  word r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip, cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};
enum { GET_REGISTERS = 12, SET_REGISTERS = 13 };
/* The wait status of a thread that stopped at a system call. */
#define STOPPED_AT_CALL ((SIGTRAP | 0x80) << 8 | 0x7f)

static long trace(long request, long tid, word address, word data) {
  return CALL(ptrace, request, tid, address, data, 0);
}

static void on_stop(long tid, int status);

/* Continues to the next entry or exit of a system call. Returns 0 if the program ends before that. */
static int to_call(long tid) {
  int status = 0;
  do {
    if (trace(PTRACE_SYSCALL, tid, 0, 0) < 0) return 0;
    while (CALL(wait4, tid, &status, __WALL, NULL, 0) == -EINTR) {}
    if ((status & 0x7f) != 0x7f) {
      on_stop(tid, status);
      return 0;
    }
    /* A stop for a reason that cannot be blocked comes first, and is handled later. */
  } while ((status & 0xffff) != STOPPED_AT_CALL);
  return 1;
}

/*
 * Allocates a page in a program that is stopped at an exec: the program itself calls mmap, at the system call instruction at `call`.
 * Returns the address of the page, or 0.
 */
static word call_mmap(long tid, word call) {
  struct registers before, at;
  int is_done;
  if (!to_call(tid) || trace(GET_REGISTERS, tid, 0, (word)&before) < 0) return 0;
  before.orig_rax = -1;
  at = before;
  at.rip = call, at.rax = __NR_mmap, at.rdi = 0, at.rsi = 4096, at.rdx = PROT_READ | PROT_WRITE, at.r10 = MAP_PRIVATE | MAP_ANONYMOUS, at.r8 = -1, at.r9 = 0;
  is_done = trace(SET_REGISTERS, tid, 0, (word)&at) >= 0 && to_call(tid) && to_call(tid) && trace(GET_REGISTERS, tid, 0, (word)&at) >= 0;
  trace(SET_REGISTERS, tid, 0, (word)&before);
  return is_done && (long)at.rax > 0 ? at.rax : 0;
}

/* As call_mmap, with all signals blocked, because a signal handler would run with our registers. */
static word make_page(long tid, word call) {
  word mask = 0, all = ~0ul;
  if (trace(PTRACE_GETSIGMASK, tid, sizeof mask, (word)&mask) < 0 || trace(PTRACE_SETSIGMASK, tid, sizeof all, (word)&all) < 0) return 0;
  word page = call_mmap(tid, call);
  trace(PTRACE_SETSIGMASK, tid, sizeof mask, (word)&mask);
  return page;
}

/* Installs the clock at an exec, before the program's first instruction. Returns the obstacle, or NULL. */
static const char *take_clock(struct process *process) {
  static char image[4 * 4096 + 1];
  word auxiliary[2], base = 0, random = 0, room, ignored;
  long file = open_of(process->pid, "/auxv", O_RDONLY);
  while (CALL(read, file, auxiliary, sizeof auxiliary, 0, 0) == sizeof auxiliary && auxiliary[0] != AT_NULL) {
    if (auxiliary[0] == AT_SYSINFO_EHDR) base = auxiliary[1];
    if (auxiliary[0] == AT_RANDOM) random = auxiliary[1];
  }
  CALL(close, file, 0, 0, 0, 0);
  if (!base) return "no-vdso";
  long size = CALL(pread64, process->memory, image, sizeof image - 1, base, 0);
  if (size < (long)sizeof(Elf64_Ehdr)) return "no-vdso";
  image[size] = 0;
  word time = function_in(image, size, "__vdso_clock_gettime", &room);
  word day = function_in(image, size, "__vdso_gettimeofday", &ignored);
  word second = function_in(image, size, "__vdso_time", &ignored);
  word getrandom = is_seeded ? function_in(image, size, "__vdso_getrandom", &ignored) : 0;
  if (!time || time % 16 || room < (word)(clock_end - clock_code)) return "another-vdso";
  time += base;
  if (!write_memory(process->memory, time, clock_code, clock_end - clock_code)) return "memory-not-writable";
  word page = make_page(process->pid, time + (clock_call - clock_code));
  if (!page) return "no-memory";
  const word numbers[2] = {is_seeded ? next_random() : 0, is_seeded ? next_random() : 0};
  int done = write_memory(process->memory, page, &clock, sizeof clock) &&
             write_memory(process->memory, time + (clock_page - clock_code), &page, sizeof page) &&
             (!day || jump_to(process->memory, base + day, time + (day_code - clock_code))) &&
             (!second || jump_to(process->memory, base + second, time + (second_code - clock_code))) &&
             (!getrandom || jump_to(process->memory, base + getrandom, time + (random_code - clock_code))) &&
             (!is_seeded || !random || write_memory(process->memory, random, numbers, sizeof numbers));
  process->page = page;
  return done ? NULL : "memory-not-writable";
}

static void on_exec(long pid) {
  struct process *process = process_of(pid);
  if (!process) return;
  /* The old address space is gone. */
  CALL(close, process->memory, 0, 0, 0, 0);
  process->memory = open_of(pid, "/mem", O_RDWR);
  process->page = 0;
  const char *trouble = process->memory < 0 ? "memory-not-open" : take_clock(process);
  if (trouble) process->page = 0, lost(trouble);
}

/* A forked process has its parent's code and page, at the same address. */
static void on_fork(long parent, long child) {
  struct process *from = process_of(parent), *to = process_of(child);
  if (from && to && !to->page) to->page = from->page;
}
