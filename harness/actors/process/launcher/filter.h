/* System calls that are denied to the program, because no namespace isolates what they access. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, __builtin_offsetof(struct seccomp_data, field))
#define DONE(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW DONE(SECCOMP_RET_ALLOW)
#define DENY(call, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), DONE(SECCOMP_RET_ERRNO | error)
/* AF_VSOCK: sockets between a virtual machine and its host, or between virtual machines. */
#define VSOCK 40
#define DENY_VSOCK(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, VSOCK, 0, 1), \
      DONE(SECCOMP_RET_ERRNO | EAFNOSUPPORT)
/*
 * io_uring: no filter sees its operations, which go through shared memory, and the clock cannot control waits there. The number is the same
 * on all architectures.
 */
#define DENY_RINGS DENY(425, ENOSYS)
/* Keys that the kernel stores, such as Kerberos tickets, belong to the user. */
#define DENY_KEYS(add, request, control) DENY(add, ENOSYS), DENY(request, ENOSYS), DENY(control, ENOSYS)

/* System calls of 32-bit programs. The first (socketcall) passes the arguments of all socket calls in memory, where no filter sees them. */
#if defined(__x86_64__)
#define FOREIGN AUDIT_ARCH_I386
#define FOREIGN_CALLS DENY(102, ENOSYS), DENY_KEYS(286, 287, 288), DENY_VSOCK(359)
#else
#define FOREIGN AUDIT_ARCH_ARM
#define FOREIGN_CALLS DENY(102, ENOSYS), DENY_KEYS(309, 310, 311), DENY_VSOCK(281)
#endif

static void filter_calls(word flags, const struct sock_filter *filter, word size) {
  struct sock_fprog program = {size / sizeof *filter, (struct sock_filter *)filter};
  must(CALL(seccomp, SECCOMP_SET_MODE_FILTER, flags, &program, 0, 0), "cannot filter system calls", "");
}

static void deny_calls(void) {
  static const struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FOREIGN, 0, 16),
      LOAD(nr), DENY_RINGS, FOREIGN_CALLS, ALLOW,
      LOAD(nr),
#if defined(__x86_64__)
      /* The x32 ABI has the same calls, with this bit set. */
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~0x40000000u),
#endif
      DENY_RINGS, DENY_KEYS(__NR_add_key, __NR_request_key, __NR_keyctl), DENY_VSOCK(__NR_socket), ALLOW,
  };
  /* Without this flag, older kernels slow filtered programs down, with a mitigation against speculative execution. */
  filter_calls(SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter, sizeof filter);
}
