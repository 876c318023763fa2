import type { TouchAction } from "../src/store/schema.ts";
import { extractJavascriptTouches, extractPythonTouches } from "./code-touches.ts";
import { extractPatchTouches } from "./patch-touches.ts";
import { parseShellCommands, type SimpleCommand, type Word } from "./shell-words.ts";
import { isAbsolutePath, looksLikePath, resolvePath, type TouchedFile } from "./touched-file.ts";

/** Longer scripts are not read: they are usually data. In characters. */
export const MAX_SCRIPT_CHARACTERS = 64 << 10;
/** Nesting of scripts that is read: each level is scanned again. */
const MAX_DEPTH = 4;

/** A name that counts as a file where only files are allowed. */
const NAME = /^[_.]*\p{L}[\p{L}\p{N}_.-]*$/u;

/** How a command uses its arguments. */
interface Command {
  /** What it does to its files; undefined if these arguments contain none. */
  action: TouchAction | ((words: readonly Word[]) => TouchAction | undefined);
  /** Every operand is a file, whatever its name. */
  isFile?: true;
  /** Options with a value. */
  hasValue?: RegExp;
  hasTwoValues?: RegExp;
  /** The first operand is a program, pattern or filter, unless an option matches this. */
  first?: RegExp;
  /** Operands that are not files. */
  noFile?: RegExp;
  /** Only operands after `--` are files. */
  afterDashes?: true;
}

const unless =
  (option: RegExp, action: TouchAction) =>
  (words: readonly Word[]): TouchAction | undefined =>
    hasOption(words, option) ? undefined : action;

/** jq's options with a name and a value. */
const JQ_VARIABLE = /^--(?:arg|argjson|slurpfile|rawfile)$/;

/** sed's options that contain the script. */
const SED_SCRIPT = /^(?:-[A-Za-z]*[ef]|--(?:expression|file)(?:=.*)?)$/;

const COMMANDS = byName<Command>({
  "cat wc": { action: "read", isFile: true },
  "head tail less more nl tac bat cmp cut file xxd strings md5sum sha256sum": { action: "read" },
  stat: { action: "read", noFile: /%/ }, // a format
  diff: {
    action: "read",
    hasValue: takesValue(
      "CDFILSUWXx exclude exclude-from from-file horizon-lines ifdef ignore-matching-lines label show-function-line starting-file tabsize to-file width",
    ),
  },
  tee: { action: "write", isFile: true },
  "rm unlink": { action: "delete", isFile: true },
  ls: { action: "search", hasValue: takesValue("I hide ignore") },
  tree: { action: "search", hasValue: takesValue("HILPTo charset filelimit gitfile infofile timefmt") },
  // With -r, -d or -t one of the arguments is a value.
  touch: { action: unless(/^-(?!-)[^acm]*[rdt]|^--/, "write") },
  sort: {
    action: unless(/^(?:-[a-z]*o|--output)/, "read"),
    hasValue: takesValue(
      "STkt batch-size buffer-size compress-program field-separator files0-from key parallel random-source sort temporary-directory",
    ),
  },
  "grep egrep fgrep": {
    action: "search",
    isFile: true,
    hasValue: takesValue(
      "ABCDdefm after-context before-context binary-files context devices directories exclude exclude-dir exclude-from file group-separator include label max-count regexp",
    ),
    first: /^(?:-[^-ABCDdefm]*[ef]|--(?:regexp|file)(?:=|$))/,
  },
  rg: {
    action: "search",
    isFile: true,
    hasValue: takesValue(
      "ABCEMTdefgjmrt after-context before-context color colors context context-separator dfa-size-limit encoding engine field-context-separator field-match-separator file generate glob hostname-bin hyperlink-format iglob ignore-file max-columns max-count max-depth max-filesize maxdepth path-separator pre pre-glob regex-size-limit regexp replace sort sortr threads type type-add type-clear type-not",
    ),
    first: /^(?:-[^-ABCEMTdefgjmrt]*[ef]|--(?:regexp|file)(?:=|$)|--(?:files|type-list)$)/,
  },
  sed: {
    action: (words) => (hasOption(words, /^(?:-[nErsuz]*i.*|--in-place.*)$/) ? "edit" : "read"),
    hasValue: /^(?:-[A-Za-z]*[ef]|--(?:expression|file))$/,
    first: SED_SCRIPT,
  },
  // Switches without a value may precede one with a value: `-0777pe`.
  perl: {
    action: (words) => (hasOption(words, /^-[acnpswltTuUWX\d]*i/) ? "edit" : undefined),
    hasValue: /^(?:-[acnpswltTuUWX\d]*[eE]|-I)$/,
    first: /^-[acnpswltTuUWX\d]*[eE]/,
  },
  "awk gawk mawk": {
    action: "read",
    hasValue: takesValue("EFefilv assign exec field-separator file include load source"),
    first: /^(?:-[Eef]|--(?:exec|file|source)(?:=|$))/,
    noFile: /^[A-Za-z_]\w*=/, // an assignment, such as `FS=/`
  },
  jq: {
    action: unless(/^--(?:args|jsonargs)$/, "read"),
    hasValue: takesValue("Lf from-file indent library-path"),
    hasTwoValues: JQ_VARIABLE,
    first: /^(?:-f|--from-file(?:=|$))/,
  },
  yq: {
    action: unless(/^-[a-z]*i|^--(?:args|jsonargs|inplace)$/, "read"),
    hasValue: takesValue(
      "Ifops csv-separator expression from-file front-matter indent input-format output-format properties-separator split-exp split-exp-file",
    ),
    hasTwoValues: JQ_VARIABLE,
    first: /^--(?:expression|from-file)(?:=|$)/,
  },
  "git-add": { action: "use" },
  "git-rm": { action: (words) => (hasOption(words, /^--cached$/) ? "use" : "delete") },
  "git-restore": {
    action(words) {
      if (hasOption(words, /^(?:-s|--source)/)) return undefined;
      const isStaged = hasOption(words, /^(?:-[A-Z]*S|--staged$)/);
      return isStaged && !hasOption(words, /^(?:-[A-Z]*W|--worktree$)/) ? "use" : "write";
    },
  },
  "git-checkout": { action: "write", afterDashes: true },
  "git-diff git-log git-show": { action: "read", afterDashes: true },
});

