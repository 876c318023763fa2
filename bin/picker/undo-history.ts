import type { ShownSession } from "./model/view.ts";

/** A change that can be undone. */
export interface UndoStep {
  sessions: readonly ShownSession[];
  /** Undoes the change. @returns what that did: `restored` */
  undo: () => Promise<string>;
}

/** The changes that can be undone, last first. */
export class UndoHistory {
  readonly #steps: UndoStep[] = [];
  /** The last change, which may still run. */
  #running: Promise<unknown> = Promise.resolve();

  /** An undo waits for this work. */
  waitFor(work: Promise<unknown>): void {
    this.#running = work;
  }

  add(step: UndoStep): void {
    this.#steps.push(step);
  }

  /** The last change, once it is complete; undefined if there is none. */
  async take(): Promise<UndoStep | undefined> {
    await this.#running;
    return this.#steps.pop();
  }
}
