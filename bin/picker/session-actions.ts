/** Actions on the selected session: rename, label, pin, delete, copy its resume command. */
import { assertAgentInstalled, assertFolderExists, getResumeCommand } from "../actions/resume.ts";
import type { PickerClient } from "./client.ts";
import { copyToClipboard } from "./clipboard.ts";
import type { KeyBindings } from "./keys/key-bindings.ts";
import { formatKey } from "./keys/key-names.ts";
import type { ShownSession } from "./model/view.ts";
import { deletePrompt, type Prompt, textPrompt } from "./prompt.ts";

/** The picker, as seen by session actions. */
export interface ActionContext {
  /** Opens a prompt in the last line. */
  openPrompt: (prompt: Prompt) => void;
  /** Opens a prompt that is still being prepared: keys pressed until then go to the prompt. */
  openPromptWhenReady: (work: Promise<Prompt>) => Promise<void>;
  /** Shows a message. */
  showMessage: (text: string) => void;
  /** Awaits work; shows the error if it fails. */
  showErrors: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** Reloads after a session was changed or deleted. @param select path of the session to select, if it is listed */
  reload: (select?: string) => Promise<void>;
  redraw: () => void;
  /** Writes to the terminal directly. */
  write: (text: string) => void;
}

/** Opens a session in the browser. @param onFailed called when the browser fails after it was started @throws PidexError */
export type OpenInBrowser = (session: ShownSession, onFailed: (error: Error) => void) => Promise<void>;

interface Dependencies {
  keys: KeyBindings;
  client: PickerClient;
  env: NodeJS.ProcessEnv;
  showOnPage: OpenInBrowser;
}

export class SessionActions {
  readonly #client: PickerClient;
  readonly #env: NodeJS.ProcessEnv;
  readonly #picker: ActionContext;
  readonly #showOnPage: OpenInBrowser;
  readonly #keys: KeyBindings;
  /** Paths deleted here and not restored, in order. */
  readonly #deleted: string[] = [];

  constructor({ client, env, showOnPage, keys }: Dependencies, picker: ActionContext) {
    this.#keys = keys;
    this.#showOnPage = showOnPage;
    this.#client = client;
    this.#env = env;
    this.#picker = picker;
  }

  pin({ path }: ShownSession): Promise<void> {
    return this.#change(this.#client.call("pin", path));
  }

  /** Moves a session to the trash, after confirmation. */
  delete(session: ShownSession): void {
    const confirm = () => void this.#change(this.#delete(session.path));
    const cancel = () => this.#picker.showMessage("not deleted");
    this.#picker.openPrompt(deletePrompt(session, { confirm, cancel }));
  }

  async #delete(path: string): Promise<string> {
    const { done, isRestorable } = await this.#client.call("delete", path);
    if (!isRestorable) return `${done} · restore it from your desktop's trash`;
    this.#deleted.push(path);
    const [key] = this.#keys.getKeys("undo", "list");
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
      return await this.#client.call("restore", path);
    } catch (error) {
      this.#deleted.push(path); // the user can retry
      throw error;
    }
  }

  /** Prompts for a new name. */
  rename({ path }: ShownSession): Promise<void> {
    const save = (name: string) => void this.#change(this.#client.call("rename", path, name));
    return this.#picker.openPromptWhenReady(
      this.#client.call("name", path).then((name) => textPrompt("Name", name, save)),
    );
  }

  /** Prompts for the label of the entry on a line, or of the last message. */
  label({ path }: ShownSession, line: number | undefined): Promise<void> {
    return this.#picker.openPromptWhenReady(
      this.#client.call("labelTarget", path, line ?? null).then(({ entryId, label, about }) => {
        const save = (text: string) => void this.#change(this.#client.call("label", path, entryId, text));
        return textPrompt("Label", label, save, about);
      }),
    );
  }

  /** Copies the command that resumes the session. */
  copy(session: ShownSession): Promise<boolean> {
    const { line } = getResumeCommand(session);
    const copying = copyToClipboard(line, { env: this.#env, write: this.#picker.write });
    return this.#report(copying.then(() => `copied: ${line}`));
  }

  /** Opens the session in the browser. The page is served while the picker, and the agent it starts, are running. */
  openInBrowser(session: ShownSession): Promise<boolean> {
    const onFailed = (error: Error) => void this.#report(Promise.reject(error));
    return this.#report(this.#showOnPage(session, onFailed).then(() => "opened in the browser"));
  }

  /** Awaits work and shows its message. @returns whether it succeeded */
  async #report(work: Promise<string>): Promise<boolean> {
    const message = await this.#picker.showErrors(work);
    if (message !== undefined) this.#picker.showMessage(message);
    this.#picker.redraw();
    return message !== undefined;
  }

  /** Awaits a change, shows its message, and reloads. @param select path of the session to select */
  async #change(change: Promise<string>, select?: string): Promise<void> {
    if (!(await this.#report(change))) return;
    await this.#picker.reload(select);
    this.#picker.redraw();
  }
}

/** Checks that a session can be resumed, before the picker closes. @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` */
export function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): void {
  const command = getResumeCommand(session);
  assertFolderExists(command);
  assertAgentInstalled(command, PATH);
}
