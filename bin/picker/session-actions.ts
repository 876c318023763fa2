/** Actions that change sessions: rename, tag, label, pin, archive, fork, move, delete. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { formatCount } from "../format/safe.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { PickerContext } from "./context.ts";
import { formatKey } from "./keys/key-names.ts";
import type { Marks } from "./marks.ts";
import type { ShownSession } from "./model/view.ts";
import { confirmPrompt, textPrompt } from "./prompt.ts";
import { UndoHistory } from "./undo-history.ts";

type Sessions = readonly ShownSession[];

const toPaths = (sessions: Sessions): string[] => sessions.map(({ path }) => path);

export class SessionActions {
  readonly #picker: PickerContext;
  readonly #marks: Marks;
  readonly #undoable: UndoHistory;

  constructor(picker: PickerContext, marks: Marks) {
    this.#picker = picker;
    this.#marks = marks;
    this.#undoable = new UndoHistory(picker);
  }

  /** Pins sessions, or unpins them if all are pinned. */
  pin(sessions: Sessions): Promise<void> {
    return this.#changeAll(this.#picker.client.call("pin", toPaths(sessions)));
  }

  /** Archives sessions, or unarchives them if all are archived. */
  archive(sessions: Sessions): Promise<void> {
    return this.#changeAll(this.#picker.client.call("archive", toPaths(sessions)));
  }

  /** Moves sessions to the trash, after confirmation. */
  delete(sessions: Sessions): void {
    const [first, ...others] = sessions;
    if (!first) return;
    const what = others.length > 0 ? formatCount(sessions.length, "session") : getSessionTitle(first);
    const confirm = () => {
      this.#undoable.waitFor(this.#changeAll(this.#delete(toPaths(sessions))));
    };
    const cancel = () => this.#picker.showMessage("not deleted");
    this.#picker.openPrompt(confirmPrompt(`Move to trash: ${what}?`, { confirm, cancel }));
  }

  async #delete(paths: string[]): Promise<string> {
    const { done, isRestorable } = await this.#picker.client.call("delete", paths);
    if (!isRestorable) return `${done} · restore it from your desktop's trash`;
    this.#undoable.add(paths);
    const [key] = this.#picker.keys.getKeys("undo", "list");
    return `${done} · ${key === undefined ? "undo with pidex restore" : `${formatKey(key)} undo`}`;
  }

  /** Restores the sessions that were deleted last. */
  async undo(): Promise<void> {
    const undone = await this.#undoable.undo();
    if (undone) void this.#change(undone.done, undone.path);
    else this.#picker.showMessage("nothing to undo; pidex restore lists the sessions in the trash");
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
      const tags = text.split(",").flatMap((tag) => tag.trim() || []);
      if (tags.length > 0 || paths.length === 1)
        void this.#changeAll(this.#picker.client.call("tag", paths, [...new Set(tags)]));
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

  /** As `#change`, for a change to all marked sessions, which removes the marks. */
  async #changeAll(change: Promise<string>): Promise<void> {
    void change.then(
      () => {
        this.#marks.clear();
      },
      () => {}, // reported by `#change`
    );
    await this.#change(change);
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
