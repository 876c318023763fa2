/** Actions that change sessions: rename, tag, label, pin, archive, fork, move, delete. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { normalizeTags } from "../../library/internal.ts";
import { formatCount } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { PickerContext } from "./context.ts";
import { formatKey } from "./keys/key-names.ts";
import type { Marks } from "./marks.ts";
import type { Changed } from "./model/requests.ts";
import type { ShownSession } from "./model/view.ts";
import { confirmPrompt, textPrompt } from "./prompt.ts";
import { UndoHistory } from "./undo-history.ts";

/** Columns of a title in a message, so that the message and its hint fit in a line or two. */
const MAX_TITLE_COLUMNS = 40;

type Sessions = readonly ShownSession[];

const toPaths = (sessions: Sessions): string[] => sessions.map(({ path }) => path);

export class SessionActions {
  readonly #picker: PickerContext;
  readonly #marks: Marks;
  readonly #undoable = new UndoHistory();

  constructor(picker: PickerContext, marks: Marks) {
    this.#picker = picker;
    this.#marks = marks;
  }

  /** Pins sessions, or unpins them if all are pinned. */
  pin(sessions: Sessions): void {
    this.#changeAll(sessions, this.#picker.client.call("pin", toPaths(sessions)));
  }

  /** Archives sessions, or unarchives them if all are archived. */
  archive(sessions: Sessions): void {
    this.#changeAll(sessions, this.#picker.client.call("archive", toPaths(sessions)));
  }

  /** Moves sessions to the trash, after confirmation. */
  delete(sessions: Sessions): void {
    const [first, ...others] = sessions;
    if (!first) return;
    const what = others.length > 0 ? formatCount(sessions.length, "session") : getSessionTitle(first);
    const confirm = () => this.#undoable.waitFor(this.#delete(sessions));
    const cancel = () => this.#picker.showMessage("not deleted");
    this.#picker.openPrompt(confirmPrompt(`Move to trash: ${what}?`, { confirm, cancel }));
  }

  async #delete(sessions: Sessions): Promise<void> {
    const { client, showErrors } = this.#picker;
    const paths = toPaths(sessions);
    const deleted = await showErrors(client.call("delete", paths));
    if (deleted) {
      const { done, isRestorable } = deleted;
      this.#marks.remove(sessions);
      if (isRestorable) this.#undoable.add({ sessions, undo: () => client.call("restore", paths) });
      const otherwise = "restore it from your desktop's trash";
      this.#showDone(done, sessions, isRestorable ? this.#undoHint("pidex restore") : otherwise);
    }
    await this.#reload();
  }

  /** Undoes the last change that can be undone. */
  async undo(): Promise<void> {
    const { showErrors, showMessage } = this.#picker;
    const step = await this.#undoable.take();
    if (!step) {
      showMessage("nothing to undo; pidex trash lists deleted sessions");
      return;
    }
    const done = await showErrors(step.undo());
    if (done === undefined)
      this.#undoable.add(step); // the user can retry
    else this.#showDone(done, step.sessions);
    await this.#reload(step.sessions[0]?.path);
  }

  /** Prompts for a new name. */
  rename({ path }: ShownSession): Promise<void> {
    const save = (name: string) => void this.#change(this.#picker.client.call("rename", path, name));
    return this.#picker.openPromptWhenReady(
      this.#picker.client.call("name", path).then((name) => textPrompt("Name", name, save)),
    );
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
        : this.#picker.client
            .call("tags", path)
            .then((tags) => textPrompt("Tags, separated by commas", tags.join(", "), save));
    return this.#picker.openPromptWhenReady(opening);
  }

  /** Prompts for the label of the entry on a line, or of the last message. */
  label({ path }: ShownSession, line: number | undefined): Promise<void> {
    return this.#picker.openPromptWhenReady(
      this.#picker.client.call("labelTarget", path, line ?? null).then(({ entryId, label, about }) => {
        const save = (text: string) =>
          void this.#change(this.#picker.client.call("label", path, entryId, text));
        return textPrompt("Label", label, save, about);
      }),
    );
  }

  /** Creates a session with the same entries, and selects it. */
  fork({ path }: ShownSession): Promise<void> {
    return this.#changeAndSelect(this.#picker.client.call("fork", path));
  }

  /** Prompts for the folder that the session's project is in now. */
  move({ path, cwd }: ShownSession): void {
    const save = (text: string) => {
      const folder = text === "~" || text.startsWith("~/") ? join(homedir(), text.slice(1)) : text;
      if (folder === "" || folder === cwd) this.#picker.showMessage("folder unchanged");
      else void this.#changeAndSelect(this.#picker.client.call("move", path, resolve(folder)));
    };
    this.#picker.openPrompt(textPrompt("Folder", cwd, save));
  }

  /** Awaits work and shows its message. @returns whether it succeeded */
  async #report(work: Promise<string>): Promise<boolean> {
    const message = await this.#picker.showErrors(work);
    if (message !== undefined) this.#picker.showMessage(message);
    this.#picker.screen.redraw();
    return message !== undefined;
  }

  /** Awaits a change, shows its message, and reloads, because some changes fail in part. @param select path of the session to select */
  async #change(change: Promise<string>, select?: string): Promise<void> {
    await this.#report(change);
    await this.#picker.reload(select);
    this.#picker.screen.redraw();
  }

  /** Awaits a change that can be undone. Marks stay on the sessions that stay in the list. */
  #changeAll(sessions: Sessions, change: Promise<Changed>): void {
    this.#undoable.waitFor(this.#awaitChange(sessions, change));
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

  /** As `#change`, for a change that creates or moves a file. */
  async #changeAndSelect(change: Promise<{ done: string; path: string }>): Promise<void> {
    let select: string | undefined;
    await this.#report(
      change.then(({ done, path }) => {
        select = path;
        return done;
      }),
    );
    await this.#picker.reload(select);
    this.#picker.screen.redraw();
  }
}
