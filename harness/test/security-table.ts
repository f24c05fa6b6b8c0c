/**
 * The tests that check a cell of the table in docs/security.md.
 *
 * Owns: files and titles. Does not own: that these tests exist (security-table.test.ts), and that each fails without its guard
 * (scripts/guards.ts). Start at {@link ROWS}.
 */

/** A file and titles of tests in it; parametrised titles as in the source, with `%s`. */
export type Tests = readonly [file: string, ...titles: readonly [string, ...string[]]];
type Cell = readonly Tests[];
type Row = readonly [command: Cell, module: Cell, network: Cell, outside: Cell, foreign: Cell];

const LOOKING = 'harness/test/looking-commands.test.ts';
const STORED = 'harness/cli/stored-target.test.ts';
const VIEW = 'harness/actors/process/file-view.test.ts';
const WRITES = 'harness/report/write-files.test.ts';
const STRANGERS = 'harness/cli/init/strangers.test.ts';

const KEPT: Cell = [
  ['harness/cli/strangers-corpus.test.ts', 'start and import nothing that they name, and are left out: %s'],
];
const NETWORK: Cell = [
  ['harness/actors/process/enclosure.test.ts', 'shows a program our socket, and none of the host'],
  ['harness/test/bad-targets.test.ts', 'is refused what leads to another cluster, with the line that asks for it: %s'],
];
const LINKS: Tests = [
  WRITES,
  'is written through by nobody',
  'is not followed where a repository brings it along: %s, for %s',
  'is not followed when what was left unfinished is removed',
];
const REMOVES: Tests = [
  'harness/cli/strangers-corpus.test.ts',
  'are not removed through a link in place of their folder',
];
const PROGRAM_WRITES: Tests = [
  VIEW,
  'sees its project, and what it writes there is discarded',
  'writes to nothing that lasts but its own folder',
];
const PROGRAM_READS: Cell = [
  [
    VIEW,
    'sees no home, no state folder, and no other folder of the host',
    'hides the user’s kubeconfig wherever it lies',
  ],
  [
    'harness/actors/process/command.test.ts',
    'gives a module nothing of the session that leads to a cluster or grants anything',
    'gives a program a home of its own, the kubeconfig of its run, and what its author asks for',
  ],
];
const NAMES: Tests = [
  'harness/report/title.test.ts',
  'makes a file name of a property called %j that stays in its folder',
];
const RUN_WRITES: Cell = [NAMES, LINKS, PROGRAM_WRITES];

const NOTHING_STARTED = 'nothing that a file names is started or imported';
const PAGES: Tests = [
  LOOKING,
  'report, recheck and merge start nothing, reach nothing, and write pages into the folder that is named',
];
const SERVES: Tests = [
  LOOKING,
  'serve starts and reaches nothing by itself, and writes what it is told and its own note',
];
const LISTS: Tests = [LOOKING, 'list, completion and clean start nothing, reach nothing and write nothing'];
const DOCTOR: Tests = [
  LOOKING,
  'doctor asks tools of the machine for their versions, reaches loopback alone, and leaves nothing',
];
const DRY: Tests = [LOOKING, 'init --dry-run asks the interpreter of the system alone, and writes nothing'];

export const ROWS: { readonly [commands: string]: Row } = {
  '`run`, `ci`, `soak`': [KEPT, KEPT, NETWORK, RUN_WRITES, PROGRAM_READS],
  '`replay`': [
    [[STORED, 'runs no command', 'is refused, with what it is']],
    [[STORED, 'is refused outside the folder, trusted or not: %s', 'is refused, with what it is']],
    [
      [
        STORED,
        'cannot reach the network of the host, whatever the file says',
        'cannot reach the network of the host either, unless the user says so',
      ],
      ...NETWORK,
    ],
    RUN_WRITES,
    PROGRAM_READS,
  ],
  '`corpus`': [
    [...KEPT, [LOOKING, NOTHING_STARTED]],
    [...KEPT, [LOOKING, NOTHING_STARTED]],
    NETWORK,
    [[LOOKING, 'corpus lists, explains, keeps and removes entries, and no other file'], NAMES, LINKS, REMOVES],
    PROGRAM_READS,
  ],
  '`record`': [
    [
      ['harness/test/record.test.ts', 'with a misspelt placeholder is not started'],
      [LOOKING, 'record reads an audit log, and writes its recording alone'],
    ],
    [[LOOKING, NOTHING_STARTED]],
    [['harness/test/record.test.ts', 'a cluster elsewhere, whatever its name', 'the cluster of the session']],
    [[LOOKING, 'record reads an audit log, and writes its recording alone'], LINKS],
    [[LOOKING, 'record reads an audit log, and writes its recording alone']],
  ],
  '`merge`, `report`, `recheck`': [
    [PAGES],
    [[LOOKING, NOTHING_STARTED]],
    [PAGES],
    [PAGES, LINKS, ['harness/cli/bad-files.test.ts', 'writes no page over a file that is none']],
    [PAGES],
  ],
  '`init`': [
    [[STRANGERS, 'imports no module of the project to find the interpreter that has one'], DRY],
    [[LOOKING, NOTHING_STARTED]],
    [[STRANGERS, 'does not render %j, where that asks the network'], DRY],
    [
      [
        STRANGERS,
        'writes through no link in place of %s',
        'makes no folder through a link, and writes through those that stay inside',
      ],
      DRY,
    ],
    [[STRANGERS, 'reads nothing outside of the project'], DRY],
  ],
  '`serve`': [
    [SERVES],
    [[LOOKING, NOTHING_STARTED]],
    [SERVES, ['apiserver/server/http/call-out.test.ts', 'carries the reviews of a server to a webhook and back']],
    [SERVES, ['harness/cli/serve.test.ts', 'never writes over the kubeconfig of other clusters']],
    [SERVES],
  ],
  '`clean`': [
    [
      LISTS,
      [
        'apiserver/processes/scratch.test.ts',
        'ends what somebody has left who is gone, and nothing of those who still live',
      ],
    ],
    [[LOOKING, NOTHING_STARTED]],
    [
      LISTS,
      ['harness/clusters/existing/redirect.test.ts', 'ends with a redirection of what stalemate asks for itself'],
      ['harness/clusters/existing/admission.test.ts', 'is the one that it was'],
    ],
    [
      LISTS,
      [
        'apiserver/processes/scratch.test.ts',
        'ends what somebody has left who is gone, and nothing of those who still live',
      ],
    ],
    [LISTS],
  ],
  '`doctor`, `list`, `completion`': [
    [DOCTOR, LISTS],
    [
      ['harness/cli/doctor.test.ts', 'says of a configuration what is wrong with it'],
      [LOOKING, NOTHING_STARTED],
    ],
    [DOCTOR, LISTS],
    [DOCTOR, LISTS],
    [DOCTOR, LISTS],
  ],
};

export const COLUMNS: readonly string[] = [
  'runs a command',
  'imports a module',
  'opens the network',
  'writes outside',
  'reads what is not its own',
];

/** Returns all titles in the table without duplicates, by file. */
export function titlesByFile(): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  for (const [path, ...titles] of Object.values(ROWS).flat(2)) {
    const known = named.get(path) ?? new Set();
    for (const title of titles) known.add(title);
    named.set(path, known);
  }
  return named;
}
