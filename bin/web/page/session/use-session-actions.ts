/** Actions on the displayed session. */
import { useState } from "preact/hooks";
import type { Answers, Route } from "../../api/answers.ts";
import { apiPost } from "../shell/api.ts";

/** Each action returns its error, or undefined. */
export interface SessionActions {
  rename(name: string): Promise<unknown>;
  label(entryId: string, label: string): Promise<unknown>;
  pin(pinned: boolean): Promise<unknown>;
  archive(archived: boolean): Promise<unknown>;
  tag(tags: string[]): Promise<unknown>;
  trash(): Promise<unknown>;
  /** Restores it from the trash. */
  restore(): Promise<unknown>;
  /** The last action, as text. */
  done: string;
  error: unknown;
  /** The location in the trash, once deleted. */
  trashed: Answers["trash"]["deleted"][number] | undefined;
}

/** Actions on a session. The view updates by the change events that every page receives. */
export function useSessionActions(path: string): SessionActions {
  const [gone, setGone] = useState<SessionActions["trashed"]>();
  const [state, setState] = useState<{ done: string; error: unknown }>({ done: "", error: undefined });
  const run = async <R extends Route>(route: R, body: object, report: (answer: Answers[R]) => string) => {
    try {
      setState({ done: report(await apiPost(route, { session: path, ...body })), error: undefined });
      return undefined;
    } catch (error) {
      setState({ done: "", error });
      return error;
    }
  };
  const change = (route: "rename" | "label" | "pin" | "archive" | "tag", body: object, done: string) =>
    run(route, body, ({ sessions: [changed] }) => (changed?.lines.length === 0 ? "No change." : done));
  return {
    ...state,
    trashed: gone,
    rename: (name) => change("rename", { name }, name === "" ? "Name removed." : "Renamed."),
    label: (entryId, label) =>
      change("label", { entryId, label }, label === "" ? "Label removed." : "Label saved."),
    pin: (pinned) => change("pin", { pinned }, pinned ? "Pinned." : "Unpinned."),
    archive: (archived) => change("archive", { archived }, archived ? "Archived." : "Unarchived."),
    tag: (tags) => change("tag", { tags }, "Tags changed."),
    trash: () =>
      run("trash", {}, ({ deleted }) => {
        setGone(deleted[0]);
        return "";
      }),
    // The server no longer knows a deleted session by id, only by its former path.
    restore: () =>
      run("restore", { session: gone?.path ?? path }, () => {
        setGone(undefined);
        return "Restored.";
      }),
  };
}
