/**
 * How the controllers under test of each language are built. Their own files pin the versions: `go.sum`, `constraints.txt`, `Cargo.lock`,
 * `pom.xml`.
 *
 * Owns: the table below. Does not own: where builds are kept, and when they are made (`builds.ts`).
 */
import type { BuildPlace } from './build-place.ts';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nice } from '../languages/controllers.ts';
import { archiveClasses } from './class-data.ts';

export interface Toolchain {
  /** The program that must be installed. */
  readonly needs: string;
  /** The sources that the build depends on; defaults to all except manifests and documents. */
  readonly parts?: readonly string[];
  build(place: BuildPlace): Promise<void>;
}

/** By language. A language without controllers in the catalogue is not built. */
export const TOOLCHAINS: { readonly [language: string]: Toolchain } = {
  go: {
    needs: 'go',
    build: ({ sources, out, log }) =>
      nice('go build', 'go', ['build', '-ldflags=-s -w', '-o', `${out}/`, '.'], log, { cwd: sources }),
  },
  // The programs run from their sources; only their packages are installed.
  python: {
    needs: 'python3',
    parts: ['requirements.txt', 'constraints.txt'],
    build: async ({ sources, out, log }) => {
      await nice('python3 -m venv', 'python3', ['-m', 'venv', out], log);
      const files = ['-r', join(sources, 'requirements.txt'), '-c', join(sources, 'constraints.txt')];
      await nice('pip install', join(out, 'bin', 'python3'), ['-m', 'pip', 'install', '--quiet', ...files], log);
    },
  },
  rust: {
    needs: 'cargo',
    build: async ({ sources, out, scratch, log }) => {
      const env = { CARGO_TARGET_DIR: scratch };
      await nice('cargo build', 'cargo', ['build', '--locked', '--quiet'], log, { cwd: sources, env });
      cpSync(join(scratch, 'debug', 'controllers'), join(out, 'controllers'));
    },
  },
  java: { needs: 'mvn', build: buildJava },
};

const LAUNCHER = 'surveys';

/** Builds a jar, its libraries, and a launcher; class data can be shared from jars only. */
async function buildJava(place: BuildPlace): Promise<void> {
  const { sources, out, scratch, log } = place;
  rmSync(scratch, { recursive: true });
  cpSync(sources, scratch, { recursive: true });
  const goals = ['compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  await nice('mvn', 'mvn', ['--quiet', '--batch-mode', ...goals], log, { cwd: scratch });
  await nice('jar', 'jar', ['cf', join(out, `${LAUNCHER}.jar`), '-C', 'target/classes', '.'], log, { cwd: scratch });
  cpSync(join(scratch, 'target', 'dependency'), join(out, 'lib'), { recursive: true });
  cpSync(join(sources, LAUNCHER), join(out, LAUNCHER));
  await archiveClasses(place, LAUNCHER);
}
