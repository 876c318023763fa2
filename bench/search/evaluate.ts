import type { Engine } from "./engine.ts";
import { findRank, MAX_RANK } from "./metrics.ts";
import type { Kind, Question } from "./questions.ts";
import type { RealQuestion } from "./real-questions.ts";

export const ENGINES = ["pidex", "FTS5"] as const;
export type EngineName = (typeof ENGINES)[number];

/** A question, and the results of each engine. */
export interface Outcome {
  kind: Kind;
  query: string;
  corpus: "planted" | "real";
  /** Rank of the first right result; missing if it is not among the first twenty. */
  ranks: Partial<Record<EngineName, number>>;
  /** The first result. */
  first: Partial<Record<EngineName, string>>;
}

export type Engines = Record<EngineName, Engine>;

/** Searches for sessions. `ids` are those of planted sessions by key. */
export async function evaluatePlanted(
  engines: Engines,
  questions: readonly Question[],
  ids: ReadonlyMap<string, string>,
): Promise<Outcome[]> {
  const keys = new Map([...ids].map(([key, id]) => [id, key]));
  return evaluate(questions, engines, "planted", async (engine, { query, expect }) => {
    const found = await engine.sessions(query, MAX_RANK);
    const right = new Set(expect.map((key) => ids.get(key)));
    const [first] = found;
    return {
      rank: findRank(found, (id) => right.has(id)),
      first: first && (keys.get(first) ?? `generated ${first}`),
    };
  });
}

/** Searches for entries: session and line must be right. */
export async function evaluateReal(engines: Engines, questions: readonly RealQuestion[]): Promise<Outcome[]> {
  return evaluate(questions, engines, "real", async (engine, { query, session, lines }) => {
    const found = await engine.entries(query, MAX_RANK);
    const [first] = found;
    return {
      rank: findRank(found, (entry) => entry.session === session && lines.includes(entry.line)),
      first: first && `${first.session.slice(0, 8)} line ${first.line}`,
    };
  });
}

async function evaluate<Q extends { kind: Kind; query: string }>(
  questions: readonly Q[],
  engines: Engines,
  corpus: Outcome["corpus"],
  search: (engine: Engine, question: Q) => Promise<{ rank: number | undefined; first: string | undefined }>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const outcome: Outcome = { kind: question.kind, query: question.query, corpus, ranks: {}, first: {} };
    for (const name of ENGINES) {
      const { rank, first } = await search(engines[name], question);
      if (rank !== undefined) outcome.ranks[name] = rank;
      if (first !== undefined) outcome.first[name] = first;
    }
    outcomes.push(outcome);
  }
  return outcomes;
}
