import type { TouchAction } from "../src/store/sqlite/schema.ts";
import { extractJavascriptTouches } from "./javascript-touches.ts";
import { extractPatchTouches } from "./patch-touches.ts";
import { extractPythonTouches } from "./python-touches.ts";
import { parseShellCommands, type SimpleCommand, type Word } from "./shell-words.ts";
import { isAbsolutePath, looksLikePath, resolvePath, type TouchedFile } from "./touched-file.ts";

/** Longer scripts are not read: they are usually data. In characters. */
export const MAX_SCRIPT_CHARACTERS = 64 << 10;
/** Nesting of scripts that is read: each level is scanned again. */
const MAX_DEPTH = 4;

/** Commands that do the same to all arguments that look like paths. */
const ACTIONS: Record<string, TouchAction> = {
  cat: "read",
  head: "read",
  tail: "read",
  less: "read",
  more: "read",
  wc: "read",
  nl: "read",
  tac: "read",
  bat: "read",
  diff: "read",
  cmp: "read",
  cut: "read",
  stat: "read",
  file: "read",
  xxd: "read",
  strings: "read",
  md5sum: "read",
  sha256sum: "read",
  tee: "write",
  rm: "delete",
  unlink: "delete",
  ls: "search",
  tree: "search",
};

/** Commands above without options that have values: every other argument is a file, whatever its name. */
const FILES_ONLY = new Set(["cat", "wc", "tee", "rm", "unlink"]);
/** A name that counts as a file where only files are allowed. */
const NAME = /^[_.]*\p{L}[\p{L}\p{N}_.-]*$/u;

/** Matches options that take the next argument as their value: by letters of short options, which may end a group, and by long names. */
function takesValue(letters: string, longNames: string): RegExp {
  return new RegExp(`^(?:-[^-${letters}]*[${letters}]|--(?:${longNames.replaceAll(" ", "|")}))$`);
}

