/**
 * Rules of this repository that no linter checks: skipped tests, work left for later, paths of one machine, files that hold two ideas, and
 * words that stop a reader of documents and output.
 *
 * Owns: the rules below, each with its reason in its message. Does not own: layers (check-layers.ts), the list of words (plain-words.ts),
 * format, types. Run as `npm run tidy`. Start at `RULES`.
 */
import { fileURLToPath } from 'node:url';
import { entriesWithoutDigest, type Lockfile, missingBuilds } from './lockfile.ts';
import { foreignWords } from './plain-words.ts';
import { type Complaint, report, repositoryFiles, type SourceFile } from './repository-files.ts';

/** Most files have 50–200 lines; a file above this limit usually holds two ideas. */
const LINES_MAX = 450;

/** Every new top-level name is one more thing to learn; use docs/ or scripts/ instead. */
const TOP_LEVEL: ReadonlySet<string> = new Set(
  [
    'apiserver harness properties controllers-under-test scripts ci docs .ci',
    'README.md CHANGELOG.md LICENSE NOTICE SECURITY.md package.json package-lock.json tsconfig.json vitest.config.ts kind-config.yaml',
    '.npmrc .gitignore .gitattributes .editorconfig .oxfmtrc.json .oxlintrc.json',
  ].flatMap((names) => names.split(' ')),
);

/** These files contain the words and patterns that they search for. */
const OWN_FILES: ReadonlySet<string> = new Set(
  ['check-tidy.ts', 'check-tidy.test.ts', 'plain-words.ts', 'plain-words.test.ts'].map((name) => `scripts/${name}`),
);

/** What people read: documents, and code with printed texts. Tests quote output and documents, guards quote code: both are exempt. */
const READ = /\.md$|^(?:apiserver|harness|properties|scripts)\/(?!.*\.test\.ts$|test\/|guards\/).*\.(?:ts|mjs|js)$/;

interface LineRule {
  readonly files: RegExp;
  readonly pattern: RegExp;
  readonly problem: string;
}

const CODE = /\.(ts|mts|cts|mjs|cjs|js|sh|bash)$|^\.ci\/run$/;
const TEST_FILES = /\.test\.ts$/;

const RULES: readonly LineRule[] = [
  {
    files: TEST_FILES,
    pattern:
      /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:skip|only|todo|fails)\b|\b(?:xit|fit|xdescribe|fdescribe)\(/,
    problem: 'a skipped test, or one that keeps other tests from running, hides failures: make it pass or delete it',
  },
  {
    files: TEST_FILES,
    pattern: /expect\((?:true|false|1|0)\)/,
    problem: 'a test that cannot fail proves nothing: expect a value that the code under test produced',
  },
  {
    files: CODE,
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b|\b[Nn]ot (?:yet )?implemented\b/,
    problem:
      'work left for later is invisible here: finish it, or describe it in the changelog or the documentation of limits',
  },
  {
    files: /^(?:apiserver|harness|properties)\/(?!scripts\/|.*\.test\.ts$|.*\/test-[\w-]+\.ts$|test\/).*\.ts$/,
    pattern: /\bnew URL\(\s*['"`][^'"`]*\.ts['"`]/,
    problem:
      'in the package this module is compiled and has another extension: name it with ownModule (harness/model/own-module.ts)',
  },
  {
    files: /./,
    pattern:
      /(?<![\w.:/-])\/(?:work|workspace|builds|home|root|Users|Volumes|private|var\/folders|mnt|media|srv|shared)\/[\w.-]+|\b[A-Z]:\\+Users\\/,
    problem:
      'a path of one machine means nothing on another: use a path relative to the repository or to the user’s folder',
  },
  {
    files: /^(?!\.ci\/run$)/,
    pattern: /(?<![\w./-])\.\.\/shared\//,
    problem: 'files beside the repository do not exist on other machines: only .ci/run may use them, if they exist',
  },
  {
    files: /^package-lock\.json$/,
    pattern: /"resolved": (?!"apiserver")/,
    problem: 'the lockfile must not tie users to one registry address: run "npm run lockfile" (see .npmrc)',
  },
];

/** Checks all files of the repository. */
export function checkTidy(files: readonly SourceFile[]): readonly Complaint[] {
  return files.flatMap((file) => [
    ...placeComplaints(file),
    ...lineComplaints(file),
    ...wordComplaints(file),
    ...lockComplaints(file),
  ]);
}

function placeComplaints({ path, text }: SourceFile): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const top = path.split('/')[0] ?? path;
  if (!TOP_LEVEL.has(top)) {
    complaints.push({
      where: path,
      problem: `"${top}" is not one of the top-level names: put it into an existing folder, or add the name to scripts/check-tidy.ts with the commit that explains it`,
    });
  }
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (CODE.test(path) && lines > LINES_MAX) {
    complaints.push({
      where: path,
      problem: `has ${lines} lines, expected at most ${LINES_MAX}: split it by idea`,
    });
  }
  return complaints;
}

function lineComplaints({ path, text }: SourceFile): readonly Complaint[] {
  const rules = RULES.filter(({ files, pattern }) => files.test(path) && pattern.test(text));
  if (rules.length === 0 || OWN_FILES.has(path)) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      rules
        .filter(({ pattern }) => pattern.test(line))
        .map(({ problem }) => ({ where: `${path}:${index + 1}`, problem })),
    );
}

function wordComplaints({ path, text }: SourceFile): readonly Complaint[] {
  if (!READ.test(path) || OWN_FILES.has(path)) return [];
  return foreignWords(path, text).map(({ line, word, instead }) => ({
    where: `${path}:${line}`,
    problem: `"${word}" stops a reader who did not write it: say ${instead}, as the documentation of Kubernetes would`,
  }));
}

function lockComplaints({ path, text }: SourceFile): readonly Complaint[] {
  if (path !== 'package-lock.json') return [];
  const lock = JSON.parse(text) as Lockfile;
  return [
    ...missingBuilds(lock).map((missing) => `lacks "${missing}", so "npm ci" refuses the lockfile everywhere`),
    ...entriesWithoutDigest(lock).map((entry) => `has no sha512 digest for "${entry}", so it is installed unchecked`),
  ].map((problem) => ({
    where: path,
    problem: `${problem}: take a release whose packages the registry has for all platforms, and run "npm run lockfile"`,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = repositoryFiles();
  report(
    'tidy',
    files.length,
    checkTidy(files),
    'Each line above says what to do; the rules are in scripts/check-tidy.ts.',
  );
}