/** A map from each of the names in a key to its value. */
export function byName<V>(values: Record<string, V>): Map<string, V> {
  return new Map(
    Object.entries(values).flatMap(([names, value]) => names.split(" ").map((name) => [name, value])),
  );
}

/** Matches options that take the next argument as their value: letters of short ones, which may end a group, then long names. */
function takesValue(options: string): RegExp {
  const [letters, ...names] = options.split(" ");
  return new RegExp(`^(?:-[^-${letters}]*[${letters}]|--(?:${names.join("|")}))$`);
}

/** A program that runs code from its command line or from a here-document. */
interface Interpreter {
  names: RegExp;
  option: RegExp;
  /** Other options that have a value. */
  hasValue: RegExp;
  touches: (code: string, cwd: string, depth: number) => TouchedFile[];
}

const INTERPRETERS: Interpreter[] = [
  {
    names: /^python[\d.]*$/,
    option: /^-\w*c$/,
    hasValue: takesValue("WX check-hash-based-pycs"),
    touches: (code, cwd) => extractPythonTouches(code, cwd),
  },
  {
    names: /^(?:node|bun|deno)$/,
    option: /^(?:-\w*[ep]|--eval|--print)$/,
    hasValue: takesValue(
      "Cr conditions cwd env-file experimental-loader import input-type loader preload require",
    ),
    touches: (code, cwd) => extractJavascriptTouches(code, cwd),
  },
  {
    names: /^(?:ba|z|da|k)?sh$/,
    option: /^-\w*c$/,
    hasValue: /^(?:[-+]\w*[oO]|--(?:init-file|rcfile))$/,
    touches: extractShellTouches,
  },
];
/** Quick check for commands that may take code or a patch. */
const TAKES_CODE = /^(?:python|node|bun|deno|apply_?patch|patch|git|[bzdk]?a?sh)/;
/** Programs that read a patch from their input. */
const PATCHES = /^(?:apply_patch|applypatch|patch|git apply)$/;
/** Their options that change no file, unless combined with `--apply`. */
const LEAVES_FILES = /^--(?:cached|check|dry-run|numstat|stat|summary)$/;

/**
 * The files that a shell script literally names, resolved as the shell would, including `cd`. Paths that depend on anything
 * but the script's text are left out: no result is a guess.
 *
 * @param depth number of scripts around this one
 */
