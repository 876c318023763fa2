/** Changes sessions: names, labels, pins, and the trash. */
import { type Index, PidexError, SessionManager, type TreeEntry } from "../../../library/index.ts";
import { assertNoActiveSubagent } from "../../actions/active-sessions.ts";
import { assertInsideRoots, type WriteBoundary } from "../../actions/inside-roots.ts";
import { formatPreview } from "../../format/preview.ts";
import { MAX_SUMMARY_LENGTH, type RequestHandler } from "./request-handler.ts";

export class SessionChanges {
  readonly #index: Index;
  readonly #changed: () => void;

  /** @param changed called once a change is indexed */
  constructor(index: Index, changed: () => void) {
    this.#index = index;
    this.#changed = changed;
  }

  name: RequestHandler<"name"> = async ({ path }) => (await this.#index.find(path)).name ?? "";

  rename: RequestHandler<"rename"> = async ({ path, name }) => {
    const manager = SessionManager.open(path, await this.#assertWritable(path));
    if ((manager.getSessionName() ?? "") === name) return "name unchanged";
    manager.setName(name);
    await this.#indexChanges(path);
    return name === "" ? "name removed" : `renamed to ${name}`;
  };

  labelTarget: RequestHandler<"labelTarget"> = async ({ path, line }) => {
    const entries = await this.#index.treeEntries(path);
    const matches =
      line === null
        ? ({ onCurrentBranch, type }: TreeEntry) => onCurrentBranch && type === "message"
        : (entry: TreeEntry) => entry.line === line;
    const found = entries.findLast(matches);
    if (!found || found.id === null)
      throw new PidexError("NOT_FOUND", "no entry here can be labelled", "Select another session.");
    const { entry } = await this.#index.entry(path, found.id);
    return { entryId: found.id, label: found.label ?? "", about: formatPreview(entry, MAX_SUMMARY_LENGTH) };
  };

  label: RequestHandler<"label"> = async ({ path, entryId, label }) => {
    const manager = SessionManager.open(path, await this.#assertWritable(path));
    if ((manager.getLabel(String(entryId)) ?? "") === label) return "label unchanged";
    manager.appendLabelChange(String(entryId), label === "" ? undefined : label);
    await this.#indexChanges(path);
    return label === "" ? "label removed" : `labelled ${label}`;
  };

  pin: RequestHandler<"pin"> = async ({ path }) => {
    const manager = SessionManager.open(path, await this.#assertWritable(path));
    const pinned = !manager.getPinned();
    manager.setPinned(pinned);
    await this.#indexChanges(path);
    return pinned ? "pinned" : "unpinned";
  };

  delete: RequestHandler<"delete"> = async ({ path }) => {
    await this.#assertWritable(path);
    const since = new Date();
    const { to, trashPath, along } = await SessionManager.delete(path);
    await this.#indexChanges(path, ...along.map((gone) => gone.path));
    const others = along.length > 0 ? ", with its subagent sessions" : "";
    const isRestorable = await this.#index.isRestorable({
      path,
      since,
      ...(trashPath !== undefined && { trashPath }),
    });
    return { done: `${to === "nowhere" ? "deleted" : "moved to trash"}${others}`, isRestorable };
  };

  restore: RequestHandler<"restore"> = async ({ path }) => {
    const { along, path: restored } = await this.#index.restore(path);
    await this.#indexChanges(path, restored, ...along);
    return along.length > 0 ? "restored, with its subagent sessions" : "restored";
  };

  /** @throws PidexError `SESSION_CHANGED` if a subagent may be running, `FILE_UNWRITABLE` if a link leads out of the roots */
  async #assertWritable(path: string): Promise<WriteBoundary> {
    assertNoActiveSubagent(await this.#index.find(path));
    return assertInsideRoots(this.#index, path);
  }

  /** Indexes a change immediately, without waiting for the next sync. */
  async #indexChanges(...paths: string[]): Promise<void> {
    await this.#index.syncFiles(paths);
    this.#changed();
  }
}
