import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { catalog } from "../../fixtures/catalog.ts";
import { temporaryFolder } from "../temporary.ts";
import { plainSession } from "./brute-force.ts";
import { FIXTURES, indexed, indexedFixtures, openOver } from "./opened-queries.ts";

describe("labels", () => {
  test("of every fixture are the current ones, with the labeled entry", async () => {
    const index = await indexedFixtures();
    for (const { path } of catalog) {
      const plain = plainSession(join(FIXTURES, path));
      if (!plain) continue;
      const inForce = new Map<unknown, unknown>();
      for (const { entry } of plain.entries) {
        if (entry.type !== "label" || entry.targetId == null) continue;
        if (typeof entry.label === "string" && entry.label) inForce.set(entry.targetId, entry.label);
        else inForce.delete(entry.targetId);
      }
      const labels = await index.labels(join(FIXTURES, path));
      expect(new Map(labels.map(({ targetId, label }) => [targetId, label]))).toEqual(inForce);
      for (const { targetId, line, sessionPath, sessionId } of labels) {
        expect(sessionPath).toBe(join(FIXTURES, path));
        expect(sessionId).toBe(plain.header.id);
        expect(line).toBe(plain.entries.findLast(({ entry }) => entry.id === targetId)?.line);
      }
    }
  });

  test("of all sessions are sorted newest first", async () => {
    const index = await indexedFixtures();
    const times = (await index.labels()).map(({ timestamp }) => timestamp ?? "");
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("keep the time of the last change, and distinguish 5 from the string", async () => {
    const talk = session({ id: "l" }).user("a", { id: 5 }).user("b", { id: "5" });
    talk.label("x").entry({ type: "label", targetId: 5, label: "number" });
    talk.label("5", "string").label("5", "string again");
    const { index } = await indexed(talk);
    expect(await index.labels("l")).toMatchObject([
      { targetId: "5", label: "string again", line: 3, timestamp: talk.entries.at(-1)?.timestamp },
      { targetId: 5, label: "number", line: 2 },
    ]);
  });

  test("on missing entries have no line; cleared ones are removed", async () => {
    const { index } = await indexed(
      session({ id: "l" }).label("nobody", "lost").label("gone", "x").label("gone"),
    );
    expect(await index.labels("l")).toMatchObject([{ targetId: "nobody", label: "lost", line: undefined }]);
  });
});

describe("problems", () => {
  test("have file, location and code, in file order", async () => {
    const talk = session({ id: "p" })
      .user("a")
      .raw("no JSON")
      .raw("12")
      .user("b", { timestamp: 5 as never });
    const { index, path } = await indexed(talk);
    const offsets = [2, 3, 4].map((n) => Buffer.byteLength(`${talk.lines.slice(0, n).join("\n")}\n`));
    expect(await index.problems("p")).toMatchObject([
      { path, code: "malformed_line", line: 3, byteOffset: offsets[0] },
      { path, code: "not_an_entry", line: 4, byteOffset: offsets[1] },
      { path, code: "invalid_field", line: 5, byteOffset: offsets[2] },
    ]);
  });

  test("of all files include files that are not sessions", async () => {
    const root = temporaryFolder();
    const path = session({ headless: true })
      .user("a")
      .write(join(root, "p", "x.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    expect((await index.listAll()).sessions).toEqual([]);
    expect(await index.problems()).toMatchObject([{ path, code: "no_header", line: 1, byteOffset: 0 }]);
  });

  test("never contain session text", async () => {
    const index = await indexedFixtures();
    const { problems } = await index.stats();
    expect((await index.problems()).length).toBe(problems.reduce((sum, { count }) => sum + count, 0));
    for (const { message } of await index.problems()) expect(message).not.toMatch(/one|two|whole\?/);
  });
});
