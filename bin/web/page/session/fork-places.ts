/** Where the displayed session was forked from its parent, and where its forks were forked from it. */
import { useMemo } from "preact/hooks";
import type { ForkLink, ForksAnswer } from "../../api/session-answers.ts";
import { useAnswer } from "../shell/ask.ts";
import type { SessionTree } from "./session-tree.ts";

export interface ForkPlaces {
  /** Forks by the position of the last shared entry. */
  forks: ReadonlyMap<number, readonly ForkLink[]>;
  /** The last entry shared with the session it was forked from. */
  parent: { position: number; from: ForkLink } | undefined;
}

/** @param session undefined until known. @param family changes when there may be other forks */
export function useForkPlaces(
  session: string | undefined,
  tree: SessionTree | undefined,
  family: string,
): ForkPlaces {
  const route = session === undefined ? undefined : "forks";
  const { data } = useAnswer<ForksAnswer>(route, { session }, family);
  return useMemo(() => placesIn(tree, data), [tree, data]);
}

export function placesIn(tree: SessionTree | undefined, answer: ForksAnswer | undefined): ForkPlaces {
  if (!tree || !answer) return { forks: new Map(), parent: undefined };
  const forks = Map.groupBy(answer.forks, ({ line }) => tree.atLine(line));
  forks.delete(undefined);
  const position = answer.parent && tree.atLine(answer.parent.line);
  const parent = answer.parent && position !== undefined ? { position, from: answer.parent } : undefined;
  return { forks: forks as Map<number, ForkLink[]>, parent };
}
