/*
 * launch: starts a program in namespaces of its own, with its own view of the file system and without privileges.
 *
 *   launch [OPTION...] [OPERATION...] -- PROGRAM [ARGUMENT...]
 *
 *   --user UID GID   create a user namespace, for callers that are not root; the program keeps this user and group
 *   --join PID       join the network namespace of this process, and its user namespace with --user
 *   --hostname NAME  set the host name that the program sees
 *   --cd DIR         start the program in this directory
 *   --steer FD       steer its clock, by commands on this file descriptor (steer.h)
 *   --origin NS      the time of day when the run began
 *   --now NS         the time since then, on the clock of the run
 *   --seed N         give it random numbers that depend on this seed
 *   --cpu N          run it on this processor only
 *   --open DIR       let operations make places in this folder of the host, as in a hidden one
 *
 * Operations on the file system, in order. Before the first one, everything becomes read-only, and /dev is replaced (/proc after the last):
 *   --hide DIR       show an empty folder here; writes to it are discarded
 *   --read PATH      show the original, read-only (below a hidden folder)
 *   --write PATH     show the original, writable
 *   --overlay DIR    show the original; writes to it are discarded
 *   --at PATH DIR    show PATH at DIR, writable
 *   --mask FILE      show an empty file here
 *
 * There are three processes: this one waits and passes the exit code on (128 + N for signal N); the first process of the pid namespace
 * reaps orphans; the program is its child. If one of the first two ends, the kernel kills the others.
 * Exit codes of the launcher itself: 125 if the host does not permit something, 126 and 127 if the program cannot be started, as in shells.
 *
 * No libc: about 20 KB, reproducible with the same compiler, no dependencies at run time. Start at main().
 */
#include "kernel.h"
#include "filter.h"

/* The settings of a steered clock. */
struct steered {
  /* The file descriptor for commands of the harness; -1 if the clock is not steered. */
  long by;
  long origin, at;
  word seed;
  int is_seeded;
  /* Whether the program has its own network: all bytes in transit there are then its own. */
  int has_network;
};
#include "steer.h"

/* ---- options ---- */

enum operation { HIDE, READ, WRITE, OVERLAY, AT, MASK };
static const char *const NAMES[] = {"--hide", "--read", "--write", "--overlay", "--at", "--mask"};

struct step {
  enum operation operation;
  const char *path;
  /* A detached copy of the mount at the path (for an overlay: the folder itself), opened before anything is hidden. */
  long source;
};

enum { MAX_STEPS = 1024, MAX_OPENED = 32 };
static struct step steps[MAX_STEPS];
static int count;
static const char *opened[MAX_OPENED];
static int opened_count;
static int with_user;
static word uid, gid;
static const char *joined, *directory = "/", *hostname;
static struct steered steered = {.by = -1};
static long processor = -1;
static char **program;

static void read_options(char **at) {
  for (; *at && !same(*at, "--"); at++) {
    const char *option = *at;
    const char *value = *++at;
    if (!value) fail("a value is missing after", option, 0);
    if (same(option, "--user")) {
      with_user = 1;
      uid = number_of(value);
      if (!*++at) fail("a value is missing after", option, 0);
      gid = number_of(*at);
      continue;
    }
    if (same(option, "--join")) {
      number_of(value);
      joined = value, steered.has_network = 1;
      continue;
    }
    if (same(option, "--steer")) {
      steered.by = number_of(value);
      continue;
    }
    if (same(option, "--origin")) {
      steered.origin = number_of(value);
      continue;
    }
    if (same(option, "--now")) {
      steered.at = number_of(value);
      continue;
    }
    if (same(option, "--seed")) {
      steered.seed = number_of(value), steered.is_seeded = 1;
      continue;
    }
    if (same(option, "--cpu")) {
      processor = number_of(value);
      continue;
    }
    if (same(option, "--cd")) {
      directory = value;
      continue;
    }
    if (same(option, "--open")) {
      if (opened_count == MAX_OPENED) fail("too many folders are opened", "", 0);
      opened[opened_count++] = value;
      continue;
    }
    if (same(option, "--hostname")) {
      hostname = value;
      continue;
    }
    int operation = 0;
    while (operation <= MASK && !same(option, NAMES[operation])) operation++;
    if (operation > MASK) fail("an option that is not known:", option, 0);
    if (count == MAX_STEPS) fail("too many operations", "", 0);
    steps[count].operation = operation;
    steps[count].path = value;
    /* --at takes two steps: the first has the path to show, the second the place where it appears. */
    steps[count++].source = -1;
    if (operation == AT) {
      if (!*++at || count == MAX_STEPS) fail("a value is missing after", option, 0);
      steps[count].operation = AT;
      steps[count].path = *at;
      steps[count++].source = -1;
    }
  }
  if (!*at || !at[1]) fail("expected", "-- PROGRAM", 0);
  program = at + 1;
}

