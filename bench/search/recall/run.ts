/**
 * Measures how often a search finds the session among the first five results, by kind of question, with pidex and with FTS5 using
 * AND, OR, and OR with Porter stems: `npm run bench:recall`. See bench/README.md.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openIndex } from "../../../library/index.ts";
import { prepareRoot } from "../../bench-root.ts";
import type { Engine } from "../engine.ts";
import { computeScores, findRank, MAX_RANK } from "../metrics.ts";
import { alignColumns } from "../report.ts";
import { createStories } from "../stories.ts";
import { type CreateStory, createStoryFactory, type StorySession } from "../story-session.ts";
import { createRecallEngine, PlainFts5 } from "./engines.ts";
import {
  KINDS,
  type PlantedSession,
  type Question,
  readPlantedSessions,
  readQuestions,
} from "./questions.ts";

const SEED = 1;
const ENGINES = ["pidex", "FTS5 AND", "FTS5 OR", "Porter OR"] as const;
type EngineName = (typeof ENGINES)[number];

/** A question, and the rank of the first right result of each engine; missing if it is not among the first twenty. */
export interface RecallOutcome {
  question: Question;
  ranks: Partial<Record<EngineName, number>>;
  /** The first result of pidex. */
  first: string | undefined;
}

export interface RecallOptions {
  /** Where generated sessions are kept. */
  roots: string;
  /** Bytes of generated sessions. */
  size: string;
  /** The folder of the two real sessions. Without it, their questions are skipped. */
  real?: string | undefined;
  half: "tuned" | "held-out";
}

export async function evaluateRecall({ roots, size, real, half }: RecallOptions): Promise<RecallOutcome[]> {
  mkdirSync(roots, { recursive: true });
  const generated = prepareRoot(roots, "mixed", size).path;
  const scratch = mkdtempSync(join(roots, "recall-"));
  try {
    const planted = join(scratch, "planted");
    mkdirSync(planted);
    const sessions = plantAll(planted);
    const folders = [generated, planted, ...(real === undefined ? [] : [resolve(real)])];
    const questions = readQuestions(half).filter((question) => real !== undefined || "expect" in question);
    return await evaluateAll(scratch, folders, sessions, questions);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** A planted session; values of placeholders in questions. */
interface PlantedFile {
  id: string;
  path: string;
}

/** Writes the planted sessions to a root. Returns them by key. */
export function plantAll(folder: string): Map<string, PlantedFile> {
  const createStory = createStoryFactory(SEED + 1);
  const planted = readPlantedSessions().map((session) => toStory(session, createStory));
  const all = [...createStories(SEED), ...planted];
  return new Map(all.map((story) => [story.key, { id: story.id, path: story.writeUnder(folder) }]));
}

function toStory({ key, project, when, turns }: PlantedSession, createStory: CreateStory): StorySession {
  const session = createStory(key, project, when);
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

async function evaluateAll(
  scratch: string,
  roots: string[],
  sessions: ReadonlyMap<string, PlantedFile>,
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
      for (const [n, engine] of [createRecallEngine(index), ...plain].entries()) {
        const { rank, first } = await findAnswer(engine, question, sessions);
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

export async function findAnswer(
  engine: Engine,
  question: Question,
  sessions: ReadonlyMap<string, PlantedFile>,
): Promise<{ rank: number | undefined; first: string | undefined }> {
  if (!("expect" in question)) {
    const { session, lines } = question;
    const found = await engine.entries(question.query, MAX_RANK);
    const rank = findRank(found, (entry) => entry.session === session && lines.includes(entry.line));
    return { rank, first: found[0] && `${found[0].session.slice(0, 8)} line ${found[0].line}` };
  }
  const expected = sessions.get(question.expect[0] as string) as PlantedFile;
  const query = question.query
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

/** Formats a line per kind, and one for all questions. */
export function formatRecall(outcomes: readonly RecallOutcome[]): string {
  const rows = [...KINDS, "all"].flatMap((kind) => {
    const selected = outcomes.filter(({ question }) => kind === "all" || question.kind === kind);
    if (selected.length === 0) return [];
    const scores = ENGINES.map((name) => computeScores(selected.map(({ ranks }) => ranks[name])));
    return [
      [
        kind,
        String(selected.length),
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
  // Only scores are shown of held-out questions, because readers might tune on them.
  if (values.verbose && half === "tuned") {
    for (const { question, ranks, first } of outcomes) {
      if (ranks.pidex === 1) continue;
      const rank = (name: EngineName) => ranks[name] ?? "-";
      const expected = "expect" in question ? question.expect.join() : `lines ${question.lines.join()}`;
      console.log(
        `${ENGINES.map(rank).join(" ")}  [${question.kind}] ${JSON.stringify(question.query.slice(0, 200))} expected ${expected}, first ${first}`,
      );
    }
  }
  console.log(
    `${formatRecall(outcomes)}\n\nQuestions: ${half} half. Generated sessions: ${values.size}, seed ${SEED}.`,
  );
}

if (import.meta.main) await main();
