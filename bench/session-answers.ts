/** What an index says about a root: the same questions in several states of its files, for comparison. */
import { renderExport } from "../bin/web/export/render-export.ts";
import { type EntryId, type Index, PidexError, USAGE_DIMENSIONS } from "../library/index.ts";
import { loadRedactor } from "../library/internal.ts";
import { Random } from "./random.ts";
import { sampleWords } from "./root-words.ts";

/** The sessions, entries and words of the questions. Chosen once, by a seed. */
export interface Questions {
  words: string[];
  /** Sessions of which the tree is read. */
  trees: string[];
  /** Sessions of which everything is read: entries, context, text, exports, secrets. */
  whole: string[];
  entries: { session: string; id: EntryId }[];
  /** Paths and names of touched files. */
  files: string[];
}

/** Numbers of words, sessions and entries to choose. */
export interface QuestionCounts {
  words: number;
  trees: number;
  whole: number;
  entries: number;
}

/** Chooses words from the texts of session files, which must be plain, and sessions and entries from the index. */
export async function chooseQuestions(
  index: Index,
  root: string,
  counts: QuestionCounts,
  seed: number,
): Promise<Questions> {
  const random = new Random(seed);
  const { words, hanPairs, follower } = sampleWords(root);
  const all = [...words.keys(), ...hanPairs];
  const chosen = pick(random, all, counts.words).flatMap((word, n) => {
    const next = n % 3 === 0 ? follower(word) : undefined;
    return next === undefined ? [word] : [word, `"${word} ${next}"`];
  });
  const { sessions } = await index.listAll({ archived: "yes", subagents: "yes" });
  const paths = sessions.map(({ path }) => path).sort();
  const entries: Questions["entries"] = [];
  for (const session of pick(random, paths, counts.entries)) {
    const known = (await index.treeEntries(session)).flatMap(({ id }) => (id === null ? [] : [id]));
    for (const id of pick(random, known, Math.ceil(counts.entries / paths.length))) {
      entries.push({ session, id });
    }
  }
  const touched = (await index.files("*", { limit: 100, touches: 3 })).sessions.flatMap(({ touches }) =>
    touches.map(({ path }) => path),
  );
  return {
    words: chosen.slice(0, counts.words),
    trees: pick(random, paths, counts.trees),
    whole: pick(random, paths, counts.whole),
    entries: entries.slice(0, counts.entries),
    files: pick(random, [...new Set(touched)].sort(), 20),
  };
}

function pick<T>(random: Random, from: readonly T[], count: number): T[] {
  const left = [...from];
  const picked: T[] = [];
  while (left.length > 0 && picked.length < count) picked.push(...left.splice(random.below(left.length), 1));
  return picked;
}

/** An answer as JSON, by its question. An error is an answer too. */
export type Answers = Map<string, string>;

const SORTS = ["modified", "created", "messages", "cost", "name", "size"] as const;
/** Pages of a search: enough to go through its cursors. */
const MAX_PAGES = 4;

/** Asks everything. The clock is stopped meanwhile, because scores and periods depend on the time. */
export async function takeAnswers(index: Index, questions: Questions, now: number): Promise<Answers> {
  const answers: Answers = new Map();
  const clock = Date.now;
  Date.now = () => now;
  try {
    for (const [question, answer] of listQuestions(index, questions)) {
      answers.set(question, toJson(await answer().catch(toErrorAnswer)));
    }
  } finally {
    Date.now = clock;
  }
  return answers;
}

type Question = [name: string, answer: () => Promise<unknown>];

function* listQuestions(index: Index, questions: Questions): Generator<Question> {
  yield* aboutAll(index);
  for (const [n, word] of questions.words.entries()) yield* aboutWord(index, word, n);
  for (const file of ["*", ...questions.files]) {
    yield [`files ${file}`, () => readPages((page) => index.files(file, { ...page, touches: 1000 }), 100)];
  }
  for (const path of questions.trees) {
    yield [`tree ${path}`, async () => flatten(await index.tree(path))];
    yield [`entries in the tree ${path}`, () => index.treeEntries(path)];
    yield [`outline ${path}`, () => index.outline(path)];
    yield [`spend ${path}`, () => index.spend(path)];
    yield [`forks ${path}`, () => index.forks(path)];
  }
  for (const { session, id } of questions.entries) {
    yield [`entry ${session} ${id}`, () => index.entry(session, id)];
    yield [`branch ${session} ${id}`, () => index.branch(session, id)];
  }
  for (const path of questions.whole) yield* aboutWhole(index, path);
}

