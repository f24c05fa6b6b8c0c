/** The view that real programs have of the host's files. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileView } from './file-view.ts';
import { processWrapper, type Mount } from './process-wrapper.ts';

const wrapper = processWrapper('own');
const hasView = wrapper.openFiles === null;

let root: string;
let project: string;
let life: string;
let before: string | undefined;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-view-')));
  project = join(root, 'project');
  life = join(root, 'life');
  for (const folder of [project, life, join(life, 'pod'), join(root, 'user', '.kube')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, 'file'), 'of the project');
  writeFileSync(join(root, 'user', '.kube', 'config'), 'secret');
  before = process.env['HOME'];
  process.env['HOME'] = join(root, 'user');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  if (before === undefined) delete process.env['HOME'];
  else process.env['HOME'] = before;
});

interface Seen {
  readonly out: string;
  readonly code: number | null;
}

/** Runs a command in a file view of its own, and returns its output. */
function seenBy(
  command: readonly string[],
  { env = {}, PATH = process.env['PATH'] ?? '', mounts = [] as readonly Mount[] } = {},
): Seen {
  const view = fileView({ command, cwd: project, env, inherited: { PATH } }, process.env);
  if ('refused' in view) throw new Error(view.refused);
  const [program = '', ...args] = [...wrapper.wrapper({ folder: life, view, mounts }), ...command];
  const { stdout, stderr, status } = spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    env: { PATH, HOME: life, ...env },
  });
  return { out: `${stdout}${stderr}`.trim(), code: status };
}

function sh(script: string, more?: Parameters<typeof seenBy>[1]): string {
  return seenBy(['/bin/sh', '-c', script], more).out;
}

