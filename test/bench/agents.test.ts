import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerQuestion, containsText, TOKEN_BUDGET } from "../../bench/agents/answer-question.ts";
import { type CountingClient, countTextTokens } from "../../bench/agents/counting-client.ts";
import { startDemoClient } from "../../bench/agents/demo-root.ts";
import { benchmarkPaging, formatPagingReport } from "../../bench/agents/paging.ts";
import { QUESTIONS, type Question } from "../../bench/agents/questions.ts";
import { formatReport, MIN_ANSWERED } from "../../bench/agents/run.ts";
import { insertTranscript, recordTranscript } from "../../bench/agents/transcript.ts";
import { prepareRoot } from "../../bench/bench-root.ts";
import { createRandom } from "../../bin/demo/random.ts";
import { fillPlaceholders, STORIES } from "../../bin/demo/stories.ts";
import { temporaryFolder } from "../temporary.ts";

const cleaning: (() => void)[] = [];
let folder: string;
let client: CountingClient;
beforeAll(async () => {
  folder = temporaryFolder({ onTestFinished: (clean) => cleaning.push(clean as () => void) });
  client = await startDemoClient(folder);
});
afterAll(async () => {
  await client?.close();
  for (const clean of cleaning) clean();
});

/** The used fields of a session entry. */
interface Line {
  id?: string;
  parentId?: string | null;
  type: string;
  message?: { role: string; content: { type: string }[] };
}

/** Location of a question's answer: the kind of text, and whether it is on an abandoned branch. */
function places({ answer }: Question, root: string): { foundIn: string; location: string | undefined }[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const escaped = JSON.stringify(answer).slice(1, -1);
  return files.flatMap((name) => {
    const text = readFileSync(join(root, name), "utf8");
    if (!text.includes(escaped)) return [];
    const lines = text.split("\n").flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Line] : []));
    const current = branchOf(lines);
    return lines
      .filter((line) => JSON.stringify(line.message?.content ?? line).includes(escaped))
      .map((line) => ({
        foundIn: kindOf(line, escaped),
        location: name.includes("run-")
          ? "subagent's session"
          : current.has(line.id as string)
            ? undefined
            : "abandoned branch",
      }));
  });
}

function branchOf(lines: readonly Line[]): Set<string> {
  const parents = new Map(lines.map(({ id, parentId }) => [id, parentId]));
  const branch = new Set<string>();
  for (let id = lines.at(-1)?.id; id; id = parents.get(id) ?? undefined) branch.add(id);
  return branch;
}

function kindOf({ type, message }: Line, answer: string): string {
  if (!message) return type;
  if (message.role === "toolResult") return "output";
  const block = message.content.find((one) => JSON.stringify(one).includes(answer));
  return block?.type === "toolCall" ? "call" : "response";
}

describe("the benchmark questions", () => {
  test("are twenty, and cover all parts of the demo and every kind of text", () => {
    expect(QUESTIONS).toHaveLength(20);
    expect(new Set(QUESTIONS.map(({ question }) => question)).size).toBe(20);
    const texts = STORIES.map((story) => {
      const words = Object.fromEntries(
        Object.entries(story.vary).map(([name, [first = ""]]) => [name, first]),
      );
      const lowest = { ...createRandom(1), between: (low: number) => low };
      return { story, text: JSON.stringify(fillPlaceholders(story.steps, words, lowest)) };
    });
    const holding = QUESTIONS.flatMap(({ answer }) => {
      const escaped = JSON.stringify(answer).slice(1, -1);
      return texts.filter(({ text }) => text.includes(escaped)).map(({ story }) => story);
    });
    expect(new Set(holding).size).toBeGreaterThan(8);
    expect(new Set(holding.map(({ project }) => project)).size).toBeGreaterThan(7);
    expect(new Set(QUESTIONS.map(({ foundIn }) => foundIn)).size).toBe(4);
    expect(new Set(QUESTIONS.map(({ location }) => location)).size).toBe(3);
  });

  test("have their answer at the stated location only", () => {
    const root = join(folder, "demo", "sessions");
    const wrong = QUESTIONS.filter((question) => {
      const found = places(question, root);
      const { foundIn, location } = question;
      return (
        found.length === 0 || found.some((place) => place.foundIn !== foundIn || place.location !== location)
      );
    });
    expect(wrong.map((question) => [question.question, places(question, root).slice(0, 3)])).toEqual([]);
  });

  test("contain no word of their answer", () => {
    const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
    const copied = QUESTIONS.flatMap(({ query, answer }) => {
      const known = new Set(words(answer));
      return words(query).filter((word) => known.has(word));
    });
    expect(copied).toEqual([]);
  });
});

test("the texts and arguments of all calls are counted until the answer is found", async () => {
  const one = QUESTIONS.find(({ question }) => question.includes("flaky")) as Question;
  const found = await client.call("search_sessions", { query: one.query });
  expect(found.tokens).toBe(
    countTextTokens(found.text) + countTextTokens(JSON.stringify({ query: one.query })),
  );
  const outcome = await answerQuestion(client, one);
  expect(outcome).toMatchObject({ answered: true, calls: 2, tools: ["search_sessions", "read_session"] });
  expect(outcome.tokens).toBeGreaterThan(found.tokens);
  const poor = await answerQuestion(client, one, found.tokens);
  expect(poor).toMatchObject({ answered: false, calls: 1, tokens: found.tokens });
  const unanswered = await answerQuestion(client, { ...one, answer: "what nobody ever said" });
  expect(unanswered.answered).toBe(false);
  expect(unanswered.tokens).toBeGreaterThan(TOKEN_BUDGET / 2);
  const lines = formatReport({ outcomes: [outcome, unanswered], toolTokens: 7 });
  expect(lines).toContain(`1 of 2 answered within ${TOKEN_BUDGET} tokens; median ${outcome.tokens}`);
});

test("enough of the questions are answered within the budget", async () => {
  const outcomes = [];
  for (const question of QUESTIONS) outcomes.push(await answerQuestion(client, question));
  expect(outcomes.filter(({ answered }) => answered).length).toBeGreaterThanOrEqual(MIN_ANSWERED);
});

test("a large session is paged through, each entry once and in order", async () => {
  const report = await benchmarkPaging(prepareRoot(join(folder, "roots"), "giant", "1MB"));
  expect(report.faults).toEqual([]);
  expect(report.textEntries).toBeGreaterThan(100);
  expect(report.forwards).toMatchObject({ limitTokens: 50_000, entries: report.textEntries });
  expect(report.backwards.pages).toBeGreaterThan(5);
  expect(formatPagingReport(report)).toContain("every entry once, in order, within the limit");
});

test("an answer is found despite quotation marks and line breaks", () => {
  expect(containsText("> one two\n> three", "two three")).toBe(true);
  expect(containsText("> one > two", "one two")).toBe(false);
});

test("the transcript in docs/agents.md is up to date with npm run docs", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/agents.md"), "utf8");
  expect(insertTranscript(page, await recordTranscript(client, folder))).toBe(page);
});
