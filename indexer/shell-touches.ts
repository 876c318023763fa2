import type { TouchAction } from "../src/store/sqlite/schema.ts";
import { javascriptTouches } from "./javascript-touches.ts";
import { patchTouches } from "./patch-touches.ts";
import { pythonTouches } from "./python-touches.ts";
import { type SimpleCommand, simpleCommands, type Word } from "./shell-words.ts";
import { absolutePath, isAnchored, looksLikePath, type TouchedFile } from "./touched-file.ts";

/** A script longer than this is data in disguise. */
export const MAX_SCRIPT = 64 << 10;
/** Scripts within scripts are read this many levels deep: each level is read again. */
const MAX_DEPTH = 4;

/** Commands of which every argument that looks like a path is one. */
const ALIKE: Record<string, TouchAction> = {
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

/** Those of them whose options have no values of their own: every other argument is a file, whatever it is called. */
const FILES_ONLY = new Set(["cat", "wc", "tee", "rm", "unlink"]);
/** A name that may be a file's where only a file can stand. */
const NAME = /^[_.]*\p{L}[\p{L}\p{N}_.-]*$/u;

/** Options whose value is the next argument: the letters of short ones, which may end a group, and the names of long ones. */
function takesValue(letters: string, longNames: string): RegExp {
  return new RegExp(`^(?:-[^-${letters}]*[${letters}]|--(?:${longNames.replaceAll(" ", "|")}))$`);
}

/** Options with values of the commands above. */
const ALIKE_VALUES: Record<string, RegExp> = {
  diff: takesValue(
    "CDFILSUWXx",
    "exclude exclude-from from-file horizon-lines ifdef ignore-matching-lines label show-function-line starting-file tabsize to-file width",
  ),
  ls: takesValue("I", "hide ignore"),
  tree: takesValue("HILPTo", "charset filelimit gitfile infofile timefmt"),
};

/** An interpreter: by what reads its code, on the command line after an option, or in a here-document. */
interface Interpreter {
  names: RegExp;
  option: RegExp;
  /** Other options with a value. */
  hasValue: RegExp;
  touches: (code: string, cwd: string, depth: number) => TouchedFile[];
}

const INTERPRETERS: Interpreter[] = [
  {
    names: /^python[\d.]*$/,
    option: /^-\w*c$/,
    hasValue: takesValue("WX", "check-hash-based-pycs"),
    touches: (code, cwd) => pythonTouches(code, cwd),
  },
  {
    names: /^(?:node|bun|deno)$/,
    option: /^(?:-\w*[ep]|--eval|--print)$/,
    hasValue: takesValue(
      "Cr",
      "conditions cwd env-file experimental-loader import input-type loader preload require",
    ),
    touches: (code, cwd) => javascriptTouches(code, cwd),
  },
  {
    names: /^(?:ba|z|da|k)?sh$/,
    option: /^-\w*c$/,
    hasValue: /^(?:[-+]\w*[oO]|--(?:init-file|rcfile))$/,
    touches: shellTouches,
  },
];
/** The beginnings of all that takes code or a patch: most commands have none of them. */
const TAKES_CODE = /^(?:python|node|bun|deno|apply_?patch|patch|git|[bzdk]?a?sh)/;
/** Programs that take a patch from their input. */
const PATCHES = /^(?:apply_patch|applypatch|patch|git apply)$/;
/** Options of theirs by which no file is changed, but with `--apply`. */
const LEAVES_FILES = /^--(?:cached|check|dry-run|numstat|stat|summary)$/;

const GREP_VALUE = takesValue(
  "ABCDdefm",
  "after-context before-context binary-files context devices directories exclude exclude-dir exclude-from file group-separator include label max-count regexp",
);
/** Those of them that bring the pattern, so that the first argument is none. */
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
/** perl's switches without a value may stand before one that has it: `-0777pe`. */
const PERL_CODE = /^-[acnpswltTuUWX\d]*[eE]/;
const PERL_IN_PLACE = /^-[acnpswltTuUWX\d]*i/;
const PERL_VALUE = /^(?:-[acnpswltTuUWX\d]*[eE]|-I)$/;

/**
 * The files a shell script plainly names, resolved as the shell would, `cd` and all. It is sure rather than
 * complete: what depends on anything but the text of the script is left out.
 *
 * @param depth how many scripts this one is within
 */
export function shellTouches(script: string, cwd: string, depth = 0): TouchedFile[] {
  if (script.length > MAX_SCRIPT || depth > MAX_DEPTH) return [];
  const files: TouchedFile[] = [];
  let here: string | null = cwd; // null when nobody knows where a `cd` led
  const left: (string | null)[] = []; // by `pushd`
  const outside: (string | null)[] = []; // of subshells
  for (const command of simpleCommands(script) ?? []) {
    if (command.subshell === "begin") outside.push(here);
    else if (command.subshell === "end") here = outside.pop() as string | null;
    const touch: Touch = (word, action, isFile) => {
      if (!word?.plain || !(looksLikePath(word.text) || (isFile && NAME.test(word.text)))) return;
      if (here === null && !isAnchored(word.text)) return;
      const path = absolutePath(word.text, here ?? "");
      if (path !== null) files.push({ path, action });
    };
    for (const word of command.from) touch(word, "read", true);
    for (const word of command.to) touch(word, "write", true);
    const { name, words } = commandOf(command);
    if (name === "pushd") left.push(here);
    if (name === "popd") here = words.length === 0 ? (left.pop() ?? null) : null;
    else if (name === "cd" || name === "pushd") here = folderAfter(words, here);
    else touchArguments(name, words, touch);
    if (here === null || !TAKES_CODE.test(name)) continue;
    for (const file of codeTouches(name, words, command.input, here, depth)) files.push(file);
  }
  return files;
}

/** What the code or patch does that a command is given. */
function codeTouches(
  name: string,
  words: readonly Word[],
  input: string | undefined,
  cwd: string,
  depth: number,
): TouchedFile[] {
  const whole = name === "git" ? `git ${words[0]?.text}` : name;
  if (PATCHES.test(whole)) {
    const patch = input ?? (name.startsWith("apply") ? words[0]?.text : undefined) ?? "";
    if (hasOption(words, LEAVES_FILES) && !hasOption(words, /^--apply$/)) return [];
    const strip = /^(?:patch|git)/.test(whole);
    return strip || patch.includes("***") ? [...patchTouches(patch, cwd)] : [];
  }
  const interpreter = INTERPRETERS.find(({ names }) => names.test(name));
  if (!interpreter) return [];
  const code = codeOf(interpreter, words, input);
  return code === undefined ? [] : interpreter.touches(code, cwd, depth + 1);
}

/** The code that an interpreter is given; undefined where it is in a file. What follows the first operand is for that file. */
function codeOf(
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

/** `isFile`: that nothing but a file can stand there. */
type Touch = (word: Word | undefined, action: TouchAction, isFile?: boolean) => void;

/** What stands before a command and leaves it as it is. */
const BEFORE = /^(?:[A-Za-z_]\w*=.*|sudo|env|command|time|nohup|nice|exec|!|\{)$/s;

/** The command's name without its folder, and its arguments; assignments and `sudo` stand before it. */
function commandOf({ words }: SimpleCommand): { name: string; words: Word[] } {
  let first = words.findIndex(({ text }) => !BEFORE.test(text));
  // `timeout -k 5 30s` and the like.
  if (words[first]?.text === "timeout") {
    const limit = words.findIndex(
      ({ text }, n) => n > first && /^[\d.]+[smhd]?$/.test(text) && words[n - 1]?.text !== "-k",
    );
    first = limit < 0 ? words.length : limit + 1;
  }
  const name = words[first];
  if (!name?.plain) return { name: "", words: [] };
  return { name: name.text.slice(name.text.lastIndexOf("/") + 1), words: words.slice(first + 1) };
}

/** Where `cd` leads. */
function folderAfter(words: readonly Word[], here: string | null): string | null {
  const [folder = { text: "~", plain: true }, more] = words.filter(({ text }) => text !== "--");
  if (more || !folder.plain || /^[-+]/.test(folder.text)) return null;
  if (here === null && !isAnchored(folder.text)) return null;
  return absolutePath(folder.text, here ?? "");
}

/** The files that are arguments of a program which is the same in every shell, by its name. */
export function touchArguments(name: string, words: readonly Word[], touch: Touch): void {
  const alike = Object.hasOwn(ALIKE, name) ? ALIKE[name] : undefined;
  if (alike) {
    const isFile = FILES_ONLY.has(name);
    for (const word of withoutValues(words, ALIKE_VALUES[name])) {
      // What `stat` is to print has a % for each figure.
      if (name !== "stat" || !word.text.includes("%")) touch(word, alike, isFile);
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
      for (const { text, plain } of words) {
        if (/^-[HLP]$/.test(text)) continue;
        if (/^[-(!]/.test(text)) break;
        touch({ text, plain }, "search", true);
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

/** The file that an option says output goes to. */
function touchOutput(words: readonly Word[], option: RegExp, touch: Touch): void {
  const at = words.findIndex(({ text }) => option.test(text));
  if (at >= 0) touch(words[at + 1], "write");
}

/** What is neither an option nor the value of one. */
function withoutValues(words: readonly Word[], hasValue: RegExp | undefined): Word[] {
  const rest: Word[] = [];
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as Word;
    if (hasValue?.test(word.text)) n++;
    else if (!word.text.startsWith("-")) rest.push(word);
  }
  return rest;
}

/** Files after a program, pattern or filter: the first argument, unless an option brought one. */
function afterFirst(
  words: readonly Word[],
  hasValue: RegExp,
  bringsFirst: RegExp,
  touch: (file: Word) => void,
  hasTwoValues?: RegExp,
): void {
  let hasFirst = hasOption(words, bringsFirst);
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as Word;
    if (hasTwoValues?.test(word.text)) n += 2;
    else if (hasValue.test(word.text)) n++;
    else if (word.text.startsWith("-")) continue;
    else if (!hasFirst) hasFirst = true;
    else touch(word);
  }
}

/** `cp` and `mv`: the last argument is what the others become, or the folder they go to. */
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
    touch({ text, plain: target.plain && (source.plain || !intoFolder) }, "write");
  }
}

/** `sed`: the first argument is its script, unless an option brought one. */
function sed(words: readonly Word[], touch: Touch): void {
  const inPlace = hasOption(words, /^(?:-[nErsuz]*i.*|--in-place.*)$/);
  let hasScript = hasOption(words, /^(?:-[A-Za-z]*[ef]|--(?:expression|file)(?:=.*)?)$/);
  for (let n = 0; n < words.length; n++) {
    const { text } = words[n] as Word;
    if (/^(?:-[A-Za-z]*[ef]|--(?:expression|file))$/.test(text)) n++;
    // What macOS wants after -i: how the copy's name ends, or nothing.
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
