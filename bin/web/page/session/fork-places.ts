/** Where the session that is shown came off another file, and where others came off it. */
import { useMemo } from "preact/hooks";
import type { ForkLink, ForksAnswer } from "../../api/session-answers.ts";
import { useAnswer } from "../shell/ask.ts";
import type { SessionTree } from "./session-tree.ts";

export interface ForkPlaces {
  /** The forks that came off at an entry, by its position. */
  forks: ReadonlyMap<number, readonly ForkLink[]>;
  /** The last entry that it has from the session it was forked from. */
  parent: { position: number; from: ForkLink } | undefined;
}

/** @param session asked for when it is known: nothing waits for it. `family` changes when there may be others */
export function useForkPlaces(
  session: string | undefined,
  tree: SessionTree | undefined,
  family: string,
): ForkPlaces {
  const question = session === undefined ? undefined : "forks";
  const { data } = useAnswer<ForksAnswer>(question, { session }, family);
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
