/** The tree of the session that is shown, kept up to date. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { OutlineAnswer } from "../../api/session-answers.ts";
import { ask } from "../shell/ask.ts";
import { SessionTree } from "./session-tree.ts";

export interface Outlined {
  tree: SessionTree | undefined;
  /** The rows of the entries that the address names; undefined for one that there is not. */
  at: number | undefined;
  leaf: number | undefined;
  /** What was asked for in this answer: the address may be on already. */
  asked: { at: string; leaf: string };
  error: unknown;
}

const NOTHING: Outlined = {
  tree: undefined,
  at: undefined,
  leaf: undefined,
  asked: { at: "", leaf: "" },
  error: undefined,
};

/** Asks for what is not known of the tree whenever the session changes. */
export function useOutline(session: string, version: number, at = "", leaf = ""): Outlined {
  const [outlined, setOutlined] = useState<Outlined & { session?: string }>(NOTHING);
  const known = useRef<{ session: string; tree: SessionTree }>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const before = known.current?.session === session ? known.current.tree : undefined;
    const asked = { session, at, leaf, ...(before && { from: before.count, mark: before.mark }) };
    ask<OutlineAnswer>("outline", asked, stop.signal).then(
      (answer) => {
        if (stop.signal.aborted) return;
        const isSame = before && answer.from === before.count && answer.count === before.count;
        const hasSameLabels = isSame && JSON.stringify(answer.labels) === JSON.stringify([...before.labels]);
        const tree = hasSameLabels ? before : new SessionTree(answer, answer.from > 0 ? before : undefined);
        known.current = { session, tree };
        setOutlined({
          session,
          tree,
          at: answer.at,
          leaf: answer.leaf,
          asked: { at, leaf },
          error: undefined,
        });
      },
      (error) => {
        if (!stop.signal.aborted) setOutlined({ ...NOTHING, session, error });
      },
    );
    return () => stop.abort();
  }, [session, version, at, leaf]);
  return outlined.session === session ? outlined : NOTHING;
}