/* ---- namespaces ---- */

static void join(const char *kind, word flag) {
  struct text path = {0};
  add(&path, "/proc/");
  add(&path, joined);
  add(&path, "/ns/");
  add(&path, kind);
  long file = must(CALL(openat, AT_FDCWD, path.bytes, O_RDONLY | O_CLOEXEC, 0, 0), "cannot open", path.bytes);
  must(CALL(setns, file, flag, 0, 0, 0), "cannot join the namespace", path.bytes);
  CALL(close, file, 0, 0, 0, 0);
}

static void write_file(const char *path, const char *content) {
  long file = must(CALL(openat, AT_FDCWD, path, O_WRONLY, 0, 0), "cannot open", path);
  must(CALL(write, file, content, length(content), 0, 0), "cannot write", path);
  CALL(close, file, 0, 0, 0, 0);
}

/* Creates a user namespace that maps the ids `inside` to the current ids `outside`. */
static void new_user(word inside_uid, word outside_uid, word inside_gid, word outside_gid) {
  struct text map = {0};
  must(CALL(unshare, CLONE_NEWUSER, 0, 0, 0, 0), "cannot make a user namespace", "");
  write_file("/proc/self/setgroups", "deny");
  add_number(&map, inside_uid), add(&map, " "), add_number(&map, outside_uid), add(&map, " 1");
  write_file("/proc/self/uid_map", map.bytes);
  map.used = 0;
  add_number(&map, inside_gid), add(&map, " "), add_number(&map, outside_gid), add(&map, " 1");
  write_file("/proc/self/gid_map", map.bytes);
}

/* ---- the file system ---- */

static void mount(const char *type, const char *place, word flags, const char *options) {
  must(CALL(mount, type, place, type, flags, options), "cannot mount over", place);
}

static long copy_of(const char *path) {
  return CALL(open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE, 0, 0);
}

static void read_only(long at, const char *path, word flags) {
  struct mount_attr wanted = {0};
  wanted.attr_set = MOUNT_ATTR_RDONLY;
  must(CALL(mount_setattr, at, path, flags, &wanted, sizeof wanted), "cannot make read-only", path);
}

static void writable(const char *path) {
  struct mount_attr wanted = {0};
  wanted.attr_clr = MOUNT_ATTR_RDONLY;
  must(CALL(mount_setattr, AT_FDCWD, path, 0, &wanted, sizeof wanted), "cannot make writable", path);
}

static int is_folder(long file) {
  struct statx about;
  must(CALL(statx, file, "", AT_EMPTY_PATH, STATX_TYPE, &about), "cannot look at", "a path");
  return (about.stx_mode & S_IFMT) == S_IFDIR;
}

/* Creates `path` as a folder or an empty file, with its parent folders, if a hidden folder above it has made it disappear. */
static void make_place(const char *path, int folder) {
  struct text so_far = {0};
  for (const char *at = path; *at; at++) {
    char one[2] = {*at, 0};
    if (*at == '/' && so_far.used > 0) CALL(mkdirat, AT_FDCWD, so_far.bytes, 0755, 0, 0);
    add(&so_far, one);
  }
  if (folder) CALL(mkdirat, AT_FDCWD, path, 0755, 0, 0);
  else CALL(close, CALL(openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_NOFOLLOW, 0644, 0), 0, 0, 0, 0);
}

static void attach(long source, const char *path) {
  make_place(path, is_folder(source));
  must(CALL(move_mount, source, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH), "cannot show", path);
  CALL(close, source, 0, 0, 0, 0);
}

/* Shows the entry `name` of the folder `from` in the folder `to`. */
static void show_entry(long from, long to, const char *name) {
  char target[4096];
  long size = CALL(readlinkat, from, name, target, sizeof target - 1, 0);
  if (size >= 0) {
    target[size] = 0;
    must(CALL(symlinkat, target, to, name, 0, 0), "cannot make", name);
    return;
  }
  word flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  long source = CALL(open_tree, from, name, flags, 0, 0);
  /* It is gone since the folder was listed. */
  if (source == -ENOENT) return;
  must(source, "cannot open", name);
  if (is_folder(source)) must(CALL(mkdirat, to, name, 0755, 0, 0), "cannot make", name);
  else CALL(close, must(CALL(openat, to, name, O_CREAT | O_WRONLY, 0644, 0), "cannot make", name), 0, 0, 0, 0);
  must(CALL(move_mount, source, "", to, name, MOVE_MOUNT_F_EMPTY_PATH), "cannot show", name);
  CALL(close, source, 0, 0, 0, 0);
}

