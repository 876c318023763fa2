/** Changes sessions: names, labels, pins, and the trash. The second layer of the picker's service. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type EntryId,
  type Index,
  PidexError,
  type SessionInfo,
  SessionManager,
  type TreeEntry,
} from "../../../library/index.ts";
import { assertNotOpen, toSiblingFolder } from "../../../library/internal.ts";
import { secondsSinceWritten } from "../../actions/active-sessions.ts";
import { prepareFork } from "../../actions/change-metadata.ts";
import { requireLocalIndex } from "../../actions/index-location.ts";
import { assertInsideRoots, assertWritable, type WriteBoundary } from "../../actions/inside-roots.ts";
import { setCompressed } from "../../actions/set-compressed.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatPreview } from "../../format/preview.ts";
import { getProjectName } from "../../format/sessions.ts";
import { getSessionTitle } from "../../format/titles.ts";
import type { Changed, TrashedSession, ValuesBefore } from "../model/requests.ts";
import { SessionFinder } from "./session-finder.ts";

/** Maximum length of an entry's summary, in UTF-16 code units: longer than any terminal line. */
export const MAX_SUMMARY_LENGTH = 300;

/** Maximum number of sessions of the trash that are listed. */
const MAX_TRASHED = 20;

export class SessionChanges extends SessionFinder {
  /** @throws PidexError `BAD_OPTION` for a hub */
  protected get localIndex(): Index {
    return requireLocalIndex(this.index, "a change");
  }

  /** A session's full name. */
  async name(path: string): Promise<string> {
    return (await this.index.find(path)).name ?? "";
  }

