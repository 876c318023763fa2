/** Actions that change sessions: rename, tag, label, pin, archive, compress, fork, move, delete. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { normalizeTags } from "../../library/internal.ts";
import { formatCount } from "../format/safe.ts";
import { joinTitles } from "../format/short-titles.ts";
import { measureWidth, truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { PickerContext } from "./context.ts";
import { formatKey } from "./keys/key-names.ts";
import type { Marks } from "./marks.ts";
import type { PaletteItem } from "./model/palette-item.ts";
import type { Changed, TrashedSession } from "./model/requests.ts";
import type { ShownSession } from "./model/view.ts";
import { confirmPrompt, textPrompt } from "./prompt.ts";
import type { UndoHistory } from "./undo-history.ts";

/** Columns of a title in a message, so that the message and its hint fit in a line or two. */
const MAX_TITLE_COLUMNS = 40;

/** What a change does is shown if it takes longer than that, in milliseconds: less would flicker. */
const SHOW_CHANGE_MS = 100;

type Sessions = readonly ShownSession[];

const toPaths = (sessions: Sessions): string[] => sessions.map(({ path }) => path);

/** A text of a session that a prompt changes. */
interface TextProperty {
  session: ShownSession;
  before: string;
  set: (text: string) => Promise<string>;
  /** What an undo did: `renamed back`. */
  undone: string;
}

export class SessionActions {
  readonly #picker: PickerContext;
  readonly #marks: Marks;
  readonly #undoable: UndoHistory;

  constructor(picker: PickerContext, marks: Marks, undoable: UndoHistory) {
    this.#picker = picker;
    this.#marks = marks;
    this.#undoable = undoable;
  }

  /** Pins sessions, or unpins them if all are pinned. */
  pin(sessions: Sessions): void {
    this.#changeAll(sessions, this.#picker.client.call("pin", toPaths(sessions)));
  }

  /** Archives sessions, or unarchives them if all are archived. */
  archive(sessions: Sessions): void {
    const { state, client, hideRows } = this.#picker;
    const isHidden = !state.view.archived && sessions.every(({ archived }) => !archived);
    if (isHidden && state.mode === "list") hideRows(toPaths(sessions));
    this.#changeAll(sessions, client.call("archive", toPaths(sessions)));
  }

  /** Compresses the files of sessions, or decompresses them if all are compressed. */
  compress(sessions: Sessions): void {
    this.#changeAll(sessions, this.#picker.client.call("compress", toPaths(sessions)));
  }

  /** Moves sessions to the trash, after confirmation. */
  delete(sessions: Sessions): void {
    const [first, ...others] = sessions;
    if (!first) return;
    const count = formatCount(sessions.length, "session");
    const before = others.length > 0 ? `Move ${count} to trash: ` : "Move to trash: ";
    const question = (columns: number) => {
      const room = Math.max(1, columns - measureWidth(before));
      const title = () => `“${truncate(getSessionTitle(first), Math.max(1, room - 2))}”`;
      return before + (others.length > 0 ? joinTitles(sessions, room) : title());
    };
    const confirm = () => {
      this.#picker.hideRows(toPaths(sessions));
      this.#run(this.#delete(sessions), `moving ${count} to trash`);
    };
    const cancel = () => this.#picker.showMessage("not deleted");
    this.#picker.openPrompt(confirmPrompt(question, { confirm, cancel }));
  }