static long open_folder(const char *path) {
  return must(CALL(openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0), "cannot open", path);
}

/*
 * Replaces a folder by a tmpfs that shows everything in it, and where places can be made. The tmpfs that replaces the root folder is
 * mounted at /dev first; that folder is replaced later anyway. A chroot would not do: in one, no user namespace can be made.
 */
static void open_place(const char *path) {
  static char entries[32768] __attribute__((aligned(8)));
  int is_root = same(path, "/");
  const char *place = is_root ? "/dev" : path;
  long from = open_folder(path);
  mount("tmpfs", place, MS_NOSUID | MS_NODEV, "mode=0755,size=1m");
  long to = open_folder(place);
  if (is_root) must(CALL(mkdirat, to, "dev", 0755, 0, 0), "cannot make", "dev");
  for (;;) {
    long size = must(CALL(getdents64, from, entries, sizeof entries, 0, 0), "cannot list", path);
    if (size == 0) break;
    for (long at = 0; at < size; at += ((struct entry *)(entries + at))->size) {
      const char *name = ((struct entry *)(entries + at))->name;
      if (!same(name, ".") && !same(name, "..") && !(is_root && same(name, "dev"))) show_entry(from, to, name);
    }
  }
  if (is_root) {
    /* The old root is then mounted over the new one, until it is taken away. */
    must(CALL(fchdir, to, 0, 0, 0, 0), "cannot go to", place);
    must(CALL(pivot_root, ".", ".", 0, 0, 0), "cannot change the root", "");
    must(CALL(umount2, ".", MNT_DETACH, 0, 0, 0), "cannot take away", "the old root");
    must(CALL(chdir, "/", 0, 0, 0, 0), "cannot go to", "/");
  }
  CALL(close, to, 0, 0, 0, 0);
  CALL(close, from, 0, 0, 0, 0);
}

/* Mounts an overlay. Writes to overlays go to `staging`, which no process can reach by a path. */
static void overlay(struct step *step, long staging, int number) {
  static struct text upper, work, options;
  upper.used = work.used = options.used = 0;
  add(&upper, "u"), add_number(&upper, number);
  add(&work, "w"), add_number(&work, number);
  must(CALL(mkdirat, staging, upper.bytes, 0755, 0, 0), "cannot make", upper.bytes);
  must(CALL(mkdirat, staging, work.bytes, 0755, 0, 0), "cannot make", work.bytes);
  /* Uses file descriptors instead of paths, whose characters could be parsed as options. */
  add(&options, "lowerdir=/proc/self/fd/"), add_number(&options, step->source);
  add(&options, ",upperdir=/proc/self/fd/"), add_number(&options, staging), add(&options, "/"), add(&options, upper.bytes);
  add(&options, ",workdir=/proc/self/fd/"), add_number(&options, staging), add(&options, "/"), add(&options, work.bytes);
  if (with_user) add(&options, ",userxattr");
  make_place(step->path, 1);
  long result = CALL(mount, "overlay", step->path, "overlay", MS_NOSUID | MS_NODEV, options.bytes);
  if (result == -EINVAL) {
    /* The folder contains mounts that this user may not remove. */
    long copy = must(CALL(open_tree, step->source, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE, 0, 0), "cannot open", step->path);
    read_only(copy, "", AT_EMPTY_PATH | AT_RECURSIVE);
    attach(copy, step->path);
    say("nothing can be written where something else is mounted inside:", step->path, 0);
  } else must(result, "cannot make a copy of", step->path);
  CALL(close, step->source, 0, 0, 0, 0);
}

