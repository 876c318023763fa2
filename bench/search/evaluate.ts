import type { Engine } from "./engine.ts";
import { findRank, MAX_RANK } from "./metrics.ts";
import type { Kind, Question } from "./questions.ts";
import type { RealQuestion } from "./real-questions.ts";

/** Whom pidex is held against. */
export const ENGINES = ["pidex", "FTS5"] as const;
export type EngineName = (typeof ENGINES)[number];

/** One question, and how each engine did on it. */
export interface Outcome {
  kind: Kind;
  ask: string;
  corpus: "planted" | "real";
  /** The rank of the first right answer; none when it is not among the first twenty. */
  ranks: Partial<Record<EngineName, number>>;
  /** What came first. */
  first: Partial<Record<EngineName, string>>;
}

export type Engines = Record<EngineName, Engine>;

/** Asks for sessions. `ids` gives the planted ones by key; what is found is told by key where it has one. */
export async function evaluatePlanted(
  engines: Engines,
  questions: readonly Question[],
  ids: ReadonlyMap<string, string>,
): Promise<Outcome[]> {
  const keys = new Map([...ids].map(([key, id]) => [id, key]));
  return evaluate(questions, engines, "planted", async (engine, { ask, expect }) => {
    const found = await engine.sessions(ask, MAX_RANK);
    const right = new Set(expect.map((key) => ids.get(key)));
    const [first] = found;
    return {
      rank: findRank(found, (id) => right.has(id)),
      first: first && (keys.get(first) ?? `generated ${first}`),
    };
  });
}

/** Asks for entries: the session is right, and the line is one of those that answer. */
export async function evaluateReal(engines: Engines, questions: readonly RealQuestion[]): Promise<Outcome[]> {
  return evaluate(questions, engines, "real", async (engine, { ask, session, lines }) => {
    const found = await engine.entries(ask, MAX_RANK);
    const [first] = found;
    return {
      rank: findRank(found, (place) => place.session === session && lines.includes(place.line)),
      first: first && `${first.session.slice(0, 8)} line ${first.line}`,
    };
  });
}

async function evaluate<Q extends { kind: Kind; ask: string }>(
  questions: readonly Q[],
  engines: Engines,
  corpus: Outcome["corpus"],
  answer: (engine: Engine, question: Q) => Promise<{ rank: number | undefined; first: string | undefined }>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const outcome: Outcome = { kind: question.kind, ask: question.ask, corpus, ranks: {}, first: {} };
    for (const name of ENGINES) {
      const { rank, first } = await answer(engines[name], question);
      if (rank !== undefined) outcome.ranks[name] = rank;
      if (first !== undefined) outcome.first[name] = first;
    }
    outcomes.push(outcome);
  }
  return outcomes;
}
