/** The files that a session changed, what was added to each, and what was undone. */
import { posix } from "node:path";
import { extractEdit, PATCH_FILE_LINE } from "../../format/edits.ts";
import { toOneLine } from "../../format/safe.ts";
import { relativeTo } from "../../format/tool-call.ts";
import { extractDeclaredNames } from "./declared-names.ts";
import { detach, type Statement } from "./statements.ts";

/** Files that are remembered. */
const MAX_FILES = 5000;
const MAX_PATH = 200;

export interface ChangedFile {
  /** Relative to the session's folder, if that contains it. */
  path: string;
  /** Of the last change. */
  line: number;
  isCreated: boolean;
  isDeleted: boolean;
  /** Its path before it was moved. */
  movedFrom?: string;
  edits: number;
  added: number;
  removed: number;
  /** The first line of a file that was written as a whole: often its title. */
  title: string;
  /** Names that were added and are still there, by the line that added them. */
  names: Map<string, number>;
}

export class FileChanges {
  readonly #folder: string;
  readonly #files = new Map<string, ChangedFile>();
  /** Files that were read before they were written: not created here. */
  readonly #seen = new Set<string>();
  /** Replacements that were made, by file and texts. */
  readonly #replacements = new Set<string>();
  /** What was added and taken back. */
  readonly undone: Statement[] = [];
  /** Names that were added and removed again, or moved to another file. */
  readonly removedNames: Statement[] = [];

