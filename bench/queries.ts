import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchRoot } from "./bench-root.ts";
import { IndexProcess } from "./index-process.ts";
import type { NeedleKind } from "./plan.ts";
import type { Query } from "./processes/open-index.ts";
import { listSessionFiles, type RootWords, sampleWords } from "./root-words.ts";

/** A query for pidex, and the equivalent for ripgrep. */
export interface BenchQuery extends Query {
  /** A text that every hit contains. */
  ripgrepText: string;
  /** The folder ripgrep searches, if it is not the root. */
  folder?: string;
}

export interface QueryClass {
  name: ClassName;
  /** Queries without hits are left out. */
  queries: (BenchQuery & { hits: number })[];
}

/** Names of the query classes, as in the tables. */
export type ClassName =
  | "a rare word"
  | "about 1,000 hits"
  | "the most common words"
  | "two words"
  | "a phrase"
  | "a prefix"
  | "two Chinese characters"
  | "one project";

const MAX_QUERIES_PER_CLASS = 5;
/** Words of the root are first sampled at ranks that grow by this factor. */
const RANK_FACTOR = 1.2;
/** Then all words within this many ranks of the best one are tried. */
const NEARBY_RANKS = 15;
/** Words tried to find some with one hit. */
const MAX_RARE_CANDIDATES = 60;

interface Word {
  text: string;
  hits: number;
}

/** Chooses the queries for a root by the number of hits of its own words. They are the same for each run over the same files. */
export async function chooseQueries(root: BenchRoot, db: string): Promise<QueryClass[]> {
  // A separate process: counting all hits of the most common words takes more memory than any measured search.
  const index = new IndexProcess(db, [root.path]);
  try {
    return await chooseFrom(root, index);
  } finally {
    index.end();
  }
}

async function chooseFrom(root: BenchRoot, index: IndexProcess): Promise<QueryClass[]> {
  const { manifest } = root;
  const sample = sampleWords(root.path);
  const ranked = [...sample.words.keys()];
  const words = await countHits(index, sampleByRank(ranked));
  const common = words.toSorted((a, b) => b.hits - a.hits).slice(0, 3);
  const bestRank = ranked.indexOf(sortByDistance(words, 1_000)[0]?.text ?? "");
  const nearby = ranked.slice(Math.max(0, bestRank - NEARBY_RANKS), bestRank + NEARBY_RANKS);
  const thousand = sortByDistance(await countHits(index, nearby), 1_000).slice(0, MAX_QUERIES_PER_CLASS);
  const frequent = sortByDistance(words, manifest.entries / 40).slice(0, 2 * MAX_QUERIES_PER_CLASS);
  const pairs = sample.hanPairs.slice(0, MAX_QUERIES_PER_CLASS);
  const needles = (kind: NeedleKind) =>
    manifest.needles.flatMap((needle) => (needle.kind === kind ? [needle.text] : []));
  const rare = manifest.needles.length > 0 ? needles("word") : await findRareWords(index, ranked);
  const project = findLargestProject(root);
  const classes: { name: ClassName; queries: BenchQuery[] }[] = [
    { name: "a rare word", queries: rare.slice(0, MAX_QUERIES_PER_CLASS).map(toQuery) },
    { name: "about 1,000 hits", queries: thousand.map(({ text }) => toQuery(text)) },
    { name: "the most common words", queries: common.map(({ text }) => toQuery(text)) },
    {
      name: "two words",
      queries: toPairs(frequent).map(([a, b]) => ({ text: `${a} ${b}`, ripgrepText: a })),
    },
    { name: "a phrase", queries: toPhraseQueries(sample, [...common, ...frequent], needles("error")[0]) },
    {
      name: "a prefix",
      queries: frequent
        .filter(isLong)
        .slice(0, MAX_QUERIES_PER_CLASS)
        .map(({ text }) => toPrefixQuery(text)),
    },
    { name: "two Chinese characters", queries: pairs.map(toQuery) },
    {
      name: "one project",
      queries: frequent.slice(0, MAX_QUERIES_PER_CLASS).map(({ text }) => ({
        ...toQuery(text),
        options: { project: project.name },
        folder: project.folder,
      })),
    },
  ];
  return addHitCounts(classes, index);
}