  async #delete(sessions: Sessions): Promise<void> {
    const { client, showErrors, state, views } = this.#picker;
    const paths = toPaths(sessions);
    const isReading = state.mode !== "list";
    const deleted = await showErrors(client.call("delete", paths));
    if (deleted) {
      if (isReading) views.backToList();
      const { done, isRestorable } = deleted;
      this.#marks.remove(sessions);
      const undo = (left: Sessions) => client.call("restore", toPaths(left));
      const otherwise = "restore it from your desktop's trash";
      this.#undoable.add(
        isRestorable
          ? { sessions, isDeletion: true, undo }
          : { refusal: `pidex can't undo the deletion: ${otherwise}` },
      );
      this.#showDone(done, sessions, isRestorable ? this.#undoHint("pidex restore") : otherwise);
    }
    await this.#reload();
  }

  /**
   * Runs a change. Keys that are pressed meanwhile act on the list that the user sees after it.
   *
   * @param doing what is shown if it takes long: `saving 3 sessions`
   */
  #run(change: Promise<void>, doing: string): void {
    const { holdKeys, showMessage, screen, state } = this.#picker;
    const showing = setTimeout(() => {
      if (state.message) return; // what it did is shown already
      showMessage(`${doing}…`);
      screen.redraw();
    }, SHOW_CHANGE_MS);
    void holdKeys(
      change.finally(() => clearTimeout(showing)),
      { replays: true },
    );
  }

  /** Undoes the last change, or says why it cannot be undone. */
  undo(): void {
    this.#run(this.#undo(), "undoing");
  }

  async #undo(): Promise<void> {
    const { showErrors, showMessage, views, screen } = this.#picker;
    const step = this.#undoable.take();
    if (!step) {
      const [key] = this.#picker.keys.getKeys("trash", "list");
      showMessage(`nothing to undo; ${key ? formatKey(key) : "pidex trash"} lists deleted sessions`);
      return;
    }
    if ("refusal" in step) {
      const hint = this.#undoable.isEmpty ? undefined : this.#undoHint();
      showMessage(step.refusal, hint && `${hint} the change before`);
      screen.redraw();
      return;
    }
    const done = await showErrors(step.undo(step.sessions));
    if (done === undefined)
      this.#undoable.add(step); // the user can retry
    else {
      if (step.movesFiles) views.backToList();
      const named = await showErrors(this.#withCurrentNames(step.sessions));
      if (named) this.#showDone(done, named);
    }
    const [{ path: restored } = {}] = step.isDeletion || step.movesFiles ? step.sessions : [];
    await this.#reload(restored);
  }

  /** The sessions in the trash, for the palette. */
  async listTrash(): Promise<PaletteItem[]> {
    const trashed = await this.#picker.client.call("trash");
    return trashed.map((session) => ({
      label: session.title,
      keys: `${session.project} · ${formatRelativeTime(new Date(session.deletedAt))}`,
      command: { restore: session },
    }));
  }

  /** Restores a session from the trash, and selects it. */
  restore(session: TrashedSession): void {
    this.#run(this.#restore(session), "restoring");
  }

  async #restore({ path, trashPath, title }: TrashedSession): Promise<void> {
    const { client, showErrors, showMessage } = this.#picker;
    const done = await showErrors(client.call("restore", [trashPath]));
    if (done !== undefined) {
      this.#undoable.forgetDeletion(path);
      showMessage(`${done}: ${truncate(title, MAX_TITLE_COLUMNS)}`);
    }
    await this.#reload(path);
  }

  /** Sessions with their names in the index, which may have changed since; only of one, because messages don't name several. */
  async #withCurrentNames(sessions: Sessions): Promise<Sessions> {
    const [first] = sessions;
    if (!first || sessions.length > 1) return sessions;
    const name = await this.#picker.client.call("name", first.path);
    return [{ ...first, name: name || undefined }];
  }

  /** Prompts for a new name. */
  rename(session: ShownSession): Promise<void> {
    return this.#picker.openPromptWhenReady(
      this.#picker.client.call("name", session.path).then((before) => {
        const set = (name: string) => this.#picker.client.call("rename", session.path, name);
        return textPrompt("Name", before, this.#textSetter({ session, before, set, undone: "renamed back" }));
      }),
    );
  }

  /** Returns a function that sets a text of a session, as a change that can be undone. */
  #textSetter({ session, before, set, undone }: TextProperty): (text: string) => void {
    const change = async (text: string) => {
      const done = await this.#picker.showErrors(set(text));
      if (done !== undefined) {
        const isChanged = text !== before;
        const undo = () => set(before).then(() => undone);
        if (isChanged) this.#undoable.add({ sessions: [session], undo });
        this.#picker.showMessage(done, isChanged ? this.#undoHint() : undefined);
      }
      await this.#reload();
    };
    return (text) => this.#run(change(text), "saving");
  }

  /** Prompts for the tags of a session, or for tags to add to several. */
  tag(sessions: Sessions): Promise<void> {
    const paths = toPaths(sessions);
    const save = (text: string) => {
      const tags = normalizeTags(text.split(","));
      if (tags.length > 0 || paths.length === 1)
        this.#changeAll(sessions, this.#picker.client.call("tag", paths, tags));
    };
    const [path] = paths;
    if (path === undefined) return Promise.resolve();
    const opening =
      paths.length > 1
        ? Promise.resolve(textPrompt(`Add tags to ${formatCount(paths.length, "session")}`, "", save))
        : this.#picker.client.call("tags", path).then((tags) =>
            textPrompt("Tags, separated by commas", tags.map((tag) => `${tag}, `).join(""), save, {
              appends: true,
            }),
          );
    return this.#picker.openPromptWhenReady(opening);
  }

  /** Prompts for the label of the entry on a line, or of the last message. */
  label(session: ShownSession, line: number | undefined): Promise<void> {
    const { client, openPromptWhenReady } = this.#picker;
    const { path } = session;
    return openPromptWhenReady(
      client.call("labelTarget", path, line ?? null).then(({ entryId, label, about }) => {
        const set = (text: string) => client.call("label", path, entryId, text);
        const property = { session, before: label, set, undone: "labeled as before" };
        return textPrompt("Label", label, this.#textSetter(property), { about });
      }),
    );
  }

  /** Creates a session with the same entries, and selects it. */
  fork(session: ShownSession): void {
    const { client } = this.#picker;
    const work = client.call("fork", session.path).then(({ done, path, entryCount }) => {
      const undo = () => client.call("undoFork", path, entryCount);
      this.#undoable.add({ sessions: [session], movesFiles: true, undo });
      return { done, path };
    });
    this.#run(this.#changeAndSelect(work, this.#undoHint()), "forking");
  }

  /** Prompts for the folder that the session's project is in now. */
  move(session: ShownSession): void {
    const { client, openPrompt, showMessage, views } = this.#picker;
    const { path, cwd } = session;
    const move = async (folder: string) => {
      const moved = await client.call("move", path, folder);
      const undo = () => client.call("undoMove", moved.path, cwd).then(() => "moved back");
      this.#undoable.add(
        cwd === ""
          ? { refusal: "pidex can't undo the move: the session had no folder" }
          : { sessions: [session], movesFiles: true, undo },
      );
      views.backToList();
      return moved;
    };
    const save = (text: string) => {
      const folder = text === "~" || text.startsWith("~/") ? join(homedir(), text.slice(1)) : text;
      if (folder === "" || folder === cwd) showMessage("folder unchanged");
      else this.#run(this.#changeAndSelect(move(resolve(folder)), this.#undoHint()), "moving");
    };
    openPrompt(textPrompt("Folder", cwd, save));
  }

  /** Awaits a change that can be undone. Marks stay on the sessions that stay in the list. */
  #changeAll(sessions: Sessions, change: Promise<Changed>): void {
    this.#run(this.#awaitChange(sessions, change), `saving ${formatCount(sessions.length, "session")}`);
  }

  async #awaitChange(sessions: Sessions, change: Promise<Changed>): Promise<void> {
    const { client, state, showErrors } = this.#picker;
    const changed = await showErrors(change);
    if (changed) {
      const { done, before } = changed;
      this.#undoable.add({ sessions, undo: () => client.call("revert", before) });
      if (done === "archived" && !state.view.archived) this.#marks.remove(sessions);
      const isMarked = sessions.length > 1 && sessions.every((session) => this.#marks.has(session));
      this.#showDone(isMarked ? `${done}, still marked` : done, sessions, this.#undoHint());
    }
    await this.#reload();
  }

  /** Says what was done to which sessions, and how to undo it. */
  #showDone(done: string, sessions: Sessions, hint?: string): void {
    const [first] = sessions;
    const which =
      sessions.length > 1 || !first
        ? `${formatCount(sessions.length, "session")} ${done}`
        : `${done}: ${truncate(getSessionTitle(first), MAX_TITLE_COLUMNS)}`;
    this.#picker.showMessage(which, hint);
  }

  #undoHint(otherwise?: string): string | undefined {
    const [key] = this.#picker.keys.getKeys("undo", "list");
    if (key !== undefined) return `${formatKey(key)} undo`;
    return otherwise && `undo with ${otherwise}`;
  }

  async #reload(select?: string): Promise<void> {
    this.#picker.screen.redraw();
    await this.#picker.reload(select);
    this.#picker.screen.redraw();
  }

  /** Awaits a change that creates or moves a file, shows its message, and reloads, because some changes fail in part. */
  async #changeAndSelect(change: Promise<{ done: string; path: string }>, hint?: string): Promise<void> {
    const changed = await this.#picker.showErrors(change);
    if (changed) this.#picker.showMessage(changed.done, hint);
    await this.#reload(changed?.path);
  }
}