describe.runIf(hasView)('a program', () => {
  it('sees its project, and what it writes there is discarded', () => {
    expect(sh('cat file; echo changed > file; rm -f gone; mkdir new; cat file; pwd')).toBe(
      `of the projectchanged\n${project}`,
    );
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('of the project');
    expect(existsSync(join(project, 'new'))).toBe(false);
  });

  it('sees the whole repository that its folder is in', () => {
    mkdirSync(join(root, 'repository', '.git'), { recursive: true });
    mkdirSync(join(root, 'repository', 'cmd'));
    writeFileSync(join(root, 'repository', 'go.mod'), 'module');
    project = join(root, 'repository', 'cmd');

    expect(sh('cat ../go.mod')).toBe('module');
  });

  it('sees no home, no state folder, and no other folder of the host', () => {
    const others = sh(`cat ${root}/user/.kube/config; ls -A /mnt /srv /var; echo $(ls ${root})`);

    expect(others).not.toContain('secret');
    expect(others).not.toContain('denied');
    expect(others.split('\n')).toContain('life project');
  });

  it('writes to nothing that lasts but its own folder', () => {
    const written = sh(
      `for place in /etc /usr /opt /var /tmp ${root}/user ${root} ${life}; do mkdir -p $place 2>/dev/null; touch $place/written 2>/dev/null; done; ls ${root}/user`,
    );

    expect(written).toBe('written');
    expect(existsSync(join(life, 'written'))).toBe(true);
    for (const place of ['/etc', '/usr', '/opt', '/var', '/tmp', join(root, 'user'), root])
      expect(existsSync(join(place, 'written'))).toBe(false);
  });

  it('finds below /var/run what a pod would, and no socket of the host', () => {
    mkdirSync(join(life, 'pod', 'secrets'));
    writeFileSync(join(life, 'pod', 'secrets', 'token'), 'mounted');

    expect(sh('cat /var/run/secrets/token; echo; ls -A /run')).toBe('mounted\nsecrets');
  });

  it('finds what is mounted, in hidden folders and where the root has none, and can make nothing beside it', () => {
    const volume = join(life, 'files', 'volume');
    mkdirSync(join(volume, 'inner'), { recursive: true });
    writeFileSync(join(life, 'files', 'file'), 'a file');
    const mounts = [
      { from: join(volume, 'inner'), to: '/stalemate-none/volume/inner' },
      { from: join(life, 'files', 'file'), to: '/stalemate-none/file' },
      { from: volume, to: '/stalemate-none/volume' },
      { from: volume, to: '/var/lib/stalemate-none' },
      { from: volume, to: '/etc/stalemate-none/deep' },
    ];

    const script =
      'echo written > /stalemate-none/volume/inner/new; cat /var/lib/stalemate-none/inner/new /etc/stalemate-none/deep/inner/new /stalemate-none/file; ls /; mkdir /other /stalemate-none/other /etc/stalemate-none/other';
    const [lines, plain] = [sh(script, { mounts }), sh('ls /')].map((out) => out.split('\n')) as [string[], string[]];

    expect(readFileSync(join(volume, 'inner', 'new'), 'utf8')).toBe('written\n');
    expect(lines.slice(0, 3)).toEqual(['written', 'written', `a file${plain[0]}`]);
    expect(new Set([plain[0], ...lines.slice(3, -3)])).toEqual(new Set([...plain, 'stalemate-none']));
    for (const line of lines.slice(-3)) expect(line).toContain('Read-only file system');
  });

  it('finds what is mounted in its project, and starts without what would be in a folder that it only reads', () => {
    const bin = join(root, 'tools', 'bin');
    const volume = join(life, 'volume');
    for (const folder of [bin, volume]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(volume, 'mounted'), 'a volume');
    const mounts = [join(project, 'cache'), join(root, 'tools', 'cache')].map((to) => ({ from: volume, to }));

    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    const [first, ...rest] = sh(`cat cache/mounted; echo; ls ${root}/tools`, { PATH, mounts }).split('\n');
    expect([first, ...rest]).toEqual(['a volume', 'bin']);
    expect(existsSync(join(project, 'cache'))).toBe(false);
  });

  it('keeps its view where the root is its own: secrets hidden, its project writable, its own processes', () => {
    const mounts = [{ from: join(life, 'pod'), to: '/stalemate-none' }];
    const script = `cat ${root}/user/.kube/config; echo changed > file; cat file; echo $$; readlink /bin; pwd; head -1 /proc/1/status`;
    const out = sh(script, { mounts });

    expect(out).toBe(sh(script));
    expect(out).toContain(`changed\n`);
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('of the project');
  });

  it.each([
    '/etc/passwd',
    '/etc/passwd/below',
    '/usr/stalemate-none',
    '/usr',
    '/run',
    '/var',
    '/',
    'stalemate-none',
    '/stalemate-none/../etc',
    '/tmp/../usr',
  ])('gets no mount at %s', (to) => {
    mkdirSync(join(life, 'volume'));
    writeFileSync(join(life, 'volume', 'mounted-here'), '');

    expect(sh(`ls ${to}; ls`, { mounts: [{ from: join(life, 'volume'), to }] })).not.toContain('mounted-here');
  });

  it('reads the files and folders that its command line or a variable names, and writes to a copy', () => {
    mkdirSync(join(root, 'conf'));
    writeFileSync(join(root, 'conf', 'a.yaml'), 'a');
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data', 'b'), 'b');
    writeFileSync(join(root, 'unnamed'), 'c');

    const script = `cat $0; cat ${root}/data/b; echo more >> ${root}/data/b; cat ${root}/data/b; cat ${root}/unnamed`;
    const { out } = seenBy(['/bin/sh', '-c', script, join(root, 'conf', 'a.yaml')], {
      env: { DATA: `--dir=${root}/data` },
    });

    expect(out).toMatch(/^abbmore\n.*No such file/s);
    expect(readFileSync(join(root, 'data', 'b'), 'utf8')).toBe('b');
  });

  it('reads a file that lies right below a home, and nothing else there', () => {
    writeFileSync(join(root, 'user', 'operator.yaml'), 'named');

    const { out } = seenBy(['/bin/sh', '-c', `cat $0; ls -A ${root}/user`, join(root, 'user', 'operator.yaml')]);

    expect(out).toBe('namedoperator.yaml');
  });

  it('does not see what lies beside a file in a folder of the user’s settings', () => {
    mkdirSync(join(root, 'user', '.ssh'));
    writeFileSync(join(root, 'user', '.ssh', 'known_hosts'), 'hosts');
    writeFileSync(join(root, 'user', '.ssh', 'id'), 'secret');

    const { out } = seenBy(['/bin/sh', '-c', 'cat $0; ls $(dirname $0)', join(root, 'user', '.ssh', 'known_hosts')]);

    expect(out).toBe('hostsknown_hosts');
  });

  it('does not see a home through a link that its command line names', () => {
    symlinkSync(join(root, 'user'), join(project, 'link'));

    expect(seenBy(['/bin/sh', '-c', 'cat $0/.kube/config', join(project, 'link')]).out).not.toContain('secret');
  });

  it('starts although the user’s kubeconfig lies in a folder that it does not see', () => {
    process.env['KUBECONFIG'] = join(root, 'user', '.kube', 'config');
    try {
      expect(seenBy(['true'])).toEqual({ out: '', code: 0 });
    } finally {
      delete process.env['KUBECONFIG'];
    }
  });

  it('finds a program through links that lead through links', () => {
    const versions = join(root, 'user', '.local', 'versions');
    mkdirSync(join(versions, '3.11.2', 'bin'), { recursive: true });
    writeFileSync(join(versions, '3.11.2', 'bin', 'python3'), '#!/bin/sh\necho started\n', { mode: 0o755 });
    symlinkSync('3.11.2', join(versions, '3.11'));
    mkdirSync(join(project, 'bin'));
    symlinkSync(join(versions, '3.11', 'bin', 'python3'), join(project, 'bin', 'python'));

    expect(seenBy(['./bin/python']).out).toBe('started');
  });

  it('sees nothing in /etc that other users of this machine may not read', () => {
    expect(sh('find /etc -type f ! -perm -o=r -size +0 -readable 2>/dev/null')).toBe('');
  });

  it('finds an interpreter that is installed below a home, and the libraries beside it', () => {
    const installed = join(root, 'user', '.versions', '3.11');
    mkdirSync(join(installed, 'bin'), { recursive: true });
    mkdirSync(join(installed, 'lib'));
    writeFileSync(join(installed, 'lib', 'module'), 'imported');
    writeFileSync(join(installed, 'bin', 'interpreter'), `#!/bin/sh\ncat ${installed}/lib/module\n`, { mode: 0o755 });
    mkdirSync(join(project, '.venv', 'bin'), { recursive: true });
    symlinkSync(join(installed, 'bin', 'interpreter'), join(project, '.venv', 'bin', 'python'));
    writeFileSync(join(project, 'run'), `#!${project}/.venv/bin/python\n`, { mode: 0o755 });

    expect(seenBy([join(project, '.venv', 'bin', 'python')]).out).toBe('imported');
    expect(seenBy(['python'], { PATH: `${project}/.venv/bin:/usr/bin:/bin` }).out).toBe('imported');
  });

  it('does not see what lies beside a folder of programs right below a home', () => {
    const cargo = join(root, 'user', '.cargo');
    mkdirSync(join(cargo, 'bin'), { recursive: true });
    writeFileSync(join(cargo, 'credentials.toml'), 'token');
    writeFileSync(join(cargo, 'bin', 'tool'), `#!/bin/sh\nls -A ${cargo}\n`, { mode: 0o755 });

    expect(seenBy(['tool'], { PATH: `${cargo}/bin:/usr/bin:/bin` }).out).toBe('bin');
  });

  it('has no capability, gains none, and reaches no device and no setting of the kernel', () => {
    const lines = sh('grep -E "^(Cap|NoNew)" /proc/self/status; ls /dev; echo 1 > /proc/sys/kernel/printk').split('\n');

    expect(lines.filter((line) => line.startsWith('Cap') && !line.endsWith('\t0000000000000000'))).toEqual([]);
    expect(lines).toContain('NoNewPrivs:\t1');
    expect(lines.filter((line) => /^(?:sd|vd|nvme|loop|mem|kmsg)/.test(line))).toEqual([]);
    expect(lines.at(-1)).toMatch(/Read-only file system|Permission denied/);
  });

  // Needs perl, whose `syscall` function takes the number of the system call.
  it.runIf(process.arch === 'x64' && spawnSync('perl', ['-v']).status === 0)(
    'reaches no key of the user in the kernel, no host of its virtual machine, and no ring of calls that no filter sees',
    () => {
      const script = `$! = 0; print "$_:", syscall($_, 0, -4, 0, 0, 0), $!{ENOSYS} ? " refused\\n" : "\\n" for 248, 249, 250, 250 | 0x40000000, 425;
        print socket(my $s, 40, 1, 0) ? "open" : "closed", socket(my $t, 1, 1, 0) ? " open" : " closed"`;

      expect(seenBy(['perl', '-e', script]).out).toBe(
        '248:-1 refused\n249:-1 refused\n250:-1 refused\n1073742074:-1 refused\n425:-1 refused\nclosed open',
      );
    },
  );

  it('takes a PATH of hundreds of folders', () => {
    const folders = Array.from({ length: 300 }, (_, at) => join(root, 'tools', String(at)));
    for (const folder of folders) mkdirSync(folder, { recursive: true });

    expect(seenBy(['true'], { PATH: [...folders, '/usr/bin', '/bin'].join(':') })).toEqual({ out: '', code: 0 });
  });

  // Mounting a file system in the project needs user and mount namespaces.
  it.runIf(spawnSync('unshare', ['-Urm', 'true']).status === 0)('reads what is mounted inside of its project', () => {
    mkdirSync(join(project, 'inner'));
    const script = `mount -t tmpfs none inner && echo mounted > inner/file && exec "$@"`;
    const view = [`--hide`, root, '--overlay', project, '--read', join(project, 'inner'), '--cd', project];
    const launched = wrapper.wrapper({ folder: life, view });
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-Urm', 'sh', '-c', script, 'sh', ...launched.toSpliced(1, 0, '--user', '0', '0'), 'cat', 'inner/file', 'file'],
      { cwd: project, encoding: 'utf8' },
    );

    expect(stdout).toBe('mounted\nof the project');
    expect(stderr).toContain(`nothing can be written where something else is mounted inside: ${project}`);
  });

  it('cannot take a mount away or make one', () => {
    expect(sh(`umount ${root}; mount -t tmpfs none /mnt; ls ${root}/user/.kube`)).toMatch(/(?:.*\n)*.*No such file/);
  });

  it.each([
    ['its own', 'exit 7', 7],
    ['that of a signal', 'kill -9 $$', 137],
  ])('ends with an exit code: %s', (_, script, code) => {
    expect(seenBy(['/bin/sh', '-c', script]).code).toBe(code);
  });

  it('that cannot be started is named', () => {
    writeFileSync(join(project, 'plain'), 'text');
    chmodSync(join(project, 'plain'), 0o644);

    expect(seenBy(['./missing'])).toEqual({
      out: 'launch: cannot start a program: it, or the interpreter that it names, is not among the files that programs see (--file-system host shows all): ./missing',
      code: 127,
    });
    expect(seenBy(['./plain'])).toEqual({
      out: 'launch: cannot start a program: permission denied: ./plain',
      code: 126,
    });
  });

  it('that is a script without a first line is one of sh', () => {
    writeFileSync(join(project, 'script'), 'echo "run with $1"\n', { mode: 0o755 });

    expect(seenBy(['./script', 'words']).out).toBe('run with words');
  });
});

