import type { ShownSession } from "./model/view.ts";

/** A change that can be undone. */
export interface UndoStep {
  sessions: readonly ShownSession[];
  isDeletion?: boolean;
  /** Whether the undo moves or deletes files, so that views of the sessions close. */
  movesFiles?: boolean;
  /** Undoes the change of the step's sessions. @returns what that did: `restored` */
  undo: (sessions: readonly ShownSession[]) => Promise<string>;
}

/** A change that cannot be undone. It is in the history, so that an undo does not silently undo an earlier change. */
export interface FinalChange {
  /** Shown when the user tries to undo it. */
  refusal: string;
}

/** The changes of this picker, last first. */
export class UndoHistory {
  #steps: (UndoStep | FinalChange)[] = [];

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  add(step: UndoStep | FinalChange): void {
    this.#steps.push(step);
  }

  /** Removes a session from the deletions, because it was restored otherwise. */
  forgetDeletion(path: string): void {
    this.#steps = this.#steps.flatMap((step) => {
      if (!("undo" in step) || !step.isDeletion) return step;
      const sessions = step.sessions.filter((session) => session.path !== path);
      return sessions.length > 0 ? { ...step, sessions } : [];
    });
  }

  /** Removes the last change; undefined if there is none. */
  take(): UndoStep | FinalChange | undefined {
    return this.#steps.pop();
  }
}
