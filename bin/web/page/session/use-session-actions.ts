/** Actions on the displayed session. */
import { useState } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { formatCount } from "../../../format/safe.ts";
import type { Answers, Route } from "../../api/answers.ts";
import type { SessionJson } from "../../api/json.ts";
import { apiGet, apiPost } from "../shell/api.ts";
import { changeTags, type TagChange } from "../shell/change-tags.ts";
import { copyText } from "../shell/copy-text.ts";

export type SessionActions = ReturnType<typeof useSessionActions>;

/** What is known of a session, to undo changes of it. */
type Before = Pick<SessionJson, "path" | "name" | "pinned" | "archived" | "tags">;

interface Outcome {
  done: string;
  error?: unknown;
  /** Undoes the last change. */
  undo?: (() => Promise<unknown>) | undefined;
}

/**
 * Actions on a session, the text or the error of the last one with its undo, and where the session is in the trash, once deleted.
 * Each action returns its error, or undefined. The view updates by the change events that every page receives.
 *
 * @param session undefined until it is loaded
 */
export function useSessionActions(session: Before | undefined) {
  const [trashed, setTrashed] = useState<Answers["trash"]["deleted"][number]>();
  const [state, setState] = useState<Outcome>({ done: "" });
  const path = session?.path ?? "";
  const run = async <R extends Route>(
    route: R,
    body: object,
    report: (answer: Answers[R]) => Outcome,
  ): Promise<unknown> => {
    try {
      setState(report(await apiPost(route, { session: path, ...body })));
      return undefined;
    } catch (error) {
      setState({ done: "", error });
      return error;
    }
  };
  /** @param before the body that undoes it */
  const change = (
    route: "rename" | "label" | "pin" | "archive" | "tag",
    body: object,
    before: object,
    done: string,
  ) =>
    run(route, body, ({ sessions: [changed] }) =>
      changed?.lines.length === 0
        ? { done: "No change." }
        : { done, undo: () => run(route, before, () => ({ done: "Undone." })) },
    );
  /** Shows a message that is not about a change. The undo of the last change stays. */
  const say = (done: string) => setState(({ undo }) => ({ done, undo }));
  return {
    ...state,
    trashed,
    rename: (name: string) =>
      change("rename", { name }, { name: session?.name ?? "" }, name === "" ? "Name removed." : "Renamed."),
    label: (entryId: string, label: string, before: string) =>
      change(
        "label",
        { entryId, label },
        { entryId, label: before },
        label === "" ? "Label removed." : "Label saved.",
      ),
    pin: (pinned: boolean) =>
      change("pin", { pinned }, { pinned: session?.pinned }, pinned ? "Pinned." : "Unpinned."),
    archive: (archived: boolean) =>
      change(
        "archive",
        { archived },
        { archived: session?.archived },
        archived ? "Archived." : "Unarchived.",
      ),
    compress: (compressed: boolean): Promise<unknown> =>
      run("compress", { compressed }, ({ compressed: [sizes] }) => {
        if (!sizes) return { done: "No change." };
        const freed = formatBytes(sizes.bytes - sizes.compressedBytes);
        return {
          done: compressed ? `Compressed: ${freed} freed.` : "Decompressed.",
          undo: () => run("compress", { compressed: !compressed }, () => ({ done: "Undone." })),
        };
      }),
    tag: (added: TagChange) => {
      const tags = session?.tags ?? [];
      return change("tag", { tags: changeTags(tags, added) }, { tags }, "Tags changed.");
    },
    trash: () =>
      run("trash", {}, ({ deleted }) => {
        setTrashed(deleted[0]);
        return { done: "" };
      }),
    // The server no longer knows a deleted session by id, only by its former path.
    restore: () =>
      run("restore", { session: trashed?.path ?? path }, () => {
        setTrashed(undefined);
        return { done: "Restored." };
      }),
    say,
    /** Copies the brief of the branch that ends at an entry; "" is the current branch. */
    copyHandoff: async (leaf: string) => {
      say("Writing the handoff brief …");
      try {
        const { text, tokens } = await apiGet("handoff", { session: path, leaf });
        const what = `the handoff brief (${formatCount(tokens, "token")})`;
        say(await copyText(text, what, "run pidex handoff instead"));
      } catch (error) {
        setState(({ undo }) => ({ done: "", error, undo }));
      }
    },
    dismiss: () => setState({ done: "" }),
  };
}
