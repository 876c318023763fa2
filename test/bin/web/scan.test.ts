/** `/api/scan`: a search of the files, which reports sessions with their costs and counts what it found. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ScanCountsAnswer } from "../../../bin/actions/scan-counts.ts";
import { scanWithCounts } from "../../../bin/web/hosts/scan-with-counts.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { serveSynced } from "./serve-synced.ts";

async function scan(query: string) {
  const root = join(temporaryFolder(), "root");
  for (const [id, day] of [
    ["old", "01"],
    ["new", "02"],
  ] as const) {
    const timestamp = `2026-01-${day}T12:00:00.000Z`;
    const talk = session({ id, timestamp, cwd: `/w/${id}` });
    talk.user("a needle", { timestamp }).assistant("the needle", { timestamp }).writeUnder(root);
  }
  const server = await serveSynced(root);
  const text = await (await server.fetch(`/api/scan?regex=needle${query}`)).text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("sessions have costs, and the last event counts hits and sessions", async () => {
  const events = await scan("");
  const sessions = events.flatMap(({ session }) => session ?? []);
  expect(sessions.map(({ id }) => id)).toEqual(["new", "old"]);
  for (const { costUsd } of sessions) expect(costUsd).toBeGreaterThan(0);
  const { counts } = events.at(-1);
  expect(counts.totals).toEqual({ hits: 4, sessions: 2, isWhole: true });
  expect(counts.facets.projects).toEqual([
    { value: "/w/new", hits: 2, sessions: 1 },
    { value: "/w/old", hits: 2, sessions: 1 },
  ]);
  expect(counts.facets.roles).toEqual([
    { value: "assistant", hits: 2, sessions: 2 },
    { value: "user", hits: 2, sessions: 2 },
  ]);
  expect(counts.facets.days.map(({ value }: { value: string }) => value)).toEqual([
    "2026-01-02",
    "2026-01-01",
  ]);
});

test("a scan that stops at its limit says how far it got, and that its counts are of a part", async () => {
  const events = await scan("&limit=2");
  expect(events.at(-1).counts.totals).toEqual({ hits: 2, sessions: 1, isWhole: false });
  const { progress } = events.at(-2);
  expect(progress.bytesDone).toBeLessThan(progress.bytes);
  expect(progress.bytes).toBeGreaterThan(0);
});

test("a long scan counts what it found while it runs", async () => {
  const root = join(temporaryFolder(), "root");
  for (let n = 0; n < 20; n++)
    session({ id: `s${n}` })
      .user("a needle")
      .writeUnder(root);
  const index = await openIndex({ db: join(temporaryFolder(), "index.db"), roots: [root] });
  onTestFinished(() => index.close());
  await index.sync();
  const counted: number[] = [];
  const report = (event: object) => {
    if ("counts" in event) counted.push((event.counts as ScanCountsAnswer).totals.hits);
  };
  await scanWithCounts(index, "needle", {}, report, 0);
  expect(counted).toEqual([...Array.from({ length: 20 }, (_, n) => n + 1), 20]);
});
