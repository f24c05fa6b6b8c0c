/** Writes the text of the CI job for `init`. The job builds the controller, runs `stalemate ci`, and uploads the findings. */
import { ACTIONS, NODE_IMAGE } from './pins.ts';
import type { SetUp } from './programs/program.ts';
import type { CiKind } from './survey.ts';

export interface CiFacts {
  readonly setUp: SetUp | undefined;
  /** Commands before the search, which install dependencies and build the controller. */
  readonly prepare: readonly string[];
  /** Whether stalemate is a dependency of the project, which `prepare` installs. */
  readonly installed: boolean;
}

export interface CiFile {
  readonly path: string;
  readonly text: string;
  /** Steps that are left to the user. */
  readonly notes: readonly string[];
}

export function ciFile(kind: CiKind, facts: CiFacts, exists: (path: string) => boolean): CiFile | undefined {
  if (kind === 'none') return undefined;
  const left = (path: string): readonly string[] =>
    facts.installed ? [] : [`${path} has to be given stalemate, which is no dependency of this project; it says how`];
  if (kind === 'github') {
    const path = '.github/workflows/stalemate.yml';
    return { path, text: github(facts), notes: left(path) };
  }
  // GitLab reads a single pipeline file, so an existing one is not changed.
  if (!exists('.gitlab-ci.yml')) return { path: '.gitlab-ci.yml', text: gitlab(facts), notes: left('.gitlab-ci.yml') };
  const path = '.gitlab/stalemate.gitlab-ci.yml';
  return {
    path,
    text: gitlab(facts),
    notes: [`add to .gitlab-ci.yml:  include: [{ local: ${path} }]`, ...left(path)],
  };
}

/** No registry has a package of this name, so npx must not try to download one. */
const CALLED = 'npx --no-install stalemate';
const ON_PATH = 'stalemate';

/**
 * Returns a step that explains how to install stalemate in CI, for a project that does not depend on it. The step fails until
 * the user has chosen a way.
 */
function installHint(place: string): readonly string[] {
  return [
    'This project does not bring stalemate along, so the job has to, in one of these ways:',
    '- make it a dependency ("npm install --save-dev FILE.tgz", a package made by "npm pack" in the clone of stalemate),',
    `  make the next step "npm ci", and say "${CALLED}" below;`,
    `- unpack the archive that "npm run standalone" makes there, and put its folder "bin" on PATH (${place});`,
    '- run the job in an image that has it: "npm run image" there makes one.',
  ].map((line) => `# ${line}`);
}

const FIND =
  'command -v stalemate || { echo "stalemate is not here, expected it on PATH; the comment above this step says how it gets there" >&2; exit 3; }';

const SET_UPS: { readonly [what in Exclude<SetUp, 'node'>]: readonly string[] } = {
  go: [`      - uses: ${ACTIONS.setupGo}`, '        with:', '          go-version-file: go.mod'],
  python: [`      - uses: ${ACTIONS.setupPython}`, '        with:', "          python-version: '3.x'"],
  rust: [
    `      - uses: ${ACTIONS.cache}`,
    '        with:',
    '          path: target',
    "          key: stalemate-${{ hashFiles('**/Cargo.lock') }}",
  ],
  java: [
    `      - uses: ${ACTIONS.setupJava}`,
    '        with:',
    '          distribution: temurin',
    "          java-version: '21'",
  ],
};

function github({ setUp, prepare, installed }: CiFacts): string {
  const other = setUp === undefined || setUp === 'node' ? [] : SET_UPS[setUp];
  return [
    '# A change is judged by the same search each time; every night another seed searches somewhere else.',
    'name: stalemate',
    '',
    'on:',
    '  pull_request:',
    '  schedule:',
    "    - cron: '17 3 * * *'",
    '  workflow_dispatch:',
    '',
    'permissions:',
    '  contents: read',
    '',
    'jobs:',
    '  search:',
    '    runs-on: ubuntu-latest',
    '    timeout-minutes: 45',
    '    steps:',
    `      - uses: ${ACTIONS.checkout}`,
    ...other,
    `      - uses: ${ACTIONS.setupNode}`,
    '        with:',
    "          node-version: '24'",
    ...prepare.map((line) => `      - run: ${line}`),
    ...(installed
      ? []
      : [
          ...installHint('$GITHUB_PATH').map((line) => `      ${line}`),
          '      - name: Find stalemate',
          '        run: |',
          `          ${FIND}`,
        ]),
    '      - name: Search',
    '        env:',
    "          STALEMATE_BUDGET: ${{ github.event_name == 'schedule' && '20m' || '2m' }}",
    "          STALEMATE_SEED: ${{ github.event_name == 'schedule' && github.run_number || 1 }}",
    `        run: ${installed ? CALLED : ON_PATH} ci --report-dir stalemate-report`,
    '      - name: Keep what was found',
    '        if: ${{ always() }}',
    `        uses: ${ACTIONS.uploadArtifact}`,
    '        with:',
    '          name: stalemate-report',
    '          path: stalemate-report',
    '          if-no-files-found: ignore',
    '',
  ].join('\n');
}

/** Packages that the Debian-based Node image lacks. */
const PACKAGES: { readonly [what in Exclude<SetUp, 'node'>]: string } = {
  go: 'golang',
  python: 'python3-venv',
  rust: 'cargo',
  java: 'maven',
};

function gitlab({ setUp = 'node', prepare, installed }: CiFacts): string {
  const packages =
    setUp === 'node' ? [] : [`    - apt-get update && apt-get install -y --no-install-recommends ${PACKAGES[setUp]}`];
  return [
    '# A change is judged by the same search each time; scheduled pipelines take fresh seeds.',
    'stalemate:',
    `  image: ${NODE_IMAGE}`,
    '  timeout: 45 minutes',
    '  rules:',
    "    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'",
    '      variables: { STALEMATE_BUDGET: 2m, STALEMATE_SEED: "1" }',
    "    - if: $CI_PIPELINE_SOURCE == 'schedule'",
    '      variables: { STALEMATE_BUDGET: 20m, STALEMATE_SEED: $CI_PIPELINE_IID }',
    '  script:',
    ...packages,
    ...prepare.map((line) => `    - ${line}`),
    ...(installed ? [] : [...installHint('"export PATH=…"').map((line) => `    ${line}`), '    - |', `      ${FIND}`]),
    `    - ${installed ? CALLED : ON_PATH} ci --report-dir stalemate-report`,
    '  artifacts:',
    '    when: always',
    '    paths: [stalemate-report]',
    '    reports:',
    '      junit: stalemate-report/junit.xml',
    '',
  ].join('\n');
}