export function extractShellTouches(script: string, cwd: string, depth = 0): TouchedFile[] {
  if (script.length > MAX_SCRIPT_CHARACTERS || depth > MAX_DEPTH) return [];
  const files: TouchedFile[] = [];
  let here: string | null = cwd; // null if the target of a `cd` is unknown
  const pushed: (string | null)[] = []; // by `pushd`
  const outer: (string | null)[] = []; // outside the current subshells
  for (const command of parseShellCommands(script) ?? []) {
    if (command.subshell === "begin") outer.push(here);
    else if (command.subshell === "end") here = outer.pop() as string | null;
    const touch: Touch = (word, action, isFile) => {
      const path = resolveWord(word, here, isFile);
      if (path !== null) files.push({ path, action });
    };
    for (const word of command.inputFiles) touch(word, "read", true);
    for (const word of command.outputFiles) touch(word, "write", true);
    const { name, words } = splitCommand(command);
    if (name === "pushd") pushed.push(here);
    if (name === "popd") here = words.length === 0 ? (pushed.pop() ?? null) : null;
    else if (name === "cd" || name === "pushd") here = folderAfter(words, here);
    else touchArguments(name, words, touch);
    if (here === null || !TAKES_CODE.test(name)) continue;
    for (const file of codeTouches(name, words, command.hereDocument, here, depth)) files.push(file);
  }
  return files;
}

/** Touches of the code or the patch that a command runs. */
function codeTouches(
  name: string,
  words: readonly Word[],
  input: string | undefined,
  cwd: string,
  depth: number,
): TouchedFile[] {
  const program = name === "git" ? `git ${words[0]?.text}` : name;
  if (PATCHES.test(program)) {
    const patch = input ?? (name.startsWith("apply") ? words[0]?.text : undefined) ?? "";
    if (hasOption(words, LEAVES_FILES) && !hasOption(words, /^--apply$/)) return [];
    const strip = /^(?:patch|git)/.test(program);
    return strip || patch.includes("***") ? [...extractPatchTouches(patch, cwd)] : [];
  }
  const interpreter = INTERPRETERS.find(({ names }) => names.test(name));
  if (!interpreter) return [];
  const code = interpretedCode(interpreter, words, input);
  return code === undefined ? [] : interpreter.touches(code, cwd, depth + 1);
}

/** The code that an interpreter runs; undefined if it runs a file. Arguments after the first operand belong to that file. */
function interpretedCode(
  { option, hasValue }: Interpreter,
  words: readonly Word[],
  input: string | undefined,
): string | undefined {
  for (let n = 0; n < words.length; n++) {
    const { text } = words[n] as Word;
    if (option.test(text)) return words[n + 1]?.text;
    if (hasValue.test(text)) n++;
    else if (!/^[-+]/.test(text)) return undefined;
  }
  return input;
}

/** `isFile`: only a file is allowed in this position. */
export type Touch = (word: Word | undefined, action: TouchAction, isFile?: boolean) => void;

