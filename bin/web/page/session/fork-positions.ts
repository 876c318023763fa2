/** Where the displayed session was forked from its parent, and where its forks were forked from it. */
import { useMemo } from "preact/hooks";
import type { Answers } from "../../api/answers.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { useAnswer } from "../shell/api.ts";
import type { SessionTree } from "./session-tree.ts";

export interface ForkPositions {
  /** Forks by the position of the last shared entry. */
  forks: ReadonlyMap<number, readonly ForkLink[]>;
  /** The last entry shared with the session it was forked from. */
  parent: { position: number; from: ForkLink } | undefined;
}

/** @param session undefined until known. @param family changes when there may be other forks */
export function useForkPositions(
  session: string | undefined,
  tree: SessionTree | undefined,
  family: string,
): ForkPositions {
  const route = session === undefined ? undefined : "forks";
  const { data } = useAnswer(route, { session }, family);
  return useMemo(() => locateForks(tree, data), [tree, data]);
}

export function locateForks(
  tree: SessionTree | undefined,
  answer: Answers["forks"] | undefined,
): ForkPositions {
  if (!tree || !answer) return { forks: new Map(), parent: undefined };
  const forks = Map.groupBy(answer.forks, ({ line }) => tree.findByLine(line));
  forks.delete(undefined);
  const position = answer.parent && tree.findByLine(answer.parent.line);
  const parent = answer.parent && position !== undefined ? { position, from: answer.parent } : undefined;
  return { forks: forks as Map<number, ForkLink[]>, parent };
}
