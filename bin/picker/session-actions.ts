/** Actions on the selected session: rename, label, pin, delete, copy its resume command. */
import {
  assertAgentInstalled,
  assertFolderExists,
  getResumeCommand,
  withMappedFolder,
} from "../actions/resume.ts";
import { copyToClipboard } from "./clipboard.ts";
import type { PickerContext } from "./context.ts";
import { noLocalFile } from "./keys/hub-refusal.ts";
import { formatKey } from "./keys/key-names.ts";
import type { ShownSession } from "./model/view.ts";
import { deletePrompt, textPrompt } from "./prompt.ts";

export class SessionActions {
  readonly #picker: PickerContext;
  /** Paths deleted here and not restored, in order. */
  readonly #deleted: string[] = [];

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  pin({ path }: ShownSession): Promise<void> {
    return this.#change(this.#picker.client.call("pin", path));
  }

  /** Moves a session to the trash, after confirmation. */
  delete(session: ShownSession): void {
    const confirm = () => void this.#change(this.#delete(session.path));
    const cancel = () => this.#picker.showMessage("not deleted");
    this.#picker.openPrompt(deletePrompt(session, { confirm, cancel }));
  }

  async #delete(path: string): Promise<string> {
    const { done, isRestorable } = await this.#picker.client.call("delete", path);
    if (!isRestorable) return `${done} · restore it from your desktop's trash`;
    this.#deleted.push(path);
    const [key] = this.#picker.keys.getKeys("undo", "list");
    return `${done} · ${key === undefined ? "undo with pidex restore" : `${formatKey(key)} undo`}`;
  }

  /** Restores the session that was deleted last. */
  undo(): void {
    const path = this.#deleted.pop();
    if (path === undefined)
      this.#picker.showMessage("nothing to undo; pidex restore lists the sessions in the trash");
    else void this.#change(this.#restore(path), path);
  }

  async #restore(path: string): Promise<string> {
    try {
      return await this.#picker.client.call("restore", path);
    } catch (error) {
      this.#deleted.push(path); // the user can retry
      throw error;
    }
  }

  /** Prompts for a new name. */
  rename({ path }: ShownSession): Promise<void> {
    const save = (name: string) => void this.#change(this.#picker.client.call("rename", path, name));
    return this.#picker.openPromptWhenReady(
      this.#picker.client.call("name", path).then((name) => textPrompt("Name", name, save)),
    );
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

  /** Copies the command that resumes the session. */
  copy(session: ShownSession): Promise<boolean> {
    return this.#report(this.#copy(session));
  }

  async #copy(session: ShownSession): Promise<string> {
    const { line } = getResumeCommand(await this.locate(session));
    const { env, screen } = this.#picker;
    await copyToClipboard(line, { env, write: (text) => screen.write(text) });
    return `copied: ${line}`;
  }

  /**
   * The session with the path of its file on this machine: a hub's sessions have paths on the hub.
   *
   * @throws PidexError `NOT_FOUND` if it has no file here
   */
  async locate(session: ShownSession): Promise<ShownSession> {
    const { hub, env } = this.#picker;
    if (!hub) return session;
    const { findLocalFile } = await import("../../library/hub/pull/local-file.ts");
    const file = findLocalFile(session.path, hub.machine, env);
    if (!file?.exists) throw noLocalFile(session, hub, file !== undefined);
    return { ...session, path: file.path };
  }

  /** Opens the session in the browser. The page is served while the picker, and the agent it starts, are running. */
  openInBrowser(session: ShownSession): Promise<boolean> {
    const onFailed = (error: Error) => void this.#report(Promise.reject(error));
    return this.#report(this.#picker.showOnPage(session, onFailed).then(() => "opened in the browser"));
  }

  /** Awaits work and shows its message. @returns whether it succeeded */
  async #report(work: Promise<string>): Promise<boolean> {
    const message = await this.#picker.showErrors(work);
    if (message !== undefined) this.#picker.showMessage(message);
    this.#picker.screen.redraw();
    return message !== undefined;
  }

  /** Awaits a change, shows its message, and reloads. @param select path of the session to select */
  async #change(change: Promise<string>, select?: string): Promise<void> {
    if (!(await this.#report(change))) return;
    await this.#picker.reload(select);
    this.#picker.screen.redraw();
  }
}

/** Checks that a session can be resumed, before the picker closes. @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` */
export async function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): Promise<void> {
  const command = getResumeCommand(await withMappedFolder(session));
  assertFolderExists(command);
  assertAgentInstalled(command, PATH);
}
