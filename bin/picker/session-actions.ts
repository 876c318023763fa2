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
  asker: PickerClient;
  env: NodeJS.ProcessEnv;
  showOnPage: OpenInBrowser;
}

export class SessionActions {
  readonly #asker: PickerClient;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stage: ActionContext;
  readonly #showOnPage: OpenInBrowser;
  readonly #keys: KeyBindings;
  /** Paths deleted here and not restored, in order. */
  readonly #deleted: string[] = [];

  constructor({ asker, env, showOnPage, keys }: Dependencies, stage: ActionContext) {
    this.#keys = keys;
    this.#showOnPage = showOnPage;
    this.#asker = asker;
    this.#env = env;
    this.#stage = stage;
  }

  pin({ path }: ShownSession): void {
    void this.#do(this.#asker.call("pin", { path }));
  }

  /** Moves a session to the trash, after confirmation. */
  delete(session: ShownSession): void {
    const { path } = session;
    const confirm = () => void this.#delete(path);
    const cancel = () => this.#stage.showMessage("not deleted");
    this.#stage.openPrompt(deletePrompt(session, { confirm, cancel }));
  }

  async #delete(path: string): Promise<void> {
    const deleted = await this.#stage.showErrors(this.#asker.call("delete", { path }));
    if (deleted !== undefined) {
      if (deleted.isRestorable) this.#deleted.push(path);
      const [key] = this.#keys.getKeys("undo", "list");
      const undo = key === undefined ? "undo with pidex restore" : `${formatKey(key)} undo`;
      this.#stage.showMessage(
        `${deleted.done} · ${deleted.isRestorable ? undo : "restore it from your desktop's trash"}`,
      );
      await this.#stage.reload();
    }
    this.#stage.redraw();
  }

  /** Restores the session that was deleted last. */
  undo(): void {
    void this.#undo();
  }

  async #undo(): Promise<void> {
    const path = this.#deleted.pop();
    if (path === undefined)
      this.#stage.showMessage("nothing to undo; pidex restore lists the sessions in the trash");
    else {
      const done = await this.#stage.showErrors(this.#asker.call("restore", { path }));
      if (done === undefined)
        this.#deleted.push(path); // the error was shown; the user can retry
      else {
        this.#stage.showMessage(done);
        await this.#stage.reload(path);
      }
    }
    this.#stage.redraw();
  }

  /** Prompts for a new name. */
  rename({ path }: ShownSession): void {
    void this.#stage.openPromptWhenReady(this.#askName(path));
  }

  async #askName(path: string): Promise<Prompt> {
    const name = await this.#asker.call("name", { path });
    return textPrompt(
      "Name",
      name,
      (text) => void this.#do(this.#asker.call("rename", { path, name: text })),
    );
  }

  /** Prompts for the label of the entry on a line, or of the last message. */
  label({ path }: ShownSession, line: number | undefined): void {
    void this.#stage.openPromptWhenReady(this.#askLabel(path, line ?? null));
  }

  async #askLabel(path: string, line: number | null): Promise<Prompt> {
    const { entryId, label, about } = await this.#asker.call("labelTarget", { path, line });
    return textPrompt(
      "Label",
      label,
      (text) => void this.#do(this.#asker.call("label", { path, entryId, label: text })),
      about,
    );
  }

  /** Copies the command that resumes the session. */
  copy(session: ShownSession): void {
    void this.#copy(getResumeCommand(session).line);
  }

  async #copy(line: string): Promise<void> {
    const done = await this.#stage.showErrors(
      copyToClipboard(line, { env: this.#env, write: this.#stage.write }),
    );
    if (done !== undefined) this.#stage.showMessage(`copied: ${line}`);
    this.#stage.redraw();
  }

  /** Opens the session in the browser. The page is served while the picker, and the agent it starts, are running. */
  openInBrowser(session: ShownSession): void {
    void this.#showThere(session);
  }

  async #showThere(session: ShownSession): Promise<void> {
    const failed = (error: Error) => void this.#stage.showErrors(Promise.reject(error));
    const done = await this.#stage.showErrors(this.#showOnPage(session, failed).then(() => true));
    if (done) this.#stage.showMessage("opened in the browser");
    this.#stage.redraw();
  }

  /** Awaits a change, shows what was done, and reloads. */
  async #do(change: Promise<string>): Promise<void> {
    const done = await this.#stage.showErrors(change);
    if (done !== undefined) {
      this.#stage.showMessage(done);
      await this.#stage.reload();
    }
    this.#stage.redraw();
  }
}

/** Checks that a session can be resumed, before the picker closes. @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` */
export function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): void {
  const command = getResumeCommand(session);
  assertFolderExists(command);
  assertAgentInstalled(command, PATH);
}