describe('a view', () => {
  it('is refused to a program that starts in a home', () => {
    const view = fileView({ command: ['./manager'], cwd: join(root, 'user'), env: {}, inherited: {} }, process.env);

    expect(view).toEqual({ refused: `it starts in "${join(root, 'user')}", which holds more than a project` });
  });

  it('of a program that starts in the root folder has no project', () => {
    expect(fileView({ command: ['true'], cwd: '/', env: {}, inherited: {} }, process.env)).not.toContain('--overlay');
  });

  it('does not take a home for a project, although it is a repository', () => {
    mkdirSync(join(root, 'user', '.git'));
    const cwd = join(root, 'user', 'operator');
    mkdirSync(cwd);

    expect(fileView({ command: ['./manager'], cwd, env: {}, inherited: {} }, process.env)).toContain(cwd);
  });

  it('shows what is named below /run, where a pod has files of its own', () => {
    const view = fileView({ command: ['true'], cwd: project, env: {}, inherited: {} }, process.env);
    if ('refused' in view) throw new Error(view.refused);

    const operations = view.filter((word) => word.startsWith('--'));
    expect(operations.lastIndexOf('--at')).toBeLessThan(operations.indexOf('--overlay'));
    expect(view.indexOf('/run')).toBeLessThan(view.indexOf('--at'));
  });

  it('hides the user’s settings also where they lie in the project', () => {
    const settings = join(project, 'settings');
    mkdirSync(settings);

    const view = fileView({ command: ['true'], cwd: project, env: {}, inherited: {} }, { XDG_CONFIG_HOME: settings });

    expect(view).toEqual(expect.arrayContaining(['--overlay', project, '--hide', settings]));
  });

  it('hides the user’s kubeconfig wherever it lies', () => {
    const kubeconfig = join(project, 'kubeconfig');
    writeFileSync(kubeconfig, 'secret');

    const view = fileView({ command: ['true'], cwd: project, env: {}, inherited: {} }, { KUBECONFIG: kubeconfig });

    expect(view).toEqual(expect.arrayContaining(['--mask', kubeconfig]));
  });
});
