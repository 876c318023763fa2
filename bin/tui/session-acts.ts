/** What is done to a chosen session: renaming, labels, pins, the trash, its resume command. */
import { assertAgent, assertFolder, resumeCommand } from "../doing/resume.ts";
import type { Asker } from "./asker.ts";
import { type Asked, askDelete, askText } from "./asking.ts";
import { copy } from "./clipboard.ts";
import type { Questions } from "./model/questions.ts";
import type { ShownSession } from "./model/view.ts";

/** Where it is done: who asks, and is told. */
export interface Stage {
  /** Asks in the last line. */
  ask: (asked: Asked) => void;
  say: (text: string) => void;
  /** Waits for work, and says where it fails why. */
  try: <T>(work: Promise<T>) => Promise<T | undefined>;
  /** A session was written to, or is gone. */
  changed: () => Promise<void>;
  redraw: () => void;
  /** Writes to the terminal itself. */
  write: (text: string) => void;
}

/** Opens a session in the browser. @throws PidexError */
export type ShowOnPage = (session: ShownSession) => Promise<void>;

/** What it takes to do it. */
interface ActsWith {
  asker: Asker;
  env: NodeJS.ProcessEnv;
  showOnPage: ShowOnPage;
}

export class SessionActs {
  readonly #asker: Asker;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stage: Stage;
  readonly #showOnPage: ShowOnPage;

  constructor({ asker, env, showOnPage }: ActsWith, stage: Stage) {
    this.#showOnPage = showOnPage;
    this.#asker = asker;
    this.#env = env;
    this.#stage = stage;
  }

  pin({ path }: ShownSession): void {
    void this.#do("pin", { path });
  }

  /** Asks first. */
  delete(session: ShownSession): void {
    const { path } = session;
    this.#stage.ask(askDelete(session, () => void this.#do("delete", { path })));
  }

  /** Asks for the name, from the one it has. */
  rename({ path }: ShownSession): void {
    void this.#rename(path);
  }

  async #rename(path: string): Promise<void> {
    const name = await this.#stage.try(this.#asker.ask("name", { path }));
    if (name !== undefined) {
      const save = (text: string) => void this.#do("rename", { path, name: text });
      this.#stage.ask(askText("Name", name, save));
    }
    this.#stage.redraw();
  }

  /** Asks for the label of the entry on a line, or of the last one. */
  label({ path }: ShownSession, line: number | undefined): void {
    void this.#label(path, line ?? null);
  }

  async #label(path: string, line: number | null): Promise<void> {
    const labelled = await this.#stage.try(this.#asker.ask("labelled", { path, line }));
    if (labelled) {
      const { entryId, label, about } = labelled;
      const save = (text: string) => void this.#do("label", { path, entryId, label: text });
      this.#stage.ask(askText("Label", label, save, about));
    }
    this.#stage.redraw();
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
    const done = await this.#stage.try(this.#showOnPage(session).then(() => true));
    if (done) this.#stage.say("opened in the browser");
    this.#stage.redraw();
  }

  /** Does it, and says what was done. */
  async #do<N extends "rename" | "label" | "pin" | "delete">(
    name: N,
    ask: Questions[N]["ask"],
  ): Promise<void> {
    const done = await this.#stage.try(this.#asker.ask<N>(name, ask) as Promise<string>);
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
