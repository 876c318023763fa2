import type { PickerContext } from "./context.ts";

/** The deletions that can be undone, last first. */
export class UndoHistory {
  readonly #picker: PickerContext;
  /** Paths of the deletions that were not undone, in order. */
  readonly #deleted: string[][] = [];
  /** The last deletion, which may still run. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  /** An undo waits for this work. */
  waitFor(work: Promise<unknown>): void {
    this.#running = work;
  }

  add(paths: string[]): void {
    this.#deleted.push(paths);
  }

  /** Restores the sessions that were deleted last. @returns undefined if there is nothing to undo */
  async undo(): Promise<{ done: Promise<string>; path: string | undefined } | undefined> {
    await this.#running;
    const paths = this.#deleted.pop();
    return paths && { done: this.#restore(paths), path: paths[0] };
  }

  async #restore(paths: string[]): Promise<string> {
    try {
      return await this.#picker.client.call("restore", paths);
    } catch (error) {
      this.#deleted.push(paths); // the user can retry
      throw error;
    }
  }
}
