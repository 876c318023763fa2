/** Changing sessions: what is appended to their files, and deleting them. */
import { type Index, PidexError, SessionManager, type TreeEntry } from "../../../library/index.ts";
import { assertNoSubagentAtWork } from "../../actions/at-work.ts";
import { assertInside, type WritesInside } from "../../actions/inside.ts";
import { preview } from "../../format/preview.ts";
import { type Answer, MOST_PREVIEW } from "./answer.ts";

export class Organising {
  readonly #index: Index;
  readonly #changed: () => void;

  /** @param changed told once the index knows what was written */
  constructor(index: Index, changed: () => void) {
    this.#index = index;
    this.#changed = changed;
  }

  name: Answer<"name"> = async ({ path }) => (await this.#index.find(path)).name ?? "";

  rename: Answer<"rename"> = async ({ path, name }) => {
    const manager = SessionManager.open(path, await this.#mayWrite(path));
    if ((manager.getSessionName() ?? "") === name) return "it has that name already";
    manager.setName(name);
    await this.#wrote(path);
    return name === "" ? "it has no name now" : `named ${name}`;
  };

  labelled: Answer<"labelled"> = async ({ path, line }) => {
    const entries = await this.#index.treeEntries(path);
    const isWanted =
      line === null
        ? ({ onCurrentBranch, type }: TreeEntry) => onCurrentBranch && type === "message"
        : (entry: TreeEntry) => entry.line === line;
    const wanted = entries.findLast(isWanted);
    if (!wanted || wanted.id === null)
      throw new PidexError("NOT_FOUND", "there is no entry that could be labelled", "Choose another one.");
    const { entry } = await this.#index.entry(path, wanted.id);
    return { entryId: wanted.id, label: wanted.label ?? "", about: preview(entry, MOST_PREVIEW) };
  };

  label: Answer<"label"> = async ({ path, entryId, label }) => {
    const manager = SessionManager.open(path, await this.#mayWrite(path));
    if ((manager.getLabel(String(entryId)) ?? "") === label) return "it has that label already";
    manager.appendLabelChange(String(entryId), label === "" ? undefined : label);
    await this.#wrote(path);
    return label === "" ? "it has no label now" : `labelled ${label}`;
  };

  pin: Answer<"pin"> = async ({ path }) => {
    const manager = SessionManager.open(path, await this.#mayWrite(path));
    const pinned = !manager.getPinned();
    manager.setPinned(pinned);
    await this.#wrote(path);
    return pinned ? "pinned" : "no longer pinned";
  };

  delete: Answer<"delete"> = async ({ path }) => {
    await this.#mayWrite(path);
    const since = new Date();
    const { to, trashPath, along } = await SessionManager.delete(path);
    await this.#wrote(path, ...along.map((gone) => gone.path));
    const others = along.length > 0 ? ", with its subagent sessions" : "";
    const isRestorable = await this.#index.isRestorable({
      path,
      since,
      ...(trashPath !== undefined && { trashPath }),
    });
    return { done: `${to === "nowhere" ? "deleted" : "moved to trash"}${others}`, isRestorable };
  };

  restore: Answer<"restore"> = async ({ path }) => {
    const { along, path: restored } = await this.#index.restore(path);
    await this.#wrote(path, restored, ...along);
    return along.length > 0 ? "restored, with its subagent sessions" : "restored";
  };

  /** @throws PidexError `SESSION_CHANGED` where a subagent may be at work, `FILE_UNWRITABLE` where a link leads out of the roots */
  async #mayWrite(path: string): Promise<WritesInside> {
    assertNoSubagentAtWork(await this.#index.find(path));
    return assertInside(this.#index, path);
  }

  /** What was written is known at once, whether or not somebody watches. */
  async #wrote(...paths: string[]): Promise<void> {
    await this.#index.syncFiles(paths);
    this.#changed();
  }
}