static const char *const DEVICES[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
enum { DEVICE_COUNT = sizeof DEVICES / sizeof *DEVICES };

static void build_view(void) {
  long devices[DEVICE_COUNT];
  must(CALL(mount, NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "cannot make mounts private", "");
  for (int i = 0; i < DEVICE_COUNT; i++) devices[i] = copy_of(DEVICES[i]);
  for (int i = 0; i < opened_count; i++) open_place(opened[i]);
  for (int i = 0; i < count; i++) {
    struct step *step = &steps[i];
    if (step->operation == READ || step->operation == WRITE) step->source = must(copy_of(step->path), "cannot open", step->path);
    if (step->operation == OVERLAY)
      step->source = must(CALL(openat, AT_FDCWD, step->path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0), "cannot open", step->path);
    if (step->operation == AT) steps[i + 1].source = must(copy_of(step->path), "cannot open", step->path), i++;
  }
  read_only(AT_FDCWD, "/", AT_RECURSIVE);
  for (int i = 0; i < opened_count; i++) writable(opened[i]);
  mount("tmpfs", "/dev", MS_NOSUID | MS_NODEV, "mode=0700");
  long staging = must(CALL(openat, AT_FDCWD, "/dev", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0), "cannot open", "/dev");
  /* Covers the first tmpfs, which is then reachable only by its file descriptor. */
  mount("tmpfs", "/dev", MS_NOSUID, "mode=0755");
  for (int i = 0; i < DEVICE_COUNT; i++)
    if (devices[i] >= 0) attach(devices[i], DEVICES[i]);
  CALL(symlinkat, "/proc/self/fd", AT_FDCWD, "/dev/fd", 0, 0);
  CALL(symlinkat, "/proc/self/fd/0", AT_FDCWD, "/dev/stdin", 0, 0);
  CALL(symlinkat, "/proc/self/fd/1", AT_FDCWD, "/dev/stdout", 0, 0);
  CALL(symlinkat, "/proc/self/fd/2", AT_FDCWD, "/dev/stderr", 0, 0);
  make_place("/dev/shm", 1);
  mount("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
  read_only(AT_FDCWD, "/dev", 0);

  for (int i = 0; i < count; i++) {
    struct step *step = &steps[i];
    switch (step->operation) {
      case HIDE:
        make_place(step->path, 1);
        mount("tmpfs", step->path, MS_NOSUID | MS_NODEV, "mode=1777,size=1g");
        break;
      case READ:
        read_only(step->source, "", AT_EMPTY_PATH | AT_RECURSIVE);
        attach(step->source, step->path);
        break;
      case WRITE:
        attach(step->source, step->path);
        break;
      case OVERLAY:
        overlay(step, staging, i);
        break;
      case AT:
        if (step->source >= 0) attach(step->source, step->path);
        break;
      case MASK:
        must(CALL(mount, "/dev/null", step->path, NULL, MS_BIND, NULL), "cannot mask", step->path);
        break;
    }
  }
  for (int i = 0; i < opened_count; i++) read_only(AT_FDCWD, opened[i], 0);
  CALL(close, staging, 0, 0, 0, 0);
}

/* Runs inside the pid namespace. If the host does not permit a new /proc (as in some containers), the old one remains, read-only. */
static void build_proc(void) {
  static const char *const GUARDED[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/dynamic_debug"};
  if (CALL(mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
    /* In the old /proc, our process ids belong to other processes. */
    if (steered.by >= 0) fail("no clock is steered where the host permits no new /proc", "", 0);
    return;
  }
  /* Root owns these files even without capabilities. */
  for (int i = 0; i < (int)(sizeof GUARDED / sizeof *GUARDED); i++) {
    if (CALL(mount, GUARDED[i], GUARDED[i], NULL, MS_BIND, NULL) < 0) continue;
    read_only(AT_FDCWD, GUARDED[i], 0);
  }
}

/* ---- privileges ---- */

static void drop_privileges(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0}, {0}};
  if (with_user) new_user(uid, 0, gid, 0);
  CALL(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (word capability = 0; CALL(prctl, PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    must(CALL(prctl, PR_CAPBSET_DROP, capability, 0, 0, 0), "cannot drop a capability", "");
  must(CALL(capset, &header, none, 0, 0, 0), "cannot drop capabilities", "");
  must(CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "cannot set no_new_privs", "");
  deny_calls();
}

/* ---- processes ---- */

struct action {
  void (*handler)(int);
  word flags;
  void *restorer;
  word mask;
};
static const int ENDING[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

/* Sets the handler of signals that end a process: they are sent to the whole group, but are meant for the program only. */
static void on_ending_signals(void (*handler)(int)) {
  struct action wanted = {handler, 0, NULL, 0};
  for (int i = 0; i < (int)(sizeof ENDING / sizeof *ENDING); i++) CALL(rt_sigaction, ENDING[i], &wanted, NULL, sizeof wanted.mask, 0);
}

static long fork_process(void) {
  return must(CALL(clone, SIGCHLD, 0, 0, 0, 0), "cannot start a process", "");
}

/* Waits for `child`, reaps all other processes, and returns the exit code of `child`. */
static int code_of(long child) {
  int status = 0;
  for (;;) {
    long ended = CALL(wait4, -1, &status, 0, NULL, 0);
    if (ended == -EINTR) continue;
    if (ended < 0) fail("cannot wait", "", ended);
    if (ended == child) return (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f);
  }
}

static const char *variable(char **environment, const char *name) {
  for (; *environment; environment++) {
    const char *at = *environment, *wanted = name;
    while (*wanted && *at == *wanted) at++, wanted++;
    if (!*wanted && *at == '=') return at + 1;
  }
  return NULL;
}

/* Executes a file as a shell would: one without an interpreter line is a script for sh. Returns only on failure. */
static long try_program(const char *path, char **environment) {
  long error = CALL(execve, path, program, environment, 0, 0);
  if (error != -ENOEXEC) return error;
  char *words[MAX_STEPS + 2] = {"sh", (char *)path};
  int i = 1;
  for (; program[i]; i++) {
    if (i == MAX_STEPS) fail("too many arguments for a script without a first line", path, 0);
    words[i + 1] = program[i];
  }
  return CALL(execve, "/bin/sh", words, environment, 0, 0);
}

static void start_program(char **environment) {
  const char *name = program[0];
  long error = -ENOENT;
  int has_slash = 0;
  for (const char *at = name; *at; at++) has_slash |= *at == '/';
  if (has_slash) error = try_program(name, environment);
  else {
    const char *at = variable(environment, "PATH");
    if (!at) at = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
      struct text path = {0};
      for (; *at && *at != ':'; at++) {
        char one[2] = {*at, 0};
        add(&path, one);
      }
      add(&path, path.used ? "/" : "./");
      add(&path, name);
      long now = try_program(path.bytes, environment);
      /* A file that may not be executed is a better error than all missing files. */
      if (now != -ENOENT && now != -ENOTDIR) error = now;
      if (!*at++) break;
    }
  }
  int is_missing = error == -ENOENT || error == -ENOTDIR;
  if (is_missing) say("cannot start a program: it, or the interpreter that it names, is not among the files that programs see (--file-system host shows all):", name, 0);
  else if (error == -EACCES) say("cannot start a program: permission denied:", name, 0);
  else say("cannot start", name, error);
  quit(is_missing ? 127 : 126);
}

/* Binds the program to its processor; if that is not permitted, it uses all that it may. */
static void use_processor(void) {
  word set[16] = {0};
  if (processor >= (long)sizeof set * 8) return;
  set[processor / 64] = 1ul << processor % 64;
  CALL(sched_setaffinity, 0, sizeof set, set, 0, 0);
}

static int first_process(char **environment) {
  CALL(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  build_proc();
  int ready[2];
  must(CALL(pipe2, ready, O_CLOEXEC, 0, 0, 0), "cannot make a pipe", "");
  long child = fork_process();
  if (child == 0) {
    char byte;
    on_ending_signals((void (*)(int))0);
    drop_privileges();
    /* Wait until the tracer is attached. */
    if (steered.by >= 0) CALL(read, ready[0], &byte, 1, 0, 0), stop_at_waits();
    if (processor >= 0) use_processor();
    must(CALL(close_range, 3, ~0u, 0, 0, 0), "cannot close files", "");
    must(CALL(chdir, directory, 0, 0, 0, 0), "cannot go to", directory);
    start_program(environment);
  }
  CALL(chdir, "/", 0, 0, 0, 0);
  return steered.by < 0 ? code_of(child) : steer(child, &steered, ready[1]);
}

static int main(char **arguments, char **environment) {
  read_options(arguments + 1);
  word own_uid = CALL(getuid, 0, 0, 0, 0, 0), own_gid = CALL(getgid, 0, 0, 0, 0, 0);
  if (joined && with_user) join("user", CLONE_NEWUSER);
  else if (with_user) new_user(0, own_uid, 0, own_gid);
  if (joined) join("net", CLONE_NEWNET);
  must(CALL(unshare, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS, 0, 0, 0, 0), "cannot make namespaces", "");
  if (hostname) must(CALL(sethostname, hostname, length(hostname), 0, 0, 0), "cannot set the host name", hostname);
  build_view();
  /* Set before there is a child, so that no signal is lost in between. */
  on_ending_signals((void (*)(int))1);
  long child = fork_process();
  if (child == 0) quit(first_process(environment));
  return code_of(child);
}

__attribute__((used)) void start(word *stack) {
  char **arguments = (char **)(stack + 1);
  quit(main(arguments, arguments + stack[0] + 1));
}