function toQuery(text: string): BenchQuery {
  return { text, ripgrepText: text };
}

function isLong({ text }: Word): boolean {
  return text.length > 4;
}

function toPrefixQuery(word: string): BenchQuery {
  const letters = word.slice(0, 4);
  return { text: `${letters}*`, ripgrepText: letters };
}

/** Phrases of a word and the one that most often follows it, and an error message. */
function toPhraseQueries(
  sample: RootWords,
  words: readonly Word[],
  errorText: string | undefined,
): BenchQuery[] {
  const pairs = words.flatMap(({ text }) => {
    const next = sample.follower(text);
    return next === undefined ? [] : [`${text} ${next}`];
  });
  const phrases = [...pairs.slice(0, MAX_QUERIES_PER_CLASS), ...(errorText ? [errorText] : [])];
  return phrases.map((text) => ({ text: `"${text}"`, ripgrepText: text }));
}

function toPairs(words: readonly Word[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let n = 0; n + 1 < words.length; n += 2) {
    pairs.push([words[n]?.text as string, words[n + 1]?.text as string]);
  }
  return pairs;
}

/** Words at exponentially growing ranks, most frequent first. */
function sampleByRank(words: readonly string[]): string[] {
  const sample: string[] = [];
  for (let rank = 1; rank <= words.length; rank = Math.max(rank + 1, Math.floor(rank * RANK_FACTOR))) {
    sample.push(words[rank - 1] as string);
  }
  return sample;
}

async function countHits(index: IndexProcess, words: readonly string[]): Promise<Word[]> {
  // Without `exact`, hits beyond the newest 2,000 are not counted.
  const queries = words.map((text) => ({ text, options: { exact: true, limit: 1, hits: 1 } }));
  const results = await index.search(queries, 1);
  return words.map((text, n) => ({ text, hits: results[n]?.hitCount ?? 0 }));
}

function sortByDistance(words: readonly Word[], hits: number): Word[] {
  const distance = (word: Word) => Math.abs(Math.log((word.hits || 1e-9) / hits));
  return words.toSorted((a, b) => distance(a) - distance(b));
}

/** Words with one hit, of the rarest in the sample. */
async function findRareWords(index: IndexProcess, ranked: readonly string[]): Promise<string[]> {
  const words = await countHits(index, ranked.slice(-MAX_RARE_CANDIDATES));
  return words.filter(({ hits }) => hits === 1).map(({ text }) => text);
}

/** The folder with the most sessions, and the last part of their working directory for `project:`. */
function findLargestProject({ path }: BenchRoot): { name: string; folder: string } {
  const byFolder = Map.groupBy(listSessionFiles(path), (file) => dirname(file));
  const [largest] = [...byFolder.values()].toSorted((a, b) => b.length - a.length);
  const file = join(path, largest?.[0] ?? "");
  const [header = ""] = readFileSync(file, "utf8").split("\n", 1);
  const { cwd } = JSON.parse(header) as { cwd: string };
  return { name: cwd.split(/[/\\]/).at(-1) ?? cwd, folder: dirname(file) };
}

/** Adds the number of hits of each query. @throws Error if a rare word does not have exactly one */
async function addHitCounts(
  classes: readonly { name: ClassName; queries: BenchQuery[] }[],
  index: IndexProcess,
): Promise<QueryClass[]> {
  const counted: QueryClass[] = [];
  for (const { name, queries } of classes) {
    const exactQueries = queries.map(({ text, options }) => ({
      text,
      options: { ...options, exact: true, limit: 1 },
    }));
    const results = await index.search(exactQueries, 1);
    const all = queries.map((query, n) => ({ ...query, hits: results[n]?.hitCount ?? 0 }));
    const wrong = name === "a rare word" ? all.find(({ hits }) => hits !== 1) : undefined;
    if (wrong) throw new Error(`"${wrong.text}" is in one entry, but was found in ${wrong.hits}`);
    const queriesWithHits = all.filter(({ hits }) => hits > 0);
    if (queriesWithHits.length > 0) counted.push({ name, queries: queriesWithHits });
  }
  return counted;
}
