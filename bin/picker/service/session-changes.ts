/** Changes sessions: names, labels, pins, and the trash. The second layer of the picker's service. */
import {
  type EntryId,
  type Index,
  PidexError,
  SessionManager,
  type TreeEntry,
} from "../../../library/index.ts";
import { requireLocalIndex } from "../../actions/index-location.ts";
import { assertWritable } from "../../actions/inside-roots.ts";
import { formatPreview } from "../../format/preview.ts";
import { SessionFinder } from "./session-finder.ts";

/** Maximum length of an entry's summary, in UTF-16 code units: longer than any terminal line. */
export const MAX_SUMMARY_LENGTH = 300;

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

  pin(path: string): Promise<string> {
    return this.#edit(path, (manager) => {
      const pinned = !manager.getPinned();
      manager.setPinned(pinned);
      return pinned ? "pinned" : "unpinned";
    });
  }

  /** Moves a session to the trash. `done` is a message; `isRestorable` says whether `restore` can undo it. */
  async delete(path: string): Promise<{ done: string; isRestorable: boolean }> {
    assertWritable(this.localIndex, await this.index.find(path));
    const since = new Date();
    const deleted = await SessionManager.delete(path);
    const { to, along } = deleted;
    await this.#indexChanges(path, ...along.map((gone) => gone.path));
    const others = along.length > 0 ? ", with its subagent sessions" : "";
    const isRestorable = await this.localIndex.isRestorable({ ...deleted, since });
    return { done: `${to === "nowhere" ? "deleted" : "moved to trash"}${others}`, isRestorable };
  }

  async restore(path: string): Promise<string> {
    const { along, path: restored } = await this.localIndex.restore(path);
    await this.#indexChanges(path, restored, ...along);
    return along.length > 0 ? "restored, with its subagent sessions" : "restored";
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
