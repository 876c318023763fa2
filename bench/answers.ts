import { type Index, openIndex } from "../index.ts";
import type { BenchRoot } from "./bench-root.ts";
import { type Comparison, compare } from "./comparison.ts";
import type { Manifest, Needle } from "./generate.ts";
import { median } from "./spread.ts";

/** How often each question is asked: answers are so quick that a few rounds would say little. */
const TURNS = 20;

interface Question {
  what: string;
  ask: (index: Index) => Promise<unknown>;
}

/** Asks an up-to-date index in this process, all questions in turns, against reading everything with the floor. */
export async function measureAnswers(
  root: BenchRoot,
  db: string,
  floorMs: readonly number[],
): Promise<Comparison[]> {
  const index = await openIndex({ db, roots: [root.path] });
  try {
    const questions = questionsOn(root.manifest);
    const times = questions.map((): number[] => []);
    for (const { ask } of questions) await ask(index); // warm
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [n, { ask }] of questions.entries()) {
        const began = performance.now();
        await ask(index);
        times[n]?.push(performance.now() - began);
      }
    }
    return questions.map(({ what }, n) =>
      compare({
        what,
        unit: "ms",
        measured: times[n] ?? [],
        against: "the floor",
        base: [median(floorMs)],
        times: "as fast",
      }),
    );
  } finally {
    await index.close();
  }
}

/** The common words are the most frequent ones of the generator's vocabularies; the rare ones stand in one entry. */
function questionsOn({ files, needles }: Manifest): Question[] {
  const needle = (kind: Needle["kind"]) => {
    const found = needles.find((candidate) => candidate.kind === kind);
    if (!found) throw new Error(`No needle of kind ${kind}`);
    return found;
  };
  return [
    {
      what: "list all sessions",
      ask: async (index) => {
        const { total } = await index.listAll({ subagents: "yes" });
        if (total !== files) throw new Error(`${total} sessions listed, ${files} are there`);
      },
    },
    { what: "search: a rare word", ask: (index) => find(index, needle("word")) },
    { what: "search: a common word", ask: (index) => search(index, "the") },
    { what: "search: two common words", ask: (index) => search(index, "function error") },
    { what: "search: a rare Chinese word", ask: (index) => find(index, needle("phrase")) },
    { what: "search: a common Chinese word", ask: (index) => search(index, "我们") },
  ];
}

async function find(index: Index, { text, sessionId }: Needle): Promise<void> {
  const { sessions } = await index.search(text, { subagents: "yes" });
  const found = sessions.map(({ session }) => session.id).join();
  if (found !== sessionId) throw new Error(`"${text}" is in ${sessionId}, found in ${found || "none"}`);
}

async function search(index: Index, query: string): Promise<void> {
  const { hitCount } = await index.search(query);
  if (hitCount === 0) throw new Error(`Nothing found: ${query}`);
}
