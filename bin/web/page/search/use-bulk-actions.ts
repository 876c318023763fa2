/** Actions on several selected sessions, and the undo of the last one. */
import { useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { apiPost } from "../shell/api.ts";

/** What an action does to one session. @returns what undoes it; undefined if that is impossible, or if nothing changed */
type Change = (session: SessionJson) => Promise<(() => Promise<unknown>) | undefined>;

/** Says what was done to so many sessions. */
type Report = (many: string) => string;

const said =
  (what: string): Report =>
  (many) =>
    `${what} ${many}.`;
const [PINNED, UNPINNED] = [said("Pinned"), said("Unpinned")];
const [ARCHIVED, UNARCHIVED] = [said("Archived"), said("Unarchived")];
const TRASHED: Report = (many) => `Moved ${many} to trash.`;

interface Outcome {
  done: string;
  error?: unknown;
  /** Undoes the last action. */
  undo?: (() => Promise<void>) | undefined;
  /** Whether the last action moved sessions to the trash. */
  isInTrash?: boolean;
}

export type BulkActions = ReturnType<typeof useBulkActions>;

/** @param onDone called with the sessions that were not changed because of an error */
export function useBulkActions(
  selected: readonly SessionJson[],
  onDone: (left: readonly SessionJson[]) => void,
) {
  const [outcome, setOutcome] = useState<Outcome>({ done: "" });
  const [isRunning, setRunning] = useState(false);
  /** Changes one session after the other: the server writes them one by one, too. An error ends it. */
  const run = async (done: Report, undone: Report, change: Change): Promise<void> => {
    setRunning(true);
    const undos: (() => Promise<unknown>)[] = [];
    let failure: { error: unknown } | undefined;
    let count = 0;
    for (const session of selected) {
      try {
        const undo = await change(session);
        if (undo) undos.push(undo);
        count++;
      } catch (error) {
        failure = { error };
        break;
      }
    }
    const undo = async () => {
      try {
        for (const each of undos.toReversed()) await each();
        setOutcome({ done: undone(formatCount(undos.length, "session")) });
      } catch (error) {
        setOutcome({ done: "", error });
      }
    };
    const isUndoable = undos.length > 0;
    setOutcome({
      done: count > 0 ? done(formatCount(count, "session")) : "",
      ...failure,
      ...(isUndoable && { undo }),
      isInTrash: done === TRASHED && isUndoable,
    });
    setRunning(false);
    onDone(selected.slice(count));
  };
  const setFlag = (route: "pin" | "archive", value: boolean): Change => {
    const flag = route === "pin" ? "pinned" : "archived";
    return async ({ path, [flag]: before }) => {
      if (before === value) return undefined;
      await apiPost(route, { session: path, [flag]: value });
      return () => apiPost(route, { session: path, [flag]: before });
    };
  };
  return {
    ...outcome,
    isRunning,
    pin: () => run(PINNED, UNPINNED, setFlag("pin", true)),
    unpin: () => run(UNPINNED, PINNED, setFlag("pin", false)),
    archive: () => run(ARCHIVED, UNARCHIVED, setFlag("archive", true)),
    unarchive: () => run(UNARCHIVED, ARCHIVED, setFlag("archive", false)),
    tag: (added: readonly string[]) =>
      run(said("Tagged"), said("Restored the tags of"), async ({ path, tags }) => {
        const all = [...new Set([...tags, ...added])];
        if (all.length === tags.length) return undefined;
        await apiPost("tag", { session: path, tags: all });
        return () => apiPost("tag", { session: path, tags });
      }),
    trash: () =>
      run(TRASHED, said("Restored"), async ({ path }) => {
        const [deleted] = (await apiPost("trash", { session: path })).deleted;
        return deleted?.isRestorable ? () => apiPost("restore", { session: path }) : undefined;
      }),
    dismiss: () => setOutcome({ done: "" }),
  };
}