  /** @param folder the session's */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get files(): ChangedFile[] {
    return [...this.#files.values()];
  }

  addRead(path: string): void {
    if (this.#seen.size < MAX_FILES) this.#seen.add(this.#toShown(path));
  }

  /** Adds a successful call. @returns the path of the file that it changed, if it changes one */
  addCall(name: string | undefined, args: Record<string, unknown>, line: number): string | undefined {
    const edit = extractEdit(name, args);
    if (!edit) return undefined;
    const text = edit.lines.join("\n");
    const named = edit.lines.flatMap((each) => PATCH_FILE_LINE.exec(each)?.[1] ?? []);
    if (/^\d+ files$|^$/.test(edit.about) && named.length > 0) {
      for (const path of named) this.#change(path, line, { added: 0, removed: 0 });
      return named[0];
    }
    const file = this.#change(edit.about, line, edit);
    if (!file) return undefined;
    const isWhole = edit.removed === 0 && edit.coveredArguments.has("content");
    if (isWhole) this.#write(file, text);
    this.#trackNames(file, edit.lines, line);
    this.#trackReversal(file, args, line);
    return file.path;
  }

  /** Adds what a shell command does to files, as far as it is plain. */
  addCommand(command: string, line: number): void {
    let folder = "";
    const toPath = (word: string) => (folder === "" || /^[/~]/.test(word) ? word : posix.join(folder, word));
    for (const step of command.slice(0, 5000).split(/\n|&&|;|\|\|/)) {
      const words = step
        .trim()
        .replace(/^git\s+(?=rm|mv)/, "")
        .split(/\s+/);
      const paths = words
        .slice(1)
        .filter((word) => !word.startsWith("-") && isPlainPath(word))
        .map(toPath);
      const [from, to] = paths;
      if (words[0] === "cd" && from !== undefined) folder = from;
      else if (words[0] === "rm")
        for (const path of paths.filter((each) => /[./]/.test(each))) this.#delete(path, line);
      else if (from !== undefined && to !== undefined && paths.length === 2 && /\.\w+$/.test(to)) {
        if (words[0] === "mv") this.#move(from, to, line);
        else if (words[0] === "cp") this.#copy(to, line);
      }
      const written = /(?<![0-9&>=-])>{1,2}\s*([^\s&|;<>()]+)|\btee\s+(?:-a\s+)?([^\s&|;<>()-]\S*)/.exec(
        step,
      );
      const path = written?.[1] ?? written?.[2];
      if (path !== undefined && isPlainPath(path) && !/^\/(?:tmp|dev)\b/.test(path))
        this.#change(toPath(path), line, { added: 0, removed: 0 });
      const reverted =
        /^git\s+(?:checkout|restore)\s+(?:\S+\s+)?(?:--\s+)?(\S+\.\S+|\.)\s*$|^git\s+(?:reset\s+--hard|revert|stash)\b.*/.exec(
          step.trim(),
        );
      if (reverted) this.undone.push({ line, text: `reverted by ${toOneLine(step.slice(0, 100))}` });
    }
  }

  #change(
    path: string,
    line: number,
    { added, removed }: { added: number; removed: number },
  ): ChangedFile | undefined {
    const shown = this.#toShown(path);
    if (shown === "") return undefined;
    let file = this.#files.get(shown);
    if (!file) {
      if (this.#files.size >= MAX_FILES) return undefined;
      file = {
        path: shown,
        line,
        isCreated: false,
        isDeleted: false,
        edits: 0,
        added: 0,
        removed: 0,
        title: "",
        names: new Map(),
      };
      this.#files.set(shown, file);
    }
    file.line = line;
    file.isDeleted = false;
    file.edits++;
    file.added += added;
    file.removed += removed;
    return file;
  }

  /** A file that is written without having been read or changed before is taken as new. */
  #write(file: ChangedFile, text: string): void {
    if (file.edits === 1 && !this.#seen.has(file.path)) file.isCreated = true;
    const first = text.split("\n", 12).map((each) => each.replace(/^\+/, "").trim());
    const title = first.find(
      (each) => /^(?:#{1,3} |\/\*\* ?\S|\/\/ |""")/.test(each) && !each.startsWith("#!"),
    );
    file.title = detach(toOneLine((title ?? "").replace(/^[#/*"\s]+|\*\/$/g, "").slice(0, 90)));
  }

  #delete(path: string, line: number): void {
    const file = this.#files.get(this.#toShown(path));
    const deleted = file ?? this.#change(path, line, { added: 0, removed: 0 });
    if (!deleted) return;
    if (file?.isCreated) this.undone.push({ line, text: `created ${file.path}, then deleted it` });
    deleted.line = line;
    deleted.isDeleted = true;
  }

  #copy(to: string, line: number): void {
    const isKnown = this.#files.has(this.#toShown(to)) || this.#seen.has(this.#toShown(to));
    const file = this.#change(to, line, { added: 0, removed: 0 });
    if (file && !isKnown) file.isCreated = true;
  }

  #move(from: string, to: string, line: number): void {
    const before = this.#files.get(this.#toShown(from));
    const file = this.#change(to, line, before ?? { added: 0, removed: 0 });
    if (!file) return;
    file.movedFrom = this.#toShown(from);
    if (before) {
      this.#files.delete(before.path);
      Object.assign(file, { ...before, path: file.path, line, movedFrom: before.path });
    }
  }

  #trackNames(file: ChangedFile, lines: readonly string[], line: number): void {
    const ofSign = (sign: string) =>
      extractDeclaredNames(
        lines
          .filter((each) => each.startsWith(sign))
          .map((each) => each.slice(1))
          .join("\n"),
      );
    const [added, removed] = [ofSign("+"), ofSign("-")];
    const gone: string[] = [];
    for (const name of removed) {
      if (added.has(name)) continue;
      const since = file.names.get(name);
      if (since !== undefined && since !== line) gone.push(name);
      file.names.delete(name);
    }
    if (gone.length > 0)
      this.removedNames.push({
        line,
        text: `added to ${file.path}, then removed: ${gone.slice(0, 6).join(", ")}`,
      });
    for (const name of added) if (!removed.has(name) && !file.names.has(name)) file.names.set(name, line);
  }

  /** An edit that puts back what an earlier one replaced. */
  #trackReversal(file: ChangedFile, args: Record<string, unknown>, line: number): void {
    const [before, after] = [args.oldText ?? args.old_string, args.newText ?? args.new_string];
    if (typeof before !== "string" || typeof after !== "string" || before.length > 20_000) return;
    const key = (a: string, b: string) => detach(`${file.path}\n${a.trim()}\n→\n${b.trim()}`);
    if (this.#replacements.delete(key(after, before))) {
      const shown = toOneLine(before.split("\n").find((each) => each.trim() && !after.includes(each)) ?? "");
      this.undone.push({
        line,
        text: `edit of ${file.path} taken back${shown && `: ${shown.slice(0, 80)}`}`,
      });
    } else if (this.#replacements.size < MAX_FILES) this.#replacements.add(key(before, after));
  }

  #toShown(path: string): string {
    return detach(
      toOneLine(
        relativeTo(this.#folder, path)
          .replace(/^(?:\.\/)+/, "")
          .slice(0, MAX_PATH),
      ),
    );
  }
}

const isPlainPath = (word: string): boolean => /^[\w@./~+-]+$/.test(word) && /[./]|^[a-z]+$/.test(word);
