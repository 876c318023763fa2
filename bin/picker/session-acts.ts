/** Actions on the selected session: rename, label, pin, delete, copy its resume command. */
import { assertAgent, assertFolder, resumeCommand } from "../actions/resume.ts";
import type { Asker } from "./asker.ts";
import { type Asked, askDelete, askText } from "./asking.ts";
import { copy } from "./clipboard.ts";
import { readableKey } from "./keys/key-names.ts";
import type { Keys } from "./keys/keys.ts";
import type { ShownSession } from "./model/view.ts";

/** The picker, as seen by session actions. */
export interface Stage {
  /** Opens a prompt in the last line. */
  ask: (prompt: Asked) => void;
  /** Opens a prompt that is still being prepared: keys pressed until then go to the prompt. */
  askOnce: (work: Promise<Asked>) => Promise<void>;
  /** Shows a message. */
  say: (text: string) => void;
  /** Awaits work; shows the error if it fails. */
  try: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** Reloads after a session was changed or deleted. @param select path of the session to select, if it is listed */
  changed: (select?: string) => Promise<void>;
  redraw: () => void;
  /** Writes to the terminal directly. */
  write: (text: string) => void;
}

/** Opens a session in the browser. @param onFailed called when the browser fails after it was started @throws PidexError */
export type ShowOnPage = (session: ShownSession, onFailed: (error: Error) => void) => Promise<void>;

interface Dependencies {
  keys: Keys;
  asker: Asker;
  env: NodeJS.ProcessEnv;
  showOnPage: ShowOnPage;
}

export class SessionActs {
  readonly #asker: Asker;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stage: Stage;
  readonly #showOnPage: ShowOnPage;
  readonly #keys: Keys;
  /** Paths deleted here and not restored, in order. */
  readonly #deleted: string[] = [];

  constructor({ asker, env, showOnPage, keys }: Dependencies, stage: Stage) {
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
    const cancel = () => this.#stage.say("not deleted");
    this.#stage.ask(askDelete(session, { confirm, cancel }));
  }

  async #delete(path: string): Promise<void> {
    const deleted = await this.#stage.try(this.#asker.call("delete", { path }));
    if (deleted !== undefined) {
      if (deleted.isRestorable) this.#deleted.push(path);
      const [key] = this.#keys.keysOf("undo", "list");
      const undo = key === undefined ? "undo with pidex restore" : `${readableKey(key)} undo`;
      this.#stage.say(
        `${deleted.done} · ${deleted.isRestorable ? undo : "restore it from your desktop's trash"}`,
      );
      await this.#stage.changed();
    }
    this.#stage.redraw();
  }

  /** Restores the session that was deleted last. */
  undo(): void {
    void this.#undo();
  }

  async #undo(): Promise<void> {
    const path = this.#deleted.pop();
    if (path === undefined) this.#stage.say("nothing to undo; pidex restore lists the sessions in the trash");
    else {
      const done = await this.#stage.try(this.#asker.call("restore", { path }));
      if (done === undefined)
        this.#deleted.push(path); // the error was shown; the user can retry
      else {
        this.#stage.say(done);
        await this.#stage.changed(path);
      }
    }
    this.#stage.redraw();
  }

  /** Prompts for a new name. */
  rename({ path }: ShownSession): void {
    void this.#stage.askOnce(this.#askName(path));
  }

  async #askName(path: string): Promise<Asked> {
    const name = await this.#asker.call("name", { path });
    return askText("Name", name, (text) => void this.#do(this.#asker.call("rename", { path, name: text })));
  }

  /** Prompts for the label of the entry on a line, or of the last message. */
  label({ path }: ShownSession, line: number | undefined): void {
    void this.#stage.askOnce(this.#askLabel(path, line ?? null));
  }

  async #askLabel(path: string, line: number | null): Promise<Asked> {
    const { entryId, label, about } = await this.#asker.call("labelled", { path, line });
    return askText(
      "Label",
      label,
      (text) => void this.#do(this.#asker.call("label", { path, entryId, label: text })),
      about,
    );
  }

  /** Copies the command that resumes the session. */
  copy(session: ShownSession): void {
    void this.#copy(resumeCommand(session).line);
  }

  async #copy(line: string): Promise<void> {
    const done = await this.#stage.try(copy(line, { env: this.#env, write: this.#stage.write }));
    if (done !== undefined) this.#stage.say(`copied: ${line}`);
    this.#stage.redraw();
  }

  /** Opens the session in the browser. The page is served while the picker, and the agent it starts, are running. */
  showOnPage(session: ShownSession): void {
    void this.#showThere(session);
  }

  async #showThere(session: ShownSession): Promise<void> {
    const failed = (error: Error) => void this.#stage.try(Promise.reject(error));
    const done = await this.#stage.try(this.#showOnPage(session, failed).then(() => true));
    if (done) this.#stage.say("opened in the browser");
    this.#stage.redraw();
  }

  /** Awaits a change, shows what was done, and reloads. */
  async #do(change: Promise<string>): Promise<void> {
    const done = await this.#stage.try(change);
    if (done !== undefined) {
      this.#stage.say(done);
      await this.#stage.changed();
    }
    this.#stage.redraw();
  }
}

/** Checks that a session can be resumed, before the picker closes. @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` */
export function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): void {
  const command = resumeCommand(session);
  assertFolder(command);
  assertAgent(command, PATH);
}
