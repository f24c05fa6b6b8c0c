/**
 * Generates completion scripts from the tree of commands. The scripts do not call stalemate, so that TAB responds at once.
 *
 * Files are completed after `--`, where another program follows, and for values without a fixed set.
 */
import type { Shell } from './shells.ts';
import type { CompletionCommand, CompletionFlag } from './tree.ts';

type Tree = readonly CompletionCommand[];

export const SCRIPTS: { readonly [shell in Shell]: (tree: Tree) => string } = { bash, zsh, fish };

/** Generates the branch of a shell `case` that collects the commands on the line so far, word by word; it is the same in bash and zsh. */
function walk(tree: Tree): string {
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  return `      ${paths.join('|')}) at="\${at:+$at }$word" ;;`;
}

/** Generates the cases for values of flags, by command and flag. */
function valueCases(tree: Tree, offer: (values: readonly string[]) => string, files: string): readonly string[] {
  return tree.flatMap(({ path, flags }) => {
    const taking = flags.filter(({ takesValue }) => takesValue);
    const free = taking.filter(({ values }) => values.length === 0).map(({ name }) => `"${path} ${name}"`);
    return [
      ...taking
        .filter(({ values }) => values.length > 0)
        .map(({ name, values }) => `    "${path} ${name}") ${offer(values)}; return ;;`),
      ...(free.length === 0 ? [] : [`    ${free.join('|')}) ${files}; return ;;`]),
    ];
  });
}

function bash(tree: Tree): string {
  const words = tree.map(
    ({ path, flags, words: own }) =>
      `    "${path}") offered="${[...own, ...flags.map(({ name }) => name)].join(' ')}" ;;`,
  );
  return `# Completion of stalemate for bash: source <(stalemate completion bash)
_stalemate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" at="" offered="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [ "$word" = "--" ] && return
    case "\${at:+$at }$word" in
${walk(tree)}
    esac
  done
  case "$at $previous" in
${valueCases(tree, (values) => `COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current"))`, ':').join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _stalemate stalemate
`;
}

function zsh(tree: Tree): string {
  const of = new Map(tree.map((command) => [command.path, command.about]));
  const described = (path: string, words: readonly string[]): readonly string[] =>
    words.map((word) => zshWord(word, of.get(path === '' ? word : `${path} ${word}`) ?? ''));
  const offers = tree.map(({ path, flags, words }) => {
    const list = [...described(path, words), ...flags.map(({ name, about }) => zshWord(name, about))];
    return `    "${path}") offered=(${list.join(' ')}) ;;`;
  });
  return `#compdef stalemate
# Completion of stalemate for zsh: source <(stalemate completion zsh), or as _stalemate in a folder of fpath
_stalemate() {
  local at="" word i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [[ "$word" == "--" ]] && { _files; return }
    case "\${at:+$at }$word" in
${walk(tree)}
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${valueCases(tree, (values) => `compadd -- ${values.join(' ')}`, '_files').join('\n')}
  esac
  case "$at" in
${offers.join('\n')}
  esac
  _describe 'stalemate' offered || _files
}
if [[ "$funcstack[1]" == "_stalemate" ]]; then _stalemate "$@"; else compdef _stalemate stalemate; fi
`;
}

/** Formats a word with its description for zsh, where a colon separates them. */
function zshWord(word: string, about: string): string {
  const text = about === '' ? word : `${word}:${about.replaceAll(':', String.raw`\:`)}`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fish(tree: Tree): string {
  const lines = tree.flatMap((command) => {
    const { path, words, flags } = command;
    const when = fishCondition(command);
    return [
      ...words.map((word) => {
        const about = tree.find((one) => one.path === (path === '' ? word : `${path} ${word}`))?.about ?? '';
        return `complete -c stalemate -n '${when}' -f -a ${word}${described(about)}`;
      }),
      ...flags.map((flag) => `complete -c stalemate -n '${fishFlags(path)}' ${fishFlag(flag)}${described(flag.about)}`),
    ];
  });
  return `# Completion of stalemate for fish: stalemate completion fish | source\n${FISH_AT}\n${lines.join('\n')}\n`;
}

/** Returns the condition under which the words of a command are completed: after the command, and before any of these words. */
function fishCondition({ path, words }: CompletionCommand): string {
  if (path === '') return '__fish_use_subcommand';
  return `${fishFlags(path)}; and not __fish_seen_subcommand_from ${words.join(' ')}`;
}

function fishFlags(path: string): string {
  return path === '' ? '__fish_use_subcommand' : `__stalemate_at ${path}`;
}

/** A fish function that checks that its arguments are the first words of the line: "run" is both a command and a subcommand of "corpus". */
const FISH_AT = `function __stalemate_at
  set -l words (commandline -opc)
  for i in (seq (count $argv))
    set -l at (math $i + 1)
    test "$words[$at]" = "$argv[$i]"; or return 1
  end
end`;

function fishFlag({ name, takesValue, values }: CompletionFlag): string {
  const long = `-l ${name.slice(2)}`;
  if (!takesValue) return `-f ${long}`;
  return values.length === 0 ? `-r -F ${long}` : `-x ${long} -a '${values.join(' ')}'`;
}

function described(about: string): string {
  return about === '' ? '' : ` -d '${about.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