/** Options with values of the commands above. */
const ACTION_VALUES: Record<string, RegExp> = {
  diff: takesValue(
    "CDFILSUWXx",
    "exclude exclude-from from-file horizon-lines ifdef ignore-matching-lines label show-function-line starting-file tabsize to-file width",
  ),
  ls: takesValue("I", "hide ignore"),
  tree: takesValue("HILPTo", "charset filelimit gitfile infofile timefmt"),
};

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
    hasValue: takesValue("WX", "check-hash-based-pycs"),
    touches: (code, cwd) => extractPythonTouches(code, cwd),
  },
  {
    names: /^(?:node|bun|deno)$/,
    option: /^(?:-\w*[ep]|--eval|--print)$/,
    hasValue: takesValue(
      "Cr",
      "conditions cwd env-file experimental-loader import input-type loader preload require",
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

const GREP_VALUE = takesValue(
  "ABCDdefm",
  "after-context before-context binary-files context devices directories exclude exclude-dir exclude-from file group-separator include label max-count regexp",
);
/** Options that contain the pattern, so that all arguments are files. */
const GREP_PATTERN = /^(?:-[^-ABCDdefm]*[ef]|--(?:regexp|file)(?:=|$))/;
const RG_VALUE = takesValue(
  "ABCEMTdefgjmrt",
  "after-context before-context color colors context context-separator dfa-size-limit encoding engine field-context-separator field-match-separator file generate glob hostname-bin hyperlink-format iglob ignore-file max-columns max-count max-depth max-filesize maxdepth path-separator pre pre-glob regex-size-limit regexp replace sort sortr threads type type-add type-clear type-not",
);
const RG_PATTERN = /^(?:-[^-ABCEMTdefgjmrt]*[ef]|--(?:regexp|file)(?:=|$)|--(?:files|type-list)$)/;

const SORT_VALUE = takesValue(
  "STkt",
  "batch-size buffer-size compress-program field-separator files0-from key parallel random-source sort temporary-directory",
);
const AWK_VALUE = takesValue("EFefilv", "assign exec field-separator file include load source");
const JQ_VALUE = takesValue("Lf", "from-file indent library-path");
const YQ_VALUE = takesValue(
  "Ifops",
  "csv-separator expression from-file front-matter indent input-format output-format properties-separator split-exp split-exp-file",
);
/** perl's switches without a value may precede one with a value: `-0777pe`. */
const PERL_CODE = /^-[acnpswltTuUWX\d]*[eE]/;
const PERL_IN_PLACE = /^-[acnpswltTuUWX\d]*i/;
const PERL_VALUE = /^(?:-[acnpswltTuUWX\d]*[eE]|-I)$/;

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
      if (!word?.isLiteral || !(looksLikePath(word.text) || (isFile && NAME.test(word.text)))) return;
      if (here === null && !isAbsolutePath(word.text)) return;
      const path = resolvePath(word.text, here ?? "");
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
type Touch = (word: Word | undefined, action: TouchAction, isFile?: boolean) => void;

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

/** The working directory after `cd`; null if unknown. */
function folderAfter(words: readonly Word[], here: string | null): string | null {
  const [folder = { text: "~", isLiteral: true }, more] = words.filter(({ text }) => text !== "--");
  if (more || !folder.isLiteral || /^[-+]/.test(folder.text)) return null;
  if (here === null && !isAbsolutePath(folder.text)) return null;
  return resolvePath(folder.text, here ?? "");
}

/** Touches the file arguments of a program that exists in every shell, by its name. */
export function touchArguments(name: string, words: readonly Word[], touch: Touch): void {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action) {
    const isFile = FILES_ONLY.has(name);
    for (const word of withoutValues(words, ACTION_VALUES[name])) {
      // Formats of `stat` contain %.
      if (name !== "stat" || !word.text.includes("%")) touch(word, action, isFile);
    }
    return;
  }
  switch (name) {
    case "touch":
      // With -r, -d or -t one of the arguments is a value.
      if (!hasOption(words, /^-(?!-)[^acm]*[rdt]|^--/)) for (const word of words) touch(word, "write");
      break;
    case "cp":
      copy(words, "read", touch);
      break;
    case "mv":
      copy(words, "delete", touch);
      break;
    case "sed":
      sed(words, touch);
      break;
    case "grep":
    case "egrep":
    case "fgrep":
      afterFirst(words, GREP_VALUE, GREP_PATTERN, (word) => touch(word, "search", true));
      break;
    case "rg":
      afterFirst(words, RG_VALUE, RG_PATTERN, (word) => touch(word, "search", true));
      break;
    case "find":
      for (const { text, isLiteral } of words) {
        if (/^-[HLP]$/.test(text)) continue;
        if (/^[-(!]/.test(text)) break;
        touch({ text, isLiteral }, "search", true);
      }
      break;
    case "git":
      git(words, touch);
      break;
    case "ln":
      if (words.filter(({ text }) => !text.startsWith("-")).length === 2) touch(words.at(-1), "write");
      break;
    case "sort":
      if (!hasOption(words, /^(?:-[a-z]*o|--output)/)) {
        for (const word of withoutValues(words, SORT_VALUE)) touch(word, "read");
      }
      break;
    case "perl":
      if (hasOption(words, PERL_IN_PLACE)) {
        afterFirst(words, PERL_VALUE, PERL_CODE, (word) => touch(word, "edit"));
      }
      break;
    case "awk":
    case "gawk":
    case "mawk":
      afterFirst(words, AWK_VALUE, /^(?:-[Eef]|--(?:exec|file|source)(?:=|$))/, (word) => {
        // `FS=/` among the files is an assignment.
        if (!/^[A-Za-z_]\w*=/.test(word.text)) touch(word, "read");
      });
      break;
    case "jq":
      if (!hasOption(words, /^--(?:args|jsonargs)$/)) {
        afterFirst(
          words,
          JQ_VALUE,
          /^(?:-f|--from-file(?:=|$))/,
          (word) => touch(word, "read"),
          /^--(?:arg|argjson|slurpfile|rawfile)$/,
        );
      }
      break;
    case "yq":
      if (!hasOption(words, /^-[a-z]*i|^--(?:args|jsonargs|inplace)$/)) {
        const [command] = words;
        const isNamed = command !== undefined && /^(?:e|ea|eval|eval-all)$/.test(command.text);
        afterFirst(
          isNamed ? words.slice(1) : words,
          YQ_VALUE,
          /^--(?:expression|from-file)(?:=|$)/,
          (word) => touch(word, "read"),
          /^--(?:arg|argjson|slurpfile|rawfile)$/,
        );
      }
      break;
    case "curl":
      touchOutput(words, /^(?:-[A-Za-z]*o|--output)$/, touch);
      break;
    case "wget":
      touchOutput(words, /^(?:-[A-Za-z]*O|--output-document)$/, touch);
      break;
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

/** The arguments that are neither options nor their values. */
function withoutValues(words: readonly Word[], hasValue: RegExp | undefined): Word[] {
  const rest: Word[] = [];
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as Word;
    if (hasValue?.test(word.text)) n++;
    else if (!word.text.startsWith("-")) rest.push(word);
  }
  return rest;
}

/** Touches files after a program, pattern or filter, which is the first argument unless an option contains it. */
function afterFirst(
  words: readonly Word[],
  hasValue: RegExp,
  containsFirst: RegExp,
  touch: (file: Word) => void,
  hasTwoValues?: RegExp,
): void {
  let hasFirst = hasOption(words, containsFirst);
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as Word;
    if (hasTwoValues?.test(word.text)) n += 2;
    else if (hasValue.test(word.text)) n++;
    else if (word.text.startsWith("-")) continue;
    else if (!hasFirst) hasFirst = true;
    else touch(word);
  }
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

/** `sed`: the first argument is its script, unless an option contains it. */
function sed(words: readonly Word[], touch: Touch): void {
  const inPlace = hasOption(words, /^(?:-[nErsuz]*i.*|--in-place.*)$/);
  let hasScript = hasOption(words, /^(?:-[A-Za-z]*[ef]|--(?:expression|file)(?:=.*)?)$/);
  for (let n = 0; n < words.length; n++) {
    const { text } = words[n] as Word;
    if (/^(?:-[A-Za-z]*[ef]|--(?:expression|file))$/.test(text)) n++;
    // On macOS, -i takes the suffix of a backup, or an empty string.
    else if (text === "" || (inPlace && !hasScript && /^\.\w+$/.test(text))) continue;
    else if (text.startsWith("-")) continue;
    else if (!hasScript) hasScript = true;
    else touch(words[n], inPlace ? "edit" : "read");
  }
}

function git([command, ...words]: readonly Word[], touch: Touch): void {
  const dashes = words.findIndex(({ text }) => text === "--");
  const named = (from: readonly Word[], action: TouchAction): void => {
    for (const word of from) touch(word, action);
  };
  switch (command?.text) {
    case "add":
      named(words, "use");
      break;
    case "rm":
      named(words, hasOption(words, /^--cached$/) ? "use" : "delete");
      break;
    case "mv":
      copy(words, "delete", touch);
      break;
    case "restore":
      if (!hasOption(words, /^(?:-s|--source)/)) {
        const isStaged = hasOption(words, /^(?:-[A-Z]*S|--staged$)/);
        named(words, isStaged && !hasOption(words, /^(?:-[A-Z]*W|--worktree$)/) ? "use" : "write");
      }
      break;
    case "checkout":
      if (dashes >= 0) named(words.slice(dashes), "write");
      break;
    case "diff":
    case "log":
    case "show":
      if (dashes >= 0) named(words.slice(dashes), "read");
      break;
  }
}
