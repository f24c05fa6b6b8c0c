/**
 * The controllers under test in Go, Java, Python and Rust.
 *
 *   node scripts/controllers.ts build [go|java|python|rust …]        builds them into the user's cache folder, unless they are up to date
 *   node scripts/controllers.ts run NAME [--budget 5m] [--seed N] [--stop-after N]     runs a campaign against one of the catalogue
 *
 * `npm run catalogue` checks all controllers of a language (scripts/check-catalogue.ts). The exit codes of `run` are those of `stalemate
 * run`.
 */
import { EXIT, HarnessError, renderStory, run, tellStory } from '../harness/index.ts';
import { controllers, nameOf, optionsFor } from './catalogue.ts';
import { buildLanguage, builtFolder, hasSources, LANGUAGES, missingProgram } from './controllers/builds.ts';
import { StepFailed } from './languages/processes.ts';
import { parseFlags } from './run-main.ts';

const { positionals, values } = parseFlags({
  allowPositionals: true,
  options: {
    budget: { type: 'string', default: '60s' },
    seed: { type: 'string' },
    'stop-after': { type: 'string' },
  },
});

async function build(languages: readonly string[]): Promise<number> {
  const unknown = languages.find((language) => !LANGUAGES.includes(language));
  if (unknown !== undefined) {
    console.error(`got "${unknown}", expected some of ${LANGUAGES.join(', ')}`);
    return EXIT.usage;
  }
  let failed = false;
  for (const language of languages.length > 0 ? languages : LANGUAGES.filter(hasSources)) {
    const missing = missingProgram(language);
    if (missing !== undefined) {
      const left = controllers.filter((entry) => entry.language === language).length;
      console.log(`${language}: "${missing}" is not installed; its ${left} controllers are skipped`);
      failed ||= languages.includes(language);
      continue;
    }
    const began = performance.now();
    try {
      const built = await buildLanguage(language);
      const how = built ? `built in ${((performance.now() - began) / 1000).toFixed(1)} s` : 'up to date';
      console.log(`${language}: ${how}: ${builtFolder(language)}`);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      console.error(`${language}: ${error.message}`);
      failed = true;
    }
  }
  return failed ? EXIT.inconclusive : EXIT.holds;
}

async function runOne(name: string): Promise<number> {
  const entry = controllers.find((candidate) => nameOf(candidate) === name);
  if (entry === undefined) {
    console.error(`got "${name}", expected one of ${controllers.map(nameOf).join(', ')}`);
    return EXIT.usage;
  }
  if (entry.language !== undefined) await buildLanguage(entry.language);
  const began = performance.now();
  const result = await run(
    optionsFor(entry, {
      budget: values.budget,
      ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
      ...(values['stop-after'] === undefined ? {} : { stopAfter: Number(values['stop-after']) }),
    }),
    {
      events: {
        onFinding: (finding) => {
          console.log(`\nafter ${((performance.now() - began) / 1000).toFixed(1)} s`);
          console.log(renderStory(tellStory(finding), { width: 120, color: false, replay: '' }));
        },
      },
    },
  );
  const { outcome, runs, elapsedMs, contention, inconclusive, warnings, seed } = result;
  console.log(`\n${name}: ${outcome}, ${runs} trials in ${(elapsedMs / 1000).toFixed(1)} s, seed ${seed}`);
  console.log(JSON.stringify({ contention, inconclusive, warnings }, null, 1));
  if (outcome === 'violated') return EXIT.violated;
  return outcome === 'holds' ? EXIT.holds : EXIT.inconclusive;
}

const [word, ...rest] = positionals;
try {
  if (word === 'build') process.exitCode = await build(rest);
  else if (word === 'run' && rest.length === 1) process.exitCode = await runOne(rest[0] ?? '');
  else {
    console.error(`got "${positionals.join(' ')}", expected "build [LANGUAGE …]" or "run NAME"`);
    process.exitCode = EXIT.usage;
  }
} catch (error) {
  if (!(error instanceof HarnessError || error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = EXIT.inconclusive;
}
