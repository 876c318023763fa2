import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BenchRoot } from "./bench-root.ts";
import { IndexProcess } from "./index-process.ts";
import type { NeedleKind } from "./plan.ts";
import type { Query } from "./processes/open-index.ts";
import { Random } from "./random.ts";
import { createVocabulary } from "./vocabulary.ts";

/** A question to pidex, and what ripgrep is to look for: the text, or what no hit is without. */
export interface Asked extends Query {
  ripgrep: string;
  /** The folder that ripgrep looks in, where that is not the root. */
  folder?: string;
}

export interface QueryClass {
  name: ClassName;
  /** With how many hits each has; those that are found in no entry are left out. */
  queries: (Asked & { hits: number })[];
}

/** The classes that goals are told of by their name. */
export type ClassName =
  | "a rare word"
  | "some 1,000 hits"
  | "the commonest words"
  | "two words"
  | "a phrase"
  | "a prefix"
  | "a pair of Chinese characters"
  | "one project";

/** How many queries a class has at most. */
const A_CLASS = 5;
/** Words are tried at ranks that lie so far apart, and all of those that are as near as this to the best. */
const STEP = 1.2;
const AROUND = 15;

interface Word {
  text: string;
  hits: number;
}

/**
 * What is asked of a root: always the same, since its words are drawn by seed. How many hits a word has is asked of the
 * index, for words at more and more distant ranks of the vocabulary.
 */
export async function queryClasses(root: BenchRoot, db: string): Promise<QueryClass[]> {
  // A process of its own: counting all hits of the commonest words takes memory that no search does.
  const index = new IndexProcess(db, [root.path]);
  try {
    return await chosen(root, index);
  } finally {
    index.end();
  }
}

async function chosen(root: BenchRoot, index: IndexProcess): Promise<QueryClass[]> {
  const { manifest } = root;
  const { english, chinese } = createVocabulary(new Random(manifest.seed));
  const words = await counted(index, sampled(english));
  const common = words.toSorted((a, b) => b.hits - a.hits).slice(0, 3);
  const around = english.indexOf(nearest(words, 1_000)[0]?.text ?? "");
  const neighbors = english.slice(Math.max(0, around - AROUND), around + AROUND);
  const thousand = nearest(await counted(index, neighbors), 1_000).slice(0, A_CLASS);
  const frequent = nearest(words, manifest.entries / 40).slice(0, 2 * A_CLASS);
  const pairs = chinese.filter((word) => [...word].length === 2).slice(0, A_CLASS);
  const needles = (kind: NeedleKind) =>
    manifest.needles.filter((needle) => needle.kind === kind).slice(0, A_CLASS);
  const project = busiestProject(root);
  const classes: { name: ClassName; queries: Asked[] }[] = [
    { name: "a rare word", queries: needles("word").map(({ text }) => plain(text)) },
    { name: "some 1,000 hits", queries: thousand.map(({ text }) => plain(text)) },
    { name: "the commonest words", queries: common.map(({ text }) => plain(text)) },
    { name: "two words", queries: inPairs(frequent).map(([a, b]) => ({ text: `${a} ${b}`, ripgrep: a })) },
    { name: "a phrase", queries: phrases(common, frequent, needles("error")[0]?.text) },
    {
      name: "a prefix",
      queries: frequent
        .filter(isLong)
        .slice(0, A_CLASS)
        .map(({ text }) => prefix(text)),
    },
    { name: "a pair of Chinese characters", queries: pairs.map(plain) },
    {
      name: "one project",
      queries: frequent.slice(0, A_CLASS).map(({ text }) => ({
        ...plain(text),
        options: { project: project.name },
        folder: project.folder,
      })),
    },
  ];
  return withHits(classes, index);
}

function plain(text: string): Asked {
  return { text, ripgrep: text };
}

function isLong({ text }: Word): boolean {
  return text.length > 4;
}

function prefix(word: string): Asked {
  const beginning = word.slice(0, 4);
  return { text: `${beginning}*`, ripgrep: beginning };
}

function phrases(common: readonly Word[], frequent: readonly Word[], rare: string | undefined): Asked[] {
  const pairs = [...inPairs(common), ...inPairs(frequent)].map(([a, b]) => `${a} ${b}`);
  return [...pairs, ...(rare ? [rare] : [])].map((text) => ({ text: `"${text}"`, ripgrep: text }));
}

function inPairs(words: readonly Word[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let n = 0; n + 1 < words.length; n += 2) {
    pairs.push([words[n]?.text as string, words[n + 1]?.text as string]);
  }
  return pairs;
}

/** The words at ranks further and further apart, the most frequent first. */
function sampled(words: readonly string[]): string[] {
  const sample: string[] = [];
  for (let rank = 1; rank <= words.length; rank = Math.max(rank + 1, Math.floor(rank * STEP))) {
    sample.push(words[rank - 1] as string);
  }
  return sample;
}

async function counted(index: IndexProcess, words: readonly string[]): Promise<Word[]> {
  // Exact: more than the newest 2,000 are counted then.
  const asked = words.map((text) => ({ text, options: { exact: true, limit: 1, hits: 1 } }));
  const answers = await index.search(asked, 1);
  return words.map((text, n) => ({ text, hits: answers[n]?.hitCount ?? 0 }));
}

function nearest(words: readonly Word[], hits: number): Word[] {
  const distance = (word: Word) => Math.abs(Math.log((word.hits || 1e-9) / hits));
  return words.toSorted((a, b) => distance(a) - distance(b));
}

/** The project with the most sessions: its folder, and its name as a query takes it. */
function busiestProject({ path }: BenchRoot): { name: string; folder: string } {
  const folders = readdirSync(path).map((name) => join(path, name));
  const [folder = ""] = folders.toSorted((a, b) => readdirSync(b).length - readdirSync(a).length);
  const session = readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "";
  const [header = ""] = readFileSync(join(folder, session), "utf8").split("\n", 1);
  const { cwd } = JSON.parse(header) as { cwd: string };
  return { name: basename(cwd), folder };
}

/** Asks everything once. @throws Error when a rare word is not found exactly once */
async function withHits(
  classes: readonly { name: ClassName; queries: Asked[] }[],
  index: IndexProcess,
): Promise<QueryClass[]> {
  const found: QueryClass[] = [];
  for (const { name, queries } of classes) {
    const exactly = queries.map(({ text, options }) => ({
      text,
      options: { ...options, exact: true, limit: 1 },
    }));
    const answers = await index.search(exactly, 1);
    const all = queries.map((query, n) => ({ ...query, hits: answers[n]?.hitCount ?? 0 }));
    const wrong = name === "a rare word" ? all.find(({ hits }) => hits !== 1) : undefined;
    if (wrong) throw new Error(`"${wrong.text}" stands in one entry, and is found in ${wrong.hits}`);
    const queriesWithHits = all.filter(({ hits }) => hits > 0);
    if (queriesWithHits.length > 0) found.push({ name, queries: queriesWithHits });
  }
  return found;
}
