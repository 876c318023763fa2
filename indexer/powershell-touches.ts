import type { TouchAction } from "../src/store/schema.ts";
import { parsePowershellCommands } from "./powershell-words.ts";
import {
  byName,
  enterFolder,
  MAX_SCRIPT_CHARACTERS,
  resolveWord,
  type Touch,
  touchArguments,
} from "./shell-touches.ts";
import type { Word } from "./shell-words.ts";
import type { TouchedFile } from "./touched-file.ts";

/** Actions of a command on its first argument, and on the others. */
interface Cmdlet {
  first?: TouchAction;
  rest?: TouchAction;
  /** Its action on the value of `-Destination`. */
  destination?: TouchAction;
}

/** Cmdlets with file arguments, and their aliases. Some aliases exist only on Windows. */
const CMDLETS = byName<Cmdlet>({
  "get-content gc cat type import-csv ipcsv get-filehash": { first: "read", rest: "read" },
  "set-content sc add-content ac out-file tee-object tee export-csv epcsv new-item ni": { first: "write" },
  "remove-item ri rm rmdir del erase rd": { first: "delete", rest: "delete" },
  "get-childitem gci ls dir": { first: "search", rest: "search" },
  "select-string sls": { rest: "search" }, // the first argument is the pattern
  "copy-item copy cpi cp": { first: "read", rest: "write", destination: "write" },
  "move-item move mi mv": { first: "delete", rest: "write", destination: "write" },
});
const RENAMES = new Set(["rename-item", "rni", "ren"]);
const CHANGES_FOLDER = new Set(["set-location", "sl", "cd", "chdir", "push-location", "pushd"]);
const LEAVES_FOLDER = new Set(["pop-location", "popd"]);

/** Parameters without a value. All others have one. */
const SWITCHES =
  /^-(?:recurse|force|raw|append|nonewline|noclobber|passthru|file|directory|hidden|name|quiet|list|allmatches|simplematch|casesensitive|notmatch|wait|whatif|confirm|verbose|debug|r|f)(?::.*)?$/i;
const PATHS = /^-(?:path|literalpath|lp|pspath|filepath|p)$/i;

/** The files that a PowerShell script literally names, resolved as the shell would. Computed paths are left out, as in `extractShellTouches`. */
export function extractPowershellTouches(script: string, cwd: string): TouchedFile[] {
  if (script.length > MAX_SCRIPT_CHARACTERS) return [];
  const files: TouchedFile[] = [];
  let workingDir: string | null = cwd; // null if the target of a `cd` is unknown
  for (const { words: all, outputFiles } of parsePowershellCommands(script) ?? []) {
    const touch: Touch = (word, action, isFile) => {
      const path = word ? resolveWord(withSlashes(word), workingDir, isFile) : null;
      if (path !== null) files.push({ path, action });
    };
    for (const word of outputFiles) touch(word, "write");
    const [command, ...words] = all;
    if (!command?.isLiteral) continue;
    const name = command.text.toLowerCase();
    const cmdlet = CMDLETS.get(name);
    if (LEAVES_FOLDER.has(name)) workingDir = null;
    else if (CHANGES_FOLDER.has(name)) workingDir = folderAfter(words, workingDir);
    else if (RENAMES.has(name)) rename(words, touch);
    else if (cmdlet) touchCmdlet(cmdlet, words, touch);
    else touchArguments(name.replace(/\.exe$/, ""), words, touch);
  }
  return files;
}

/** `Rename-Item a.txt b.txt`: the new name is in the folder of the first argument. */
function rename(words: readonly Word[], touch: Touch): void {
  const operands = words.filter(({ text }) => !/^-[A-Za-z]/.test(text));
  const [source, name] = operands;
  if (!source || !name || operands.length !== 2) return;
  touch(source, "delete", true);
  const folder = /^.*[\\/]/.exec(source.text)?.[0] ?? "";
  touch({ text: folder + name.text, isLiteral: source.isLiteral && name.isLiteral }, "write", true);
}

function touchCmdlet(cmdlet: Cmdlet, words: readonly Word[], touch: Touch): void {
  const { first, rest, destination } = cmdlet;
  const touchFile = (word: Word | undefined, action: TouchAction | undefined): void => {
    if (action) touch(word, action, true);
  };
  let position = 0;
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as Word;
    if (!/^-[A-Za-z]/.test(word.text)) touchFile(word, position++ === 0 ? first : rest);
    else if (SWITCHES.test(word.text)) continue;
    else if (PATHS.test(word.text)) {
      touchFile(words[++n], first ?? rest);
      position = Math.max(position, 1);
    } else if (/^-destination$/i.test(word.text)) touchFile(words[++n], destination);
    else n++;
  }
}

function folderAfter(words: readonly Word[], workingDir: string | null): string | null {
  const [folder, more] = words.filter(({ text }) => !/^-[A-Za-z]/.test(text));
  return more || !folder ? null : enterFolder(withSlashes(folder), workingDir);
}

/** PowerShell accepts both slashes on every system. Paths with a drive or a share stay as they are. */
function withSlashes({ text, isLiteral }: Word): Word {
  return { text: /^(?:[A-Za-z]:|\\\\)/.test(text) ? text : text.replaceAll("\\", "/"), isLiteral };
}
