import { existsSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolCall } from "../../fixtures/blocks.ts";
import { session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";
import { type Fields, isFields, plainSession } from "./brute-force.ts";
import { FIXTURES, indexed, openOver, sessionFiles } from "./opened-queries.ts";

const counted = (names: readonly unknown[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[String(name)] = (counts[String(name)] ?? 0) + 1;
  return counts;
};
const asRecord = (counts: readonly { name: string; count: number }[]) =>
  Object.fromEntries(counts.map(({ name, count }) => [name, count]));

/**
 * Expected cost: each entry once, whichever files contain it, and subagents' cost from their own files. Only for files without
 * problems.
 */
function spent(entries: readonly Fields[], files: readonly string[]) {
  const isHere = (path: unknown) => files.some((file) => file.endsWith(basename(String(path))));
  const events = new Map(entries.map((entry) => [`${entry.id} ${entry.timestamp}`, entry]));
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  let cost = 0;
  for (const entry of events.values()) {
    const message = isFields(entry.message) ? entry.message : {};
    const details = isFields(message.details) ? message.details : {};
    const results = Array.isArray(details.results) ? details.results.filter(({ agent }) => agent) : [];
    const own = message.usage ?? entry.usage;
    const unreported = results.filter(
      ({ sessionFile, artifactPaths }) => ![sessionFile, artifactPaths?.jsonlPath].some(isHere),
    );
    for (const usage of results.length === 0 ? [own ?? {}] : unreported.flatMap(({ usage }) => usage ?? [])) {
      for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += usage[kind] ?? 0;
      cost += typeof usage.cost === "number" ? usage.cost : (usage.cost?.total ?? 0);
    }
  }
  return { tokens: sum, cost };
}

describe("the fixtures", () => {
  test("are counted as JSON.parse counts them", async () => {
    const root = join(FIXTURES, "pi");
    const index = await openOver([root]);
    await index.sync();
    const stats = await index.stats();
    const files = sessionFiles(root).map((path) => ({
      path,
      ...(plainSession(path) as { header: Fields; entries: [] }),
    }));
    const entries = files.flatMap(({ entries }) => entries.map(({ entry }) => entry as Fields));
    const messages = entries.filter(({ type }) => type === "message").map(({ message }) => message as Fields);
    const people = files.filter(({ path }) => !/subagent-artifacts|run-0/.test(path));
    // Forks have copies with the same ids and times.
    const distinct = new Map(entries.map((entry) => [`${entry.id} ${entry.timestamp}`, entry]));
    const ownMessages = [...distinct.values()].flatMap(({ message }): Fields[] =>
      isFields(message) ? [message] : [],
    );
    const calls = ownMessages.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ type }) => type === "toolCall") : [],
    );
    const answers = messages.filter(({ role }) => role === "assistant");

    expect(stats).toMatchObject({
      sessions: people.length,
      subagentSessions: files.length - people.length,
      files: files.length,
      bytes: files.reduce((sum, { path }) => sum + statSync(path).size, 0),
      entries: entries.length,
      messages: messages.length,
      toolCalls: calls.length,
      failedToolCalls: ownMessages.filter(({ isError }) => isError).length,
      oldest: files.map(({ header }) => String(header.timestamp)).sort()[0],
      newest: (await index.find("@last")).modified.toISOString(),
      problems: [],
      databasePath: index.path,
    });
    expect(stats.indexedBytes).toBe(stats.bytes);
    expect(asRecord(stats.models)).toEqual(
      counted(answers.map(({ provider, model }) => `${provider}/${model}`)),
    );
    expect(asRecord(stats.projects)).toEqual(counted(people.map(({ header }) => header.cwd)));
    const { tokens, cost } = spent(
      entries,
      files.map(({ path }) => path),
    );
    expect(stats.tokens).toEqual(tokens);
    expect(stats.costUsd).toBeCloseTo(cost, 7);
    expect(stats.databaseBytes).toBeGreaterThan(statSync(index.path).size - 1);
  });
});

