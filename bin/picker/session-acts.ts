/** What is done to a chosen session: renaming, labels, pins, the trash, its resume command. */
import { assertAgent, assertFolder, resumeCommand } from "../actions/resume.ts";
import type { Asker } from "./asker.ts";
import { type Asked, askDelete, askText } from "./asking.ts";
import { copy } from "./clipboard.ts";
import { readableKey } from "./keys/key-names.ts";
import type { Keys } from "./keys/keys.ts";
import type { ShownSession } from "./model/view.ts";

/** Where it is done: who asks, and is told. */
export interface Stage {
  /** Asks in the last line. */
  ask: (asked: Asked) => void;
  /** The same, once it is known what to ask: keys that are pressed until then are its answer. */
  askOnce: (work: Promise<Asked>) => Promise<void>;
  say: (text: string) => void;
  /** Waits for work, and says where it fails why. */
  try: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** A session was written to, or is gone. @param select the session to choose where it is listed then */
  changed: (select?: string) => Promise<void>;
  redraw: () => void;
  /** Writes to the terminal itself. */
  write: (text: string) => void;
}

/** Opens a session in the browser. @param onFailed called when the browser fails after it was started @throws PidexError */
export type ShowOnPage = (session: ShownSession, onFailed: (error: Error) => void) => Promise<void>;

/** What it takes to do it. */
interface ActsWith {
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
  /** What was deleted here and not restored, the last one last. */
  readonly #deleted: string[] = [];

  constructor({ asker, env, showOnPage, keys }: ActsWith, stage: Stage) {
    this.#keys = keys;
    this.#showOnPage = showOnPage;
    this.#asker = asker;
    this.#env = env;
    this.#stage = stage;
  }

  pin({ path }: ShownSession): void {
    void this.#do(this.#asker.call("pin", { path }));
  }

  /** Asks first. */
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
      const undo = key === undefined ? "pidex restore brings it back" : `${readableKey(key)} undo`;
      this.#stage.say(
        `${deleted.done} · ${deleted.isRestorable ? undo : "restore it with your desktop's trash"}`,
      );
      await this.#stage.changed();
    }
    this.#stage.redraw();
  }

  /** Brings back what was deleted last. */
  undo(): void {
    void this.#undo();
  }

  async #undo(): Promise<void> {
    const path = this.#deleted.pop();
    if (path === undefined) this.#stage.say("nothing to undo here: pidex restore lists what is in the trash");
    else {
      const done = await this.#stage.try(this.#asker.call("restore", { path }));
      if (done === undefined)
        this.#deleted.push(path); // why, is said; it may work when that is mended
      else {
        this.#stage.say(done);
        await this.#stage.changed(path);
      }
    }
    this.#stage.redraw();
  }

  /** Asks for the name, from the one it has. */
  rename({ path }: ShownSession): void {
    void this.#stage.askOnce(this.#askName(path));
  }

  async #askName(path: string): Promise<Asked> {
    const name = await this.#asker.call("name", { path });
    return askText("Name", name, (text) => void this.#do(this.#asker.call("rename", { path, name: text })));
  }

  /** Asks for the label of the entry on a line, or of the last one. */
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

  /** Puts the command that goes on with it on the clipboard. */
  copy(session: ShownSession): void {
    void this.#copy(resumeCommand(session).line);
  }

  async #copy(line: string): Promise<void> {
    const done = await this.#stage.try(copy(line, { env: this.#env, write: this.#stage.write }));
    if (done !== undefined) this.#stage.say(`copied: ${line}`);
    this.#stage.redraw();
  }

  /** Opens the page at it: served as long as the picker is open, and the agent after it. */
  showOnPage(session: ShownSession): void {
    void this.#showThere(session);
  }

  async #showThere(session: ShownSession): Promise<void> {
    const failed = (error: Error) => void this.#stage.try(Promise.reject(error));
    const done = await this.#stage.try(this.#showOnPage(session, failed).then(() => true));
    if (done) this.#stage.say("opened in the browser");
    this.#stage.redraw();
  }

  /** Does it, and says what was done. */
  async #do(change: Promise<string>): Promise<void> {
    const done = await this.#stage.try(change);
    if (done !== undefined) {
      this.#stage.say(done);
      await this.#stage.changed();
    }
    this.#stage.redraw();
  }
}

/** @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` where it could not be resumed: said before the screen is left */
export function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): void {
  const command = resumeCommand(session);
  assertFolder(command);
  assertAgent(command, PATH);
}
