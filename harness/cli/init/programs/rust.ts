/** Detects programs in Rust with kube-rs: a debug build of the binary in the package that uses its runtime. */
import { posix } from 'node:path';
import type { Repository } from '../repository.ts';
import type { Program } from './program.ts';

export function rustProgram(repository: Repository): Program | undefined {
  const manifests = repository.files.filter((file) => posix.basename(file) === 'Cargo.toml');
  const manifest = manifests.find((file) => /^\s*(?:\[.*dependencies\.)?kube\b/m.test(repository.text(file)));
  if (manifest === undefined) return undefined;
  const text = repository.text(manifest);
  const names = [...text.matchAll(/^\[\[bin\]\][^[]*?^name\s*=\s*"([^"]+)"/gms)].map(([, name]) => name ?? '');
  const binaries = names.filter((name) => !/crd/i.test(name));
  const binary = binaries[0] ?? /^name\s*=\s*"([^"]+)"/m.exec(text)?.[1] ?? 'controller';
  return {
    language: 'Rust, kube-rs',
    command: [`target/debug/${binary}`],
    elects: false,
    build: ['cargo', 'build', '--bin', binary],
    setUp: 'rust',
    notes:
      binaries.length > 1
        ? [`${binary} is taken for the controller; there are also ${binaries.slice(1).join(', ')}`]
        : [],
  };
}
