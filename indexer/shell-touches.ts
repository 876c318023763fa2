import type { TouchAction } from "../src/database/schema.ts";
import { type SimpleCommand, simpleCommands, type Word } from "./shell-words.ts";
import { absolutePath, isAnchored, looksLikePath, type TouchedFile } from "./touched-file.ts";

/** A script longer than this is data in disguise. */
export const MAX_SCRIPT = 64 << 10;

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
  tee: "write",
  rm: "delete",
  unlink: "delete",
  ls: "search",
};

/** Options of grep and rg whose value is the next argument. */
const GREP_VALUE =
  /^(?:-[A-Za-z]*[efABCmgtTdDM]|--(?:regexp|file|glob|iglob|type|type-not|max-count|context|after-context|before-context|include|exclude|exclude-dir|max-depth|color|sort))$/;
/** Those of them that are the pattern, so that the first argument is none. */
const GREP_PATTERN = /^(?:-[A-Za-z]*[ef]|--(?:regexp|file)(?:=.*)?|--files)$/;

/**
 * The files a shell script plainly names, resolved as the shell would, `cd` and all. It is sure rather than
 * complete: what depends on anything but the text of the script is left out.
 */
export function shellTouches(script: string, cwd: string): TouchedFile[] {
  if (script.length > MAX_SCRIPT || !/[/.]/.test(script)) return [];
  const files: TouchedFile[] = [];
  let here: string | null = cwd; // null when nobody knows where a `cd` led
  for (const command of simpleCommands(script) ?? []) {
    const touch = (word: Word | undefined, action: TouchAction): void => {
      if (!word?.plain || !looksLikePath(word.text)) return;
      if (here === null && !isAnchored(word.text)) return;
      const path = absolutePath(word.text, here ?? "");
      if (path !== null) files.push({ path, action });
    };
    for (const word of command.from) touch(word, "read");
    for (const word of command.to) touch(word, "write");
    const { name, words } = commandOf(command);
    if (name === "cd" || name === "pushd" || name === "popd") here = folderAfter(words, here);
    else touchArguments(name, words, touch);
  }
  return files;
}

type Touch = (word: Word | undefined, action: TouchAction) => void;

/** The command's name without its folder, and its arguments; assignments and `sudo` stand before it. */
function commandOf({ words }: SimpleCommand): { name: string; words: Word[] } {
  const first = words.findIndex(
    ({ text }) => !/^(?:[A-Za-z_]\w*=.*|sudo|env|command|time|nohup|!|\{)$/s.test(text),
  );
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
    for (const word of words) touch(word, alike);
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
    case "rg":
      grep(words, touch);
      break;
    case "find":
      for (const { text, plain } of words) {
        if (/^-[HLP]$/.test(text)) continue;
        if (/^[-(!]/.test(text)) break;
        touch({ text, plain }, "search");
      }
      break;
    case "git":
      git(words, touch);
      break;
  }
}

function hasOption(words: readonly Word[], option: RegExp): boolean {
  return words.some(({ text }) => option.test(text));
}

/** `cp` and `mv`: the last argument is what the others become, or the folder they go to. */
function copy(words: readonly Word[], from: TouchAction, touch: Touch): void {
  if (hasOption(words, /^(?:-[A-Za-z]*[tS]|--(?:target-directory|suffix).*)$/)) return;
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const target = operands.pop();
  if (!target || operands.length === 0) return;
  const intoFolder = operands.length > 1 || /(?:\/|^\.|\/\.|^\.\.|\/\.\.)$/.test(target.text);
  for (const source of operands) {
    touch(source, from);
    const name = source.text.replace(/\/+$/, "").split("/").at(-1);
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

/** `grep` and `rg`: the first argument is the pattern, unless an option brought one. */
function grep(words: readonly Word[], touch: Touch): void {
  let hasPattern = hasOption(words, GREP_PATTERN);
  for (let n = 0; n < words.length; n++) {
    const { text } = words[n] as Word;
    if (GREP_VALUE.test(text)) n++;
    else if (text.startsWith("-")) continue;
    else if (!hasPattern) hasPattern = true;
    else touch(words[n], "search");
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
      if (!hasOption(words, /^(?:-s|--source)/)) named(words, "write");
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
