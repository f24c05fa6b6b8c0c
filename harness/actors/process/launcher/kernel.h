/* What the launcher uses in place of a C library: system calls, bounded text buffers, and error messages. */
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/stat.h>

typedef unsigned long word;
#define NULL ((void *)0)

/* ---- the kernel ---- */

#if defined(__x86_64__)
static long kernel6(long number, word a, word b, word c, word d, word e, word f) {
  long result;
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  register word r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
static long kernel(long number, word a, word b, word c, word d, word e) {
  return kernel6(number, a, b, c, d, e, 0);
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
#elif defined(__aarch64__)
static long kernel(long number, word a, word b, word c, word d, word e) {
  register long x8 __asm__("x8") = number;
  register word x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return (long)x0;
}
__asm__(".globl _start\n_start: mov x29, #0\n mov x0, sp\n bl start\n");
#else
#error "an architecture that stalemate has no launcher for"
#endif

#define CALL(name, a, b, c, d, e) kernel(__NR_##name, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e))
enum { ENOENT = 2, EINTR = 4, ENOEXEC = 8, EACCES = 13, EEXIST = 17, ENOTDIR = 20, EINVAL = 22, ENOSYS = 38, EAFNOSUPPORT = 97 };

/* Not in the headers that a kernel exports: a flag of umount2, and an entry of a folder (linux_dirent64). */
enum { MNT_DETACH = 2 };
struct entry {
  word inode;
  long offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

/* ---- text ---- */

static word length(const char *text) {
  word n = 0;
  while (text[n]) n++;
  return n;
}

static int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

/* A text buffer of bounded size; the launcher exits if a text does not fit. */
struct text {
  word used;
  char bytes[4096 + 256];
};

static void fail(const char *what, const char *about, long error);

static void add(struct text *to, const char *more) {
  for (; *more; more++) {
    if (to->used + 1 >= sizeof to->bytes) fail("a path is too long", "", 0);
    to->bytes[to->used++] = *more;
  }
  to->bytes[to->used] = 0;
}

static void add_number(struct text *to, word number) {
  char digits[24];
  int at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = '0' + number % 10;
  while (number /= 10);
  add(to, digits + at);
}

static word number_of(const char *text) {
  word value = 0;
  if (!*text) fail("expected a number", text, 0);
  for (; *text; text++) {
    if (*text < '0' || *text > '9') fail("expected a number", text, 0);
    value = value * 10 + (*text - '0');
  }
  return value;
}

static void quit(int code) {
  for (;;) CALL(exit_group, code, 0, 0, 0, 0);
}

static void say(const char *what, const char *about, long error) {
  static struct text line;
  line.used = 0;
  add(&line, "launch: ");
  add(&line, what);
  if (*about) add(&line, " "), add(&line, about);
  if (error) add(&line, ": error "), add_number(&line, -error);
  add(&line, "\n");
  CALL(write, 2, line.bytes, line.used, 0, 0);
}

static void fail(const char *what, const char *about, long error) {
  say(what, about, error);
  quit(125);
}

static long must(long result, const char *what, const char *about) {
  if (result < 0) fail(what, about, result);
  return result;
}

/* The compiler may generate calls of memset. */
void *memset(void *to, int byte, word count) {
  volatile char *at = to;
  while (count--) *at++ = byte;
  return to;
}