/** Prefixes of a command that don't change its meaning. */
const PREFIX = /^(?:[A-Za-z_]\w*=.*|sudo|env|command|time|nohup|nice|exec|!|\{)$/s;

/** The command's name without its folder, and its arguments. Assignments, `sudo` and the like are skipped. */
function splitCommand({ words }: SimpleCommand): { name: string; words: Word[] } {
  let first = words.findIndex(({ text }) => !PREFIX.test(text));
  // `timeout -k 5 30s` and the like.
  if (words[first]?.text === "timeout") {
    const limit = words.findIndex(
      ({ text }, n) => n > first && /^[\d.]+[smhd]?$/.test(text) && words[n - 1]?.text !== "-k",
    );
    first = limit < 0 ? words.length : limit + 1;
  }
  const name = words[first];
  if (!name?.isLiteral) return { name: "", words: [] };
  return { name: name.text.slice(name.text.lastIndexOf("/") + 1), words: words.slice(first + 1) };
}

/** The path that a word of a script names, if it is literal. `isFile` as in `Touch`. */
export function resolveWord(
  word: Word | undefined,
  workingDir: string | null,
  isFile?: boolean,
): string | null {
  if (!word?.isLiteral || !(looksLikePath(word.text) || (isFile && NAME.test(word.text)))) return null;
  return enterFolder(word, workingDir);
}

/** The working directory after `cd` to a folder; null if unknown. */
export function enterFolder({ text, isLiteral }: Word, workingDir: string | null): string | null {
  if (!isLiteral || (workingDir === null && !isAbsolutePath(text))) return null;
  return resolvePath(text, workingDir ?? "");
}

function folderAfter(words: readonly Word[], workingDir: string | null): string | null {
  const [folder = { text: "~", isLiteral: true }, more] = words.filter(({ text }) => text !== "--");
  return more || /^[-+]/.test(folder.text) ? null : enterFolder(folder, workingDir);
}

/** Touches the file arguments of a program that exists in every shell, by its name. */
export function touchArguments(name: string, words: readonly Word[], touch: Touch): void {
  const [first, ...rest] = words;
  switch (name) {
    case "cp":
      copy(words, "read", touch);
      break;
    case "mv":
      copy(words, "delete", touch);
      break;
    case "find":
      for (const word of words) {
        if (/^-[HLP]$/.test(word.text)) continue;
        if (/^[-(!]/.test(word.text)) break;
        touch(word, "search", true);
      }
      break;
    case "git":
      if (first?.text === "mv") copy(rest, "delete", touch);
      else touchOperands(COMMANDS.get(`git-${first?.text}`), rest, touch);
      break;
    case "ln":
      if (words.filter(({ text }) => !text.startsWith("-")).length === 2) touch(words.at(-1), "write");
      break;
    case "curl":
      touchOutput(words, /^(?:-[A-Za-z]*o|--output)$/, touch);
      break;
    case "wget":
      touchOutput(words, /^(?:-[A-Za-z]*O|--output-document)$/, touch);
      break;
    case "sed":
      touchOperands(COMMANDS.get(name), withoutSuffix(words), touch);
      break;
    case "yq":
      touchOperands(
        COMMANDS.get(name),
        /^(?:e|ea|eval|eval-all)$/.test(first?.text ?? "") ? rest : words,
        touch,
      );
      break;
    default:
      touchOperands(COMMANDS.get(name), words, touch);
  }
}

/** The arguments of `sed` without the suffix of a backup, or the empty string, that -i takes on macOS. */
function withoutSuffix(words: readonly Word[]): Word[] {
  const hasScript = hasOption(words, SED_SCRIPT);
  const isSuffix = (text: string, before = ""): boolean =>
    /^\.\w+$/.test(text) && /^-[nErsuz]*i$/.test(before);
  return words.filter(({ text }, n) => text !== "" && (hasScript || !isSuffix(text, words[n - 1]?.text)));
}

function touchOperands(command: Command | undefined, words: readonly Word[], touch: Touch): void {
  if (!command) return;
  const { action, isFile, hasValue, hasTwoValues, first, noFile, afterDashes } = command;
  const taken = typeof action === "string" ? action : action(words);
  if (!taken) return;
  const dashes = words.findIndex(({ text }) => text === "--");
  let isFirst = first !== undefined && !hasOption(words, first);
  for (let n = !afterDashes ? 0 : dashes < 0 ? words.length : dashes; n < words.length; n++) {
    const word = words[n] as Word;
    if (hasTwoValues?.test(word.text)) n += 2;
    else if (hasValue?.test(word.text)) n++;
    else if (word.text.startsWith("-")) continue;
    else if (isFirst) isFirst = false;
    else if (!noFile?.test(word.text)) touch(word, taken, isFile);
  }
}

function hasOption(words: readonly Word[], option: RegExp): boolean {
  return words.some(({ text }) => option.test(text));
}

/** Touches the output file of an option. */
function touchOutput(words: readonly Word[], option: RegExp, touch: Touch): void {
  const at = words.findIndex(({ text }) => option.test(text));
  if (at >= 0) touch(words[at + 1], "write");
}

/** `cp` and `mv`: the last argument is the new path or the target folder. */
function copy(words: readonly Word[], from: TouchAction, touch: Touch): void {
  if (hasOption(words, /^(?:-[A-Za-z]*S|--(?:target-directory|suffix).*)$/)) return;
  const named = words.findIndex(({ text }) => /^-[A-Za-z]*t$/.test(text));
  const folder = named < 0 ? undefined : words[named + 1];
  const operands = words.filter((word) => !word.text.startsWith("-") && word !== folder);
  const target = folder ?? operands.pop();
  if (!target || operands.length === 0) return;
  const intoFolder = folder || operands.length > 1 || /(?:\/|^\.|\/\.|^\.\.|\/\.\.)$/.test(target.text);
  for (const source of operands) {
    touch(source, from);
    const name = source.text.split("/").findLast(Boolean) ?? "";
    const text = intoFolder ? `${target.text}/${name}` : target.text;
    touch({ text, isLiteral: target.isLiteral && (source.isLiteral || !intoFolder) }, "write");
  }
}