  rename(path: string, name: string): Promise<string> {
    return this.#edit(path, (manager) => {
      if ((manager.getSessionName() ?? "") === name) return "name unchanged";
      manager.setName(name);
      return name === "" ? "name removed" : `renamed to ${name}`;
    });
  }

  /** The entry on a line, or the last message if `line` is null: its label and a one-line summary. */
  async labelTarget(
    path: string,
    line: number | null,
  ): Promise<{ entryId: EntryId; label: string; about: string }> {
    const entries = await this.index.treeEntries(path);
    const matches =
      line === null
        ? ({ onCurrentBranch, type }: TreeEntry) => onCurrentBranch && type === "message"
        : (entry: TreeEntry) => entry.line === line;
    const found = entries.findLast(matches);
    if (!found || found.id === null)
      throw new PidexError("NOT_FOUND", "no entry here can be labeled", "Select another session.");
    const { entry } = await this.index.entry(path, found.id);
    return { entryId: found.id, label: found.label ?? "", about: formatPreview(entry, MAX_SUMMARY_LENGTH) };
  }

  label(path: string, entryId: EntryId, label: string): Promise<string> {
    return this.#edit(path, (manager) => {
      if ((manager.getLabel(String(entryId)) ?? "") === label) return "label unchanged";
      manager.appendLabelChange(String(entryId), label === "" ? undefined : label);
      return label === "" ? "label removed" : `labeled ${label}`;
    });
  }

  /** Pins sessions, or unpins them if all are pinned. */
  pin(paths: string[]): Promise<Changed> {
    return this.#toggle(paths, "pinned");
  }

  /** Archives sessions, or unarchives them if all are archived. */
  archive(paths: string[]): Promise<Changed> {
    return this.#toggle(paths, "archived");
  }

  /** Compresses the files of sessions, or decompresses them if all are compressed. */
  async compress(paths: string[]): Promise<Changed> {
    const infos = await Promise.all(paths.map((path) => this.index.find(path)));
    const compressed = infos.some((info) => !info.compressed);
    const changed = infos.filter((info) => info.compressed !== compressed).map(({ path }) => path);
    const freed = await this.#setCompressed(changed, compressed);
    const sessions = changed.map((path) => ({ path, value: !compressed }));
    const done = compressed ? `compressed, ${formatBytes(freed)} freed` : "decompressed";
    return { done, before: { property: "compressed", sessions } };
  }

  /** @returns the number of bytes freed */
  async #setCompressed(paths: string[], compressed: boolean): Promise<number> {
    let freed = 0;
    await this.#changeEach(paths, (path, inside) => {
      const sizes = setCompressed(path, compressed, inside);
      if (sizes) freed += sizes.bytes - sizes.compressedBytes;
    });
    return freed;
  }

  async tags(path: string): Promise<string[]> {
    return (await this.index.find(path)).tags;
  }

  /** Replaces the tags of one session, or adds tags to several. */
  async tag(paths: string[], tags: string[]): Promise<Changed> {
    const isOne = paths.length === 1;
    const sessions: { path: string; value: string[] }[] = [];
    await this.#editEach(paths, (manager, path) => {
      const value = manager.getTags();
      if (!isOne) manager.addTags(...tags);
      else if (value.join("\n") !== tags.join("\n")) manager.setTags(tags);
      sessions.push({ path, value });
    });
    const done = tags.length === 0 ? "tags removed" : `tagged ${tags.join(", ")}`;
    return { done, before: { property: "tags", sessions } };
  }

  /** Sets the values that a change replaced. @returns what that did */
  async revert({ property, sessions }: ValuesBefore): Promise<string> {
    if (property === "compressed") {
      const compressed = sessions.some(({ value }) => value);
      await this.#setCompressed(
        sessions.map(({ path }) => path),
        compressed,
      );
      return compressed ? "compressed" : "decompressed";
    }
    const values = new Map<string, boolean | string[]>(sessions.map(({ path, value }) => [path, value]));
    await this.#editEach([...values.keys()], (manager, path) => {
      const value = values.get(path);
      if (Array.isArray(value)) manager.setTags(value);
      else setFlag(manager, property, value === true);
    });
    if (property === "tags") return "tagged as before";
    return sessions.some(({ value }) => value === true) ? property : `un${property}`;
  }

  /** Copies a session to a new one that begins with all its entries. */
  async fork(path: string): Promise<{ done: string; path: string; entryCount: number }> {
    const info = await this.index.find(path);
    const folder = toSiblingFolder(info, info.cwd, this.localIndex.roots);
    const inside = assertInsideRoots(this.localIndex, join(folder, "fork.jsonl")); // its name doesn't matter
    const manager = SessionManager.forkFrom(path, info.cwd, folder, inside);
    prepareFork(manager);
    const forked = manager.getSessionFile() ?? "";
    await this.#indexChanges(forked);
    return { done: "forked: the new session is selected", path: forked, entryCount: countContent(manager) };
  }

  /**
   * Moves a new fork to the trash, unless something was added to it.
   *
   * @param entryCount of the fork when it was created
   * @returns what that did
   */
  async undoFork(path: string, entryCount: number): Promise<string> {
    if (!existsSync(path)) return "not undone, the fork was moved or deleted";
    const inside = assertWritable(this.localIndex, await this.index.find(path));
    if (countContent(SessionManager.open(path, inside)) > entryCount)
      return "not undone, the fork has new entries";
    return `fork ${(await this.delete([path])).done}`;
  }

  /**
   * Changes a session's working directory, for a project that was renamed or moved.
   *
   * @returns a message, and the file's path, which the folder may determine
   * @throws PidexError `BAD_OPTION` if the folder doesn't exist
   */
  async move(path: string, cwd: string): Promise<{ done: string; path: string }> {
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      throw new PidexError("BAD_OPTION", `there is no folder ${cwd}`, "Enter the project's new folder.");
    return { done: `moved to ${cwd}`, path: await this.#setCwd(path, cwd) };
  }

  /** Moves a session back to the working directory it had, which may no longer exist. */
  async undoMove(path: string, cwd: string): Promise<void> {
    await this.#setCwd(path, cwd);
  }

  /** @returns the file's path, which the folder may determine */
  async #setCwd(path: string, cwd: string): Promise<string> {
    const inside = assertWritable(this.localIndex, await this.index.find(path));
    const to = SessionManager.open(path, { readOnly: true }).moveTo(cwd, { dryRun: true });
    assertInsideRoots(this.localIndex, to);
    assertNotOpen(path); // the program would go on in the old file
    const moved = SessionManager.open(path, inside).moveTo(cwd);
    await this.#indexChanges(path, moved);
    return moved;
  }

  /** Seconds since an agent may last have written to a session; undefined if that is more than a minute ago. */
  async secondsSinceWritten(path: string): Promise<number | undefined> {
    return secondsSinceWritten(await this.index.find(path));
  }

  /** Indexes files that the user changed. */
  reindex(paths: string[]): Promise<void> {
    return this.#indexChanges(...paths);
  }

  /** Moves sessions to the trash. `done` is what happened; `isRestorable` says whether `restore` can undo it. */
  async delete(paths: string[]): Promise<{ done: string; isRestorable: boolean }> {
    const infos = await Promise.all(paths.map((path) => this.index.find(path)));
    for (const info of infos) assertWritable(this.localIndex, info); // before the first is deleted
    const since = new Date();
    const gone: string[] = [];
    let [isRestorable, hasOthers, isInTrash] = [true, false, true];
    try {
      for (const path of paths) {
        // A subagent's session goes with its parent, which may be deleted too.
        if (gone.includes(path)) continue;
        const deleted = await SessionManager.delete(path);
        gone.push(path, ...deleted.along.map((other) => other.path));
        hasOthers ||= deleted.along.length > 0;
        isInTrash &&= deleted.to !== "nowhere";
        isRestorable &&= await this.localIndex.isRestorable({ ...deleted, since });
      }
    } finally {
      await this.#indexChanges(...gone);
    }
    const others = hasOthers ? formatOthers(paths) : "";
    return { done: `${isInTrash ? "moved to trash" : "deleted"}${others}`, isRestorable };
  }

  /** The sessions in the trash, last deleted first. */
  async trash(): Promise<TrashedSession[]> {
    const trashed = await this.localIndex.listTrashed();
    return trashed.slice(0, MAX_TRASHED).map((session) => ({
      path: session.path,
      trashPath: session.trashPath,
      title: getSessionTitle(session),
      project: getProjectName(session),
      deletedAt: session.deletedAt.getTime(),
    }));
  }

  /** Restores sessions by their original paths, or by those in the trash. */
  async restore(paths: string[]): Promise<string> {
    const restored: string[] = [];
    let hasOthers = false;
    try {
      for (const path of paths) {
        if (restored.includes(path)) continue; // with its parent
        const { along, path: to } = await this.localIndex.restore(path);
        restored.push(to, ...along);
        hasOthers ||= along.length > 0;
      }
    } finally {
      await this.#indexChanges(...restored);
    }
    return `restored${hasOthers ? formatOthers(paths) : ""}`;
  }

  /** Sets a property of all sessions, or unsets it if all have it. */
  async #toggle(paths: string[], property: "pinned" | "archived"): Promise<Changed> {
    const infos = await Promise.all(paths.map((path) => this.index.find(path)));
    const isSet = infos.some((info) => !info[property]);
    const changed = infos.filter((info) => info[property] !== isSet).map(({ path }) => path);
    await this.#editEach(changed, (manager) => setFlag(manager, property, isSet));
    const sessions = changed.map((path) => ({ path, value: !isSet }));
    return { done: isSet ? property : `un${property}`, before: { property, sessions } };
  }

  async #editEach(paths: string[], change: (manager: SessionManager, path: string) => void): Promise<void> {
    await this.#changeEach(paths, (path, inside) => change(SessionManager.open(path, inside), path));
  }

  /** Changes sessions in turn. If one fails, the earlier ones stay changed. */
  async #changeEach(paths: string[], change: (path: string, inside: WriteBoundary) => void): Promise<void> {
    const infos: SessionInfo[] = await Promise.all(paths.map((path) => this.index.find(path)));
    const targets = infos.map((info) => ({ path: info.path, inside: assertWritable(this.localIndex, info) }));
    try {
      for (const { path, inside } of targets) change(path, inside);
    } finally {
      await this.#indexChanges(...paths);
    }
  }

  async #edit(path: string, change: (manager: SessionManager) => string): Promise<string> {
    const inside = assertWritable(this.localIndex, await this.index.find(path));
    const done = change(SessionManager.open(path, inside));
    await this.#indexChanges(path);
    return done;
  }

  /** Indexes a change immediately, without waiting for the next sync. */
  async #indexChanges(...paths: string[]): Promise<void> {
    await this.localIndex.syncFiles(paths);
    await this.clearCaches();
  }
}

/** The number of entries besides names, labels, tags, pins and other metadata. */
function countContent(manager: SessionManager): number {
  return manager.getEntries().filter(({ type }) => !METADATA_TYPES.has(type)).length;
}

const METADATA_TYPES: ReadonlySet<string> = new Set(["session_info", "label", "custom"]);

function setFlag(manager: SessionManager, property: ValuesBefore["property"], isSet: boolean): void {
  if (property === "pinned") manager.setPinned(isSet);
  else manager.setArchived(isSet);
}

const formatOthers = ({ length }: readonly string[]): string =>
  ` with ${length === 1 ? "its " : ""}subagent sessions`;
