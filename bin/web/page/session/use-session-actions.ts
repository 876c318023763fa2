/** Actions on the displayed session. */
import { useState } from "preact/hooks";
import type { Answers, Route } from "../../api/answers.ts";
import { apiPost } from "../shell/api.ts";

export type SessionActions = ReturnType<typeof useSessionActions>;

/**
 * Actions on a session, the text or the error of the last one, and where the session is in the trash, once deleted. Each action
 * returns its error, or undefined. The view updates by the change events that every page receives.
 */
export function useSessionActions(path: string) {
  const [trashed, setTrashed] = useState<Answers["trash"]["deleted"][number]>();
  const [state, setState] = useState<{ done: string; error?: unknown }>({ done: "" });
  const run = async <R extends Route>(
    route: R,
    body: object,
    report: (answer: Answers[R]) => string,
  ): Promise<unknown> => {
    try {
      setState({ done: report(await apiPost(route, { session: path, ...body })) });
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
    trashed,
    rename: (name: string) => change("rename", { name }, name === "" ? "Name removed." : "Renamed."),
    label: (entryId: string, label: string) =>
      change("label", { entryId, label }, label === "" ? "Label removed." : "Label saved."),
    pin: (pinned: boolean) => change("pin", { pinned }, pinned ? "Pinned." : "Unpinned."),
    archive: (archived: boolean) => change("archive", { archived }, archived ? "Archived." : "Unarchived."),
    tag: (tags: string[]) => change("tag", { tags }, "Tags changed."),
    trash: () =>
      run("trash", {}, ({ deleted }) => {
        setTrashed(deleted[0]);
        return "";
      }),
    // The server no longer knows a deleted session by id, only by its former path.
    restore: () =>
      run("restore", { session: trashed?.path ?? path }, () => {
        setTrashed(undefined);
        return "Restored.";
      }),
  };
}
