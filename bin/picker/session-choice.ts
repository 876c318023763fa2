/** Resumes or prints sessions, which closes the picker. */
import { PidexError } from "../../library/index.ts";
import {
  assertAgentInstalled,
  assertCanBeOpened,
  assertFolderExists,
  getResumeCommand,
  withMappedFolder,
} from "../actions/resume.ts";
import { measureWidth, truncateStart } from "../format/text.ts";
import type { PickerContext } from "./context.ts";
import { shortenPath } from "./frames/paths.ts";
import { formatKey } from "./keys/key-names.ts";
import { locateSession } from "./locate-session.ts";
import type { Marks } from "./marks.ts";
import type { ShownSession } from "./model/view.ts";
import type { QueryActions } from "./query-actions.ts";

interface Parts {
  queries: QueryActions;
  marks: Marks;
  /** Closes the picker with the chosen sessions. */
  choose: (sessions: readonly ShownSession[]) => void;
}

export class SessionChoice {
  readonly #picker: PickerContext;
  readonly #parts: Parts;

  constructor(picker: PickerContext, parts: Parts) {
    this.#picker = picker;
    this.#parts = parts;
  }

  resume(session: ShownSession): void {
    void this.#choose(session);
  }

  async #choose(session: ShownSession): Promise<void> {
    const { printsSelection, env, query, showError, showErrorText, screen } = this.#picker;
    const { queries, marks, choose } = this.#parts;
    try {
      const resumed = printsSelection ? session : await locateSession(session, this.#picker);
      if (!printsSelection) await assertResumable(resumed, env);
      queries.remember(query.text);
      choose(printsSelection && !marks.isEmpty ? marks.sessions : [resumed]);
    } catch (error) {
      const isGone = error instanceof PidexError && error.code === "FOLDER_GONE";
      if (isGone) showErrorText(this.#offerMove(session));
      else showError(error);
      screen.redraw();
    }
  }

  /** Says that a session's folder is gone, and which keys move the session to another one and show what it has. */
  #offerMove({ cwd }: ShownSession): string {
    const { keys, state, screen } = this.#picker;
    const toHint = (action: "move" | "preview", word: string) => {
      const [key] = keys.getKeys(action, state.mode);
      return key === undefined ? "" : ` · ${formatKey(key)} ${word}`;
    };
    const before = "the session's folder no longer exists: ";
    const after = (toHint("move", "move") || " · pidex move") + toHint("preview", "read");
    const columns = screen.size.columns - measureWidth(before + after);
    return before + truncateStart(shortenPath(cwd), Math.max(1, columns)) + after;
  }
}

/** Checks that a session can be resumed, before the picker closes. @throws PidexError `FOLDER_GONE`, `AGENT_MISSING` */
async function assertResumable(session: ShownSession, { PATH }: NodeJS.ProcessEnv): Promise<void> {
  const command = getResumeCommand(await withMappedFolder(session));
  assertCanBeOpened(command);
  assertFolderExists(command);
  assertAgentInstalled(command, PATH);
}