describe("cost", () => {
  const talk = () =>
    session({ id: "one" })
      .user("Hello.")
      .assistant("Hi.", { tokens: { input: 1_000_000, output: 0 } });

  test("of a fork's copies counts once, and its own entries count too", async () => {
    const parent = talk();
    const fork = parent.fork({ id: "two", timestamp: "2026-01-06T09:00:00.000Z" });
    const clone = parent.fork({ id: "three", leaf: parent.lastId, cwd: "/home/ada/blog" });
    fork.assistant("More.", { tokens: { output: 1_000_000 } });
    const { index } = await indexed(parent, fork, clone);
    const { costUsd, tokens, messages } = await index.stats();
    expect(costUsd).toBe(3 + 15);
    expect(tokens).toMatchObject({ input: 1_000_000, output: 1_000_000 });
    expect(messages).toBe(2 + 3 + 2);
  });

  test("of a fork remains after its parent's file is deleted", async () => {
    const parent = talk();
    const { index, path } = await indexed(parent, parent.fork({ id: "two" }));
    rmSync(path);
    await index.sync();
    expect(await index.stats()).toMatchObject({ sessions: 1, costUsd: 3 });
  });

  test("of unrelated sessions with equal entry ids is not merged", async () => {
    const one = session({ id: "one", idSeed: "s" }).assistant("a", { tokens: { input: 1_000_000 } });
    const two = session({ id: "two", idSeed: "s", timestamp: "2026-01-06T09:00:00.000Z" });
    const { index } = await indexed(one, two.assistant("a", { tokens: { input: 1_000_000 } }));
    expect((await index.stats()).costUsd).toBe(6);
  });

  /** A parent that reports runs of subagents, one of them with a file: each cost a dollar. */
  async function handedOver(runs: (childPath: string) => object[], fields: object = {}) {
    const root = join(temporaryFolder(), "sessions");
    const childPath = join(root, "p", "subagent-artifacts", "1_scout.jsonl");
    const usage = { input: 1, output: 0, cost: { total: 1 } };
    session({ id: "child" }).assistant("Done.", { usage }).write(childPath);
    session({ id: "parent" })
      .toolResult("call", "subagent", "done", { details: { results: runs(childPath) }, ...fields })
      .write(join(root, "p", "parent.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    return (await index.stats()).costUsd;
  }
  const usage = { input: 1, output: 0, cost: 1 };

  test("of a subagent counts once, though its caller's session reports it too", async () => {
    expect(await handedOver((sessionFile) => [{ agent: "scout", usage, sessionFile }])).toBe(1);
    const artifact = (jsonlPath: string) => [{ agent: "scout", usage, artifactPaths: { jsonlPath } }];
    expect(await handedOver(artifact)).toBe(1);
  });

  test("of a subagent without a file is counted", async () => {
    expect(
      await handedOver((sessionFile) => [
        { agent: "a", usage, sessionFile },
        { agent: "b", usage },
      ]),
    ).toBe(2);
  });

  test("is separated by run, also after a run without a cost", async () => {
    expect(await handedOver((sessionFile) => [{ agent: "a" }, { agent: "b", usage, sessionFile }])).toBe(1);
  });

  test("of a subagent without a cost in its file is taken from its caller", async () => {
    const root = join(temporaryFolder(), "sessions");
    const jsonlPath = session({ id: "empty" })
      .user("hi")
      .write(join(root, "p", "subagent-artifacts", "1.jsonl"));
    session({ id: "parent" })
      .toolResult("call", "subagent", "done", {
        details: { results: [{ agent: "scout", usage, artifactPaths: { jsonlPath } }] },
      })
      .write(join(root, "p", "parent.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    expect((await index.stats()).costUsd).toBe(1);
  });

  test("of several runs reported as one sum is counted", async () => {
    const both = { usage: { input: 2, output: 0, cost: { total: 2 } } };
    const runs = (sessionFile: string) => [
      { agent: "a", usage, sessionFile },
      { agent: "b", usage },
    ];
    expect(await handedOver(runs, both)).toBe(2);
    expect(await handedOver((path) => runs(path).reverse(), both)).toBe(2);
  });
});

test("a result completes only the last call with its id", async () => {
  const again = session();
  for (const fields of [{}, { isError: true }]) {
    again.assistant([toolCall("call_0", "bash", { command: "x" })]);
    again.toolResult("call_0", "bash", "answer", fields);
  }
  const { index } = await indexed(again);
  expect(await index.stats()).toMatchObject({ toolCalls: 2, failedToolCalls: 1 });
});

describe("an index", () => {
  test("without sessions has zero counts", async () => {
    const index = await openOver([join(temporaryFolder(), "nowhere")]);
    await index.sync();
    const stats = await index.stats();
    expect(stats).toMatchObject({ sessions: 0, files: 0, bytes: 0, entries: 0, toolCalls: 0, costUsd: 0 });
    expect([stats.oldest, stats.newest, stats.models]).toEqual([undefined, undefined, []]);
    expect(existsSync(stats.databasePath)).toBe(true);
  });

  test("counts a failed call once, with its result", async () => {
    const talk = session().assistant([
      toolCall("a", "bash", {}),
      toolCall("b", "bash", {}),
      toolCall("c", "bash", {}),
    ]);
    talk.toolResult("a", "bash", "no", { isError: true }).toolResult("b", "bash", "yes");
    const { index } = await indexed(talk.toolResult("nobody's", "bash", "no", { isError: true }));
    expect(await index.stats()).toMatchObject({ toolCalls: 3, failedToolCalls: 1 });
  });

  test("lists more projects than a screen shows", async () => {
    const { index } = await indexed(
      ...Array.from({ length: 25 }, (_, n) => session({ id: `s${n}`, cwd: `/p/${n}` }).user("a")),
    );
    const { projects, sessions } = await index.stats();
    expect([projects.length, sessions]).toEqual([25, 25]);
  });
});