function* aboutAll(index: Index): Generator<Question> {
  const all = { archived: "yes", subagents: "yes", costs: true, models: true } as const;
  for (const sort of SORTS) {
    yield [`list by ${sort}`, () => readPages((page) => index.listAll({ ...all, ...page, sort }), 50)];
  }
  for (const dimension of USAGE_DIMENSIONS) {
    yield [`usage by ${dimension}`, () => index.usage({ by: [dimension], timeZone: "UTC" })];
  }
  yield ["usage by day, model", () => index.usage({ by: ["day", "model"], timeZone: "UTC" })];
  yield ["usage by project, model", () => index.usage({ by: ["project", "model"], timeZone: "UTC" })];
  yield ["billable events", () => Array.fromAsync(index.usageEvents())];
  yield ["labels", () => index.labels()];
  yield ["problems", () => index.problems()];
  const findings = { since: 0, limit: 1000, examples: 100, minSessions: 1, timeZone: "UTC" };
  yield ["insights", () => index.insights(findings)];
  // Those of the database are no statement about sessions.
  yield [
    "stats",
    async () => ({ ...(await index.stats()), databasePath: undefined, databaseBytes: undefined }),
  ];
  yield ["duplicates and contents", () => reviewPrunable(index)];
  for (const query of ["project:", "model:", "tool:", "tag:"]) {
    yield [`complete ${query}`, () => index.complete(query)];
  }
}

/** Without the bytes on disk and whether they are compressed, which are what compressing changes. */
async function reviewPrunable(index: Index): Promise<unknown> {
  const { sessions: all } = await index.listAll({ archived: "yes", subagents: "yes" });
  const paths = all.map(({ path }) => path); // named ones are not kept for being in use
  const measured = await index.prunable({ subagents: "yes", paths, contents: true });
  const copies = await index.prunable({ subagents: "yes", paths, duplicates: true });
  return [measured, copies].map(({ sessions, kept }) => ({
    kept,
    sessions: sessions.map(({ bytes, compressed, ...each }) => each),
  }));
}

function* aboutWord(index: Index, word: string, n: number): Generator<Question> {
  yield [
    `search ${word}`,
    () => readPages((page) => index.searchEntries(word, { ...page, subagents: "yes", facets: true }), 100),
  ];
  if (n % 5 !== 0) return;
  yield [
    `search for sessions ${word}`,
    () => readPages((page) => index.search(word, { ...page, subagents: "yes", costs: true }), 20),
  ];
  const substring = word.replaceAll('"', "");
  yield [`substring ${word}`, () => scan(index, { substring })];
  if (/^\p{L}+$/u.test(substring))
    yield [`regex ${word}`, () => scan(index, { regex: `\\b${substring}\\w` })];
}

function* aboutWhole(index: Index, path: string): Generator<Question> {
  yield [`entries ${path}`, () => Array.fromAsync(index.entries(path, { branch: "all", hash: true }))];
  yield [`backwards ${path}`, () => Array.fromAsync(index.entries(path, { backwards: true }))];
  yield [`context ${path}`, () => index.context(path)];
  yield [`text ${path}`, async () => (await index.find(path)).allMessagesText];
  yield [`secrets ${path}`, () => Array.fromAsync(index.secrets({ sessions: [path] }))];
  // Exports as HTML read the same entries; their JSX needs a build.
  for (const format of ["md", "jsonl"] as const) {
    yield [
      `export ${format} ${path}`,
      async () => {
        const redactor = format === "md" ? await loadRedactor() : undefined;
        const options = { session: path, format, all: format === "jsonl", redactor };
        return (await Array.fromAsync(renderExport(index, options))).join("");
      },
    ];
  }
}

/** Depths and lines of a tree, depth first: trees are deeper than JSON can be. */
function flatten(roots: Awaited<ReturnType<Index["tree"]>>): string[] {
  const nodes: string[] = [];
  const pending = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, depth } = next;
    nodes.push(`${depth} ${node.entry.line}`);
    pending.push(...node.children.map((child) => ({ node: child, depth: depth + 1 })).reverse());
  }
  return nodes;
}

/** All hits, and what the scan reports in the end. */
async function scan(index: Index, pattern: Parameters<Index["scan"]>[0]): Promise<unknown> {
  const found: unknown[] = [];
  const hits = index.scan(pattern, { subagents: "yes", limit: 500 });
  for (;;) {
    const { value, done } = await hits.next();
    found.push(value);
    if (done) return found;
  }
}

/** The pages of a query, without their cursors, which contain row ids of one database. */
async function readPages<T extends { next?: string }>(
  read: (page: { limit: number; cursor?: string }) => Promise<T>,
  limit: number,
): Promise<unknown[]> {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const { next, ...page } = await read({ limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = next;
  } while (cursor !== undefined && (pages.length < MAX_PAGES || limit === 50));
  return pages;
}

function toErrorAnswer(error: unknown): unknown {
  if (!(error instanceof PidexError)) throw error;
  return { error: error.code, message: error.message };
}

/** Without `compressed` of sessions, which is what compressing changes. */
function toJson(value: unknown): string {
  const replace = (key: string, each: unknown) => {
    if (key === "compressed" && typeof each === "boolean") return undefined;
    return typeof each === "bigint" ? String(each) : each;
  };
  return JSON.stringify(value, replace) ?? "null";
}
