/** Actions on several sessions, and the undo of the last one. */
import { useRef, useState } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { formatCount } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { apiPost } from "../shell/api.ts";
import { changeTags, type TagChange } from "../shell/change-tags.ts";
import { holdChanges } from "../shell/changes.ts";

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

export type SessionChanges = Partial<
  Pick<SessionJson, "pinned" | "archived" | "compressed" | "tags" | "name">
>;

export interface Progress {
  count: number;
  total: number;
}

/** How often the progress is shown. */
const PROGRESS_INTERVAL_MS = 100;

export type BulkActions = ReturnType<typeof useBulkActions>;

interface Callbacks {
  /** Sessions left the list, or were to. Called with those that didn't, because of an error or because the user stopped it. */
  onRemoved: (left: readonly SessionJson[]) => void;
  /** A session has other values now. */
  onChanged: (path: string, changes: SessionChanges) => void;
}

export function useBulkActions({ onRemoved, onChanged }: Callbacks) {
  const [outcome, setOutcome] = useState<Outcome>({ done: "" });
  const [progress, setProgress] = useState<Progress>();
  const isStopped = useRef(false);
  /** Runs one step after the other until one fails or the user stops it. @returns how many ran, and the error */
  const runEach = async <T>(items: readonly T[], step: (item: T) => Promise<unknown>) => {
    isStopped.current = false;
    let [count, shownAt] = [0, performance.now()];
    setProgress({ count, total: items.length });
    const release = holdChanges();
    try {
      for (const item of items) {
        if (isStopped.current) break;
        await step(item);
        count++;
        if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) continue;
        shownAt = performance.now();
        setProgress({ count, total: items.length });
      }
      return { count };
    } catch (error) {
      return { count, error };
    } finally {
      setProgress(undefined);
      release();
    }
  };
  /** Changes one session after the other: the server writes them one by one, too. An error ends it. @returns the error */
  const run = async (
    sessions: readonly SessionJson[],
    done: Report,
    undone: Report,
    change: Change,
    isRemoving = false,
  ): Promise<unknown> => {
    const undos: (() => Promise<unknown>)[] = [];
    const { count, ...failure } = await runEach(sessions, async (session) => {
      const undo = await change(session);
      if (undo) undos.push(undo);
    });
    /** Undoes what is left to undo. */
    const undo = async () => {
      const left = undos.toReversed();
      const { count: undoneCount, ...failed } = await runEach(left, (each) => each());
      undos.length -= undoneCount;
      setOutcome({
        done: undoneCount > 0 ? undone(formatCount(undoneCount, "session")) : "",
        ...failed,
        ...(undos.length > 0 && { undo }),
      });
    };
    const isUndoable = undos.length > 0;
    setOutcome({
      done: count > 0 ? done(formatCount(count, "session")) : "",
      ...failure,
      ...(isUndoable && { undo }),
      isInTrash: done === TRASHED && isUndoable,
    });
    if (isRemoving) onRemoved(sessions.slice(count));
    return failure.error;
  };
  const set = async (route: "pin" | "archive" | "tag" | "rename", path: string, changes: SessionChanges) => {
    await apiPost(route, { session: path, ...changes });
    onChanged(path, changes);
  };
  const setFlag = (route: "pin" | "archive", value: boolean): Change => {
    const flag = route === "pin" ? "pinned" : "archived";
    return async ({ path, [flag]: before }) => {
      if (before === value) return undefined;
      await set(route, path, { [flag]: value });
      return () => set(route, path, { [flag]: before });
    };
  };
  type Sessions = readonly SessionJson[];
  return {
    ...outcome,
    isRunning: progress !== undefined,
    /** How far the running action is. */
    progress,
    /** Stops the running action after the current session. */
    stop: () => {
      isStopped.current = true;
    },
    /** Pins the sessions, or unpins them if all are pinned. */
    pin: (sessions: Sessions) => {
      const value = !sessions.every(({ pinned }) => pinned);
      const [done, undone] = value ? [PINNED, UNPINNED] : [UNPINNED, PINNED];
      return run(sessions, done, undone, setFlag("pin", value));
    },
    /** Archives the sessions, or unarchives them if all are archived. */
    archive: (sessions: Sessions) => {
      const value = !sessions.every(({ archived }) => archived);
      const [done, undone] = value ? [ARCHIVED, UNARCHIVED] : [UNARCHIVED, ARCHIVED];
      return run(sessions, done, undone, setFlag("archive", value), true);
    },
    /** Compresses the files of the sessions, or decompresses them if all are compressed. */
    compress: (sessions: Sessions) => {
      const value = !sessions.every(({ compressed }) => compressed);
      let freed = 0;
      const setCompressed = async (path: string, compressed: boolean) => {
        const [sizes] = (await apiPost("compress", { session: path, compressed })).compressed;
        onChanged(path, { compressed });
        return sizes;
      };
      const done: Report = value
        ? (many) => `Compressed ${many}: ${formatBytes(freed)} freed.`
        : said("Decompressed");
      return run(
        sessions,
        done,
        said(value ? "Decompressed" : "Compressed"),
        async ({ path, compressed }) => {
          if (compressed === value) return undefined;
          const sizes = await setCompressed(path, value);
          if (!sizes) return undefined;
          freed += sizes.bytes - sizes.compressedBytes;
          return () => setCompressed(path, compressed);
        },
      );
    },
    tag: (sessions: Sessions, change: TagChange) =>
      run(
        sessions,
        said(change.add.length > 0 ? "Tagged" : "Removed tags of"),
        said("Restored the tags of"),
        async ({ path, tags }) => {
          const all = changeTags(tags, change);
          if (JSON.stringify(all) === JSON.stringify(tags)) return undefined;
          await set("tag", path, { tags: all });
          return () => set("tag", path, { tags });
        },
      ),
    rename: (session: SessionJson, name: string) =>
      run([session], said("Renamed"), said("Restored the name of"), async ({ path, name: before = "" }) => {
        if (before === name.trim()) return undefined;
        await set("rename", path, { name });
        return () => set("rename", path, { name: before });
      }),
    trash: (sessions: Sessions) => {
      const along = new Set<string>(); // subagents' sessions go with the session that started them
      const moveToTrash: Change = async ({ path }) => {
        if (along.has(path)) return undefined;
        const [deleted] = (await apiPost("trash", { session: path })).deleted;
        for (const each of deleted?.along ?? []) along.add(each.path);
        return deleted?.isRestorable ? () => apiPost("restore", { session: path }) : undefined;
      };
      return run(sessions, TRASHED, said("Restored"), moveToTrash, true);
    },
    /** Shows a message that is not about a change. The undo of the last change stays. */
    say: (done: string) => setOutcome(({ undo }) => ({ done, undo })),
    dismiss: () => setOutcome({ done: "" }),
  };
}
