/**
 * How often a search finds the session among the first five, by the kind of question: `npm run bench:recall`. pidex beside
 * plain FTS5 with AND, with OR, and with OR and Porter stems, in one run. See bench/README.md.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openIndex } from "../../../library/index.ts";
import { benchRoot } from "../../bench-root.ts";
import type { Engine } from "../engine.ts";
import { computeScores, findRank, MAX_RANK } from "../metrics.ts";
import { alignColumns } from "../report.ts";
import { stories } from "../stories.ts";
import { type StorySession, storyFactory } from "../story-session.ts";
import { PlainFts5, recallEngine } from "./engines.ts";
import { KINDS, type PlantedSession, type Question, recallQuestions, recallSessions } from "./questions.ts";

const SEED = 1;
const ENGINES = ["pidex", "FTS5 AND", "FTS5 OR", "Porter OR"] as const;
type EngineName = (typeof ENGINES)[number];

/** One question, and the rank of the first right answer of each engine; none when it is not among the first twenty. */
export interface RecallOutcome {
  question: Question;
  ranks: Partial<Record<EngineName, number>>;
  /** What pidex had first. */
  first: string | undefined;
}

export interface RecallOptions {
  /** Where generated sessions are kept. */
  roots: string;
  /** Bytes of generated sessions. */
  size: string;
  /** The folder of the two real sessions; without it their questions are left out. */
  real?: string | undefined;
  half: "tuned" | "held-out";
}

export async function evaluateRecall({ roots, size, real, half }: RecallOptions): Promise<RecallOutcome[]> {
  mkdirSync(roots, { recursive: true });
  const generated = benchRoot(roots, "mixed", size).path;
  const scratch = mkdtempSync(join(roots, "recall-"));
  try {
    const planted = join(scratch, "planted");
    mkdirSync(planted);
    const sessions = plantAll(planted);
    const folders = [generated, planted, ...(real === undefined ? [] : [resolve(real)])];
    const questions = recallQuestions(half).filter((each) => real !== undefined || "expect" in each);
    return await ask(scratch, folders, sessions, questions);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** What a placeholder of a question stands for. */
interface Planted {
  id: string;
  path: string;
}

export function plantAll(folder: string): Map<string, Planted> {
  const tell = storyFactory(SEED + 1);
  const all = [...stories(SEED), ...recallSessions().map((session) => writtenAs(session, tell))];
  return new Map(all.map((each) => [each.key, { id: each.id, path: each.writeUnder(folder) }]));
}

function writtenAs(
  { key, project, when, turns }: PlantedSession,
  tell: ReturnType<typeof storyFactory>,
): StorySession {
  const session = tell(key, project, when);
  for (const turn of turns) {
    if ("user" in turn) session.user(turn.user);
    else if ("say" in turn) session.say(turn.say);
    else if ("think" in turn) session.think(turn.think);
    else if ("run" in turn) session.run(turn.run, turn.output);
    else if ("fails" in turn) session.fails(turn.fails, turn.output);
    else if ("read" in turn) session.read(turn.read, turn.output);
    else if ("edit" in turn) session.edit(turn.edit, turn.old, turn.new);
    else session.chores(turn.chores);
  }
  return session;
}

async function ask(
  scratch: string,
  roots: string[],
  sessions: ReadonlyMap<string, Planted>,
  questions: readonly Question[],
): Promise<RecallOutcome[]> {
  await using index = await openIndex({ db: join(scratch, "pidex.db"), roots });
  await index.sync();
  const plain = [
    new PlainFts5(join(scratch, "and.db"), roots, "AND", "unicode61"),
    new PlainFts5(join(scratch, "or.db"), roots, "OR", "unicode61"),
    new PlainFts5(join(scratch, "porter.db"), roots, "OR", "porter"),
  ];
  try {
    const outcomes: RecallOutcome[] = [];
    for (const question of questions) {
      const outcome: RecallOutcome = { question, ranks: {}, first: undefined };
      for (const [n, engine] of [recallEngine(index), ...plain].entries()) {
        const { rank, first } = await answer(engine, question, sessions);
        if (rank !== undefined) outcome.ranks[ENGINES[n] as EngineName] = rank;
        if (n === 0) outcome.first = first;
      }
      outcomes.push(outcome);
    }
    return outcomes;
  } finally {
    for (const engine of plain) engine.close();
  }
}

export async function answer(
  engine: Engine,
  question: Question,
  sessions: ReadonlyMap<string, Planted>,
): Promise<{ rank: number | undefined; first: string | undefined }> {
  if (!("expect" in question)) {
    const { session, lines } = question;
    const found = await engine.entries(question.ask, MAX_RANK);
    const rank = findRank(found, (place) => place.session === session && lines.includes(place.line));
    return { rank, first: found[0] && `${found[0].session.slice(0, 8)} line ${found[0].line}` };
  }
  const expected = sessions.get(question.expect[0] as string) as Planted;
  const query = question.ask
    .replaceAll("{id}", expected.id)
    .replaceAll(/\{id:(\d+)\}/g, (_, length: string) => expected.id.slice(0, Number(length)))
    .replaceAll("{path}", expected.path)
    .replaceAll("{file}", basename(expected.path));
  const right = new Set(question.expect.map((key) => sessions.get(key)?.id));
  const found = await engine.sessions(query, MAX_RANK);
  const keys = new Map([...sessions].map(([key, { id }]) => [id, key]));
  return {
    rank: findRank(found, (id) => right.has(id)),
    first: found[0] && (keys.get(found[0]) ?? found[0]),
  };
}

/** A line for each kind, and one for all. */
export function formatRecall(outcomes: readonly RecallOutcome[]): string {
  const rows = [...KINDS, "all"].flatMap((kind) => {
    const some = outcomes.filter(({ question }) => kind === "all" || question.kind === kind);
    if (some.length === 0) return [];
    const scores = ENGINES.map((name) => computeScores(some.map(({ ranks }) => ranks[name])));
    return [
      [
        kind,
        String(some.length),
        ...scores.map(({ recallAt5 }) => recallAt5.toFixed(3)),
        ...scores.map(({ mrr }) => mrr.toFixed(3)),
      ],
    ];
  });
  const headings = [
    "kind",
    "questions",
    ...ENGINES.map((name) => `recall@5 ${name}`),
    ...ENGINES.map((name) => `MRR ${name}`),
  ];
  return alignColumns([headings, ...rows]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string", default: "100MB" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      real: { type: "string" },
      "held-out": { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
    },
  });
  const half = values["held-out"] ? "held-out" : "tuned";
  const outcomes = await evaluateRecall({ ...values, half });
  // Of questions that are held out only the scores are shown: what is read is tuned on.
  if (values.verbose && half === "tuned") {
    for (const { question, ranks, first } of outcomes) {
      if (ranks.pidex === 1) continue;
      const rank = (name: EngineName) => ranks[name] ?? "-";
      const wanted = "expect" in question ? question.expect.join() : `lines ${question.lines.join()}`;
      console.log(
        `${ENGINES.map(rank).join(" ")}  [${question.kind}] ${JSON.stringify(question.ask.slice(0, 200))} wants ${wanted}, first ${first}`,
      );
    }
  }
  console.log(
    `${formatRecall(outcomes)}\n\n${half} half; ${values.size} of generated sessions, seed ${SEED}.`,
  );
}

if (import.meta.main) await main();
