/**
 * How the mutants of a compiled language are selected at run time, compiled and started.
 *
 * Owns: the compiler calls, their error output, and the helpers that mutants call. Packages come from the build of the controllers under
 * test.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.ts';
import { builtFolder } from '../controllers/builds.ts';
import { archiveClasses } from '../controllers/class-data.ts';

export interface Place {
  readonly sources: string;
  readonly out: string;
  readonly log: string;
}

/** A line of a source file that the compiler refuses. */
export interface Refusal {
  /** The end of the file's path, as the compiler prints it. */
  readonly file: string;
  readonly line: number;
}

export interface Compiler {
  /** The parts of a statement that selects a function body: its start, one arm per mutant, the original, and its end. */
  readonly choice: {
    readonly open: string;
    readonly arm: (id: string) => string;
    readonly after: string;
    readonly otherwise: string;
    readonly close: string;
  };
  /** Files to add, or text to append to existing files. */
  readonly support: readonly { readonly file: string; readonly text: string }[];
  /** Compiles the sources into the folder `out`. Returns the lines that the compiler refuses. */
  compile(place: Place): Promise<readonly Refusal[]>;
  /** Completes a build in its final folder. */
  finish?(place: Place): Promise<void>;
}

function goSupport(name: string): string {
  return `package ${name}

import (
	"fmt"
	"os"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var mutant = os.Getenv("MUTANT")

const atOnce = time.Millisecond

var done sync.Map

func seen(parts ...any) bool {
	_, known := done.LoadOrStore(fmt.Sprint(parts...), true)
	return known
}

func ignoreConflict(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func ignoreAny(error) error { return nil }

func die(err error) error {
	if err != nil {
		os.Exit(1)
	}
	return nil
}
`;
}

const RUST_SUPPORT = `
/// Returns the id of the selected mutant, from the environment.
pub fn mutant() -> &'static str {
    static ID: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ID.get_or_init(|| std::env::var("MUTANT").unwrap_or_default())
}

pub fn conflicts(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(one) = cause {
        if let Some(kube::Error::Api(status)) = one.downcast_ref::<kube::Error>() {
            return status.code == 409;
        }
        cause = one.source();
    }
    false
}
`;

const JAVA_SUPPORT = `package com.example.surveys;

final class Mutant {
  static final String ID = String.valueOf(System.getenv("MUTANT"));

  private Mutant() {}
}
`;

interface Ran {
  readonly code: number;
  readonly output: string;
}

function ran(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Ran {
  const { status, stdout, stderr, error } = spawnSync('nice', [file, ...args], {
    ...options,
    env: { ...process.env, ...options.env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (error !== undefined) throw error;
  return { code: status ?? 1, output: stdout + stderr };
}

/** Parses the lines that a compiler refuses from its output, with a pattern that has the groups `file` and `line`. */
function refusals({ code, output }: Ran, pattern: RegExp): readonly Refusal[] {
  if (code === 0) return [];
  const found = [...output.matchAll(pattern)].map(({ groups }) => ({
    file: groups?.['file'] ?? '',
    line: Number(groups?.['line']),
  }));
  if (found.length === 0) throw new Error(output.slice(-2000));
  return found;
}

export const COMPILERS: { readonly [language in 'go' | 'java' | 'rust']: Compiler } = {
  go: {
    choice: {
      open: '{\nswitch mutant {\n',
      arm: (id) => `case "${id}":\n`,
      after: '',
      otherwise: 'default:\n',
      close: '}\n}',
    },
    support: [
      { file: 'common/mutant.go', text: goSupport('common') },
      { file: 'correct/mutant.go', text: goSupport('correct') },
    ],
    compile: ({ sources, out }) => {
      const args = ['build', '-gcflags=-e', '-ldflags=-s -w', '-o', `${out}/`, '.'];
      return Promise.resolve(
        refusals(ran('go', args, { cwd: sources }), /^(?:\.\/)?(?<file>[\w/-]+\.go):(?<line>\d+):\d+: /gm),
      );
    },
  },
  rust: {
    choice: {
      open: '{\nmatch crate::mutant() {\n',
      arm: (id) => `"${id}" =>`,
      after: '',
      otherwise: '_ =>',
      close: '}\n}',
    },
    support: [{ file: 'main.rs', text: RUST_SUPPORT }],
    compile: ({ sources, out }) => {
      // The packages are already compiled in this folder.
      const target = cacheFolder('controllers', 'rust-scratch');
      const args = ['build', '--locked', '--quiet', '--message-format', 'short'];
      const result = ran('cargo', args, { cwd: sources, env: { CARGO_TARGET_DIR: target, RUSTFLAGS: '' } });
      const refused = refusals(result, /^(?<file>[\w/-]+\.rs):(?<line>\d+):\d+: error/gm);
      if (refused.length === 0) cpSync(join(target, 'debug', 'controllers'), join(out, 'controllers'));
      return Promise.resolve(refused);
    },
  },
  java: {
    choice: {
      open: '{\nswitch (Mutant.ID) {\n',
      arm: (id) => `case "${id}" ->`,
      after: '',
      otherwise: 'default ->',
      close: '}\n}',
    },
    support: [{ file: 'common/Mutant.java', text: JAVA_SUPPORT }],
    compile: ({ sources, out }) => {
      const built = builtFolder('java');
      const classes = join(sources, 'classes');
      rmSync(classes, { recursive: true, force: true });
      mkdirSync(classes);
      const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.java'),
      );
      const args = [
        '-d',
        classes,
        '-cp',
        `${built}/lib/*`,
        '--release',
        '17',
        '-proc:none',
        '-Xmaxerrs',
        '1000',
        '-nowarn',
        ...files,
      ];
      const refused = refusals(ran('javac', args, { cwd: sources }), /^(?<file>[\w/-]+\.java):(?<line>\d+): error/gm);
      if (refused.length === 0) {
        ran('jar', ['cf', join(out, 'surveys.jar'), '-C', classes, '.'], { cwd: sources });
        cpSync(join(built, 'lib'), join(out, 'lib'), { recursive: true });
        cpSync(join(built, 'surveys'), join(out, 'surveys'));
      }
      return Promise.resolve(refused);
    },
    finish: async ({ sources, out, log }) => {
      const scratch = `${out}.scratch`;
      mkdirSync(scratch, { recursive: true });
      // The archive contains the paths of its jars, so it is written in their final folder.
      await archiveClasses({ sources, out, scratch, log }, 'surveys');
      rmSync(scratch, { recursive: true, force: true });
    },
  },
};
