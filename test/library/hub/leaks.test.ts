import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { startHub } from "../../bin/hub/hubs.ts";
import { SAMPLES } from "../../query/secrets/samples.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openAs, settleShelves } from "./hub-files.ts";
import { createMachine, type Machine, SHOP } from "./machine.ts";

interface Canary {
  kind: string;
  text: string;
  /** Parts of the secret that are in no other text, in lower case: as long as the words of an index may be. */
  parts: string[];
}

/** Secrets of every kind in every form, different in each run. */
function createCanaries(): Canary[] {
  return Object.entries(SAMPLES).flatMap(([kind, forms]) =>
    forms.map((form) => {
      const [{ secret, text }, other] = fc.sample(form, 2) as [
        { secret: string; text: string },
        { secret: string },
      ];
      const known = other.secret.toLowerCase();
      const parts = secret.toLowerCase().match(/[a-z0-9]{9,}/g) ?? [secret.toLowerCase()];
      return { kind, text, parts: parts.filter((part) => !known.includes(part)) };
    }),
  );
}

/** A session with a text wherever a session can have one. */
function writeEverywhere(machine: Machine, id: string, text: string): void {
  const talk = session({
    id,
    parentSession: `/x/${text}`,
    cwd: /[\n/]/.test(text) ? SHOP : `${SHOP}/${text}`,
  });
  const nested = JSON.stringify({ inner: JSON.stringify({ deep: text }) });
  talk
    .user(`use ${text} now`)
    .assistant([{ type: "thinking", thinking: `thinking of ${text}` }], { errorMessage: `failed: ${text}` })
    .label(talk.lastId, text)
    .name(`name ${text}`)
    .tool("read", { path: text }, `result ${text}`, { isError: true, details: { diff: text } })
    .tool("write", { path: "a.env", content: nested }, nested)
    .tool("bash", { command: `curl -H '${text}' ; echo ${text}`, env: { [text]: text } }, [
      { type: "text", text: `\x1b[31m${text}\x1b[0m` },
    ])
    .bash(`export X="${text}"`, `${text}\n`)
    .custom("any", { deep: [{ text }], [text]: 1 })
    .custom("pidex", { tags: [text], title: text })
    .customMessage("note", text)
    .contextEdit(talk.lastId, text)
    .compaction(`summary ${text}`, talk.lastId)
    .branchSummary(talk.lastId, `branch ${text}`)
    .entry({ type: "session_info", name: text, tags: [text] })
    .entry({ type: "unknown_type", text })
    .raw(`not JSON ${text.replaceAll("\n", " ")}`)
    .raw(JSON.stringify({ type: "message", message: { role: "user", content: `torn ${text}` } }).slice(0, -2))
    .raw(JSON.stringify({ type: "message", message: { role: "user", content: nested } }).slice(0, -2))
    // The same field twice: JSON.parse returns the last one.
    .raw(`{"type":"custom","data":${JSON.stringify(text)},"data":"later"}`);
  const path = machine.path(id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, talk.bytes());
}

/** All rows of all tables by table, segments decompressed, as text in lower case. */
async function dumpTexts(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const dump = new Map<string, string>();
  for (const { name } of rows) {
    const { rows } = await pool.query(`SELECT * FROM "${name}"`);
    const text = JSON.stringify(rows, (_, value) => {
      if (value?.type !== "Buffer") return value;
      const bytes = Buffer.from(value.data);
      return (name === "segment" ? zstdDecompressSync(bytes) : bytes).toString("latin1");
    });
    dump.set(name, text.toLowerCase());
  }
  return dump;
}

/** The write-ahead log of the server, in lower case. */
async function* readLog(pool: Pool): AsyncGenerator<[file: string, text: string]> {
  await pool.query("CHECKPOINT");
  const { rows } = await pool.query("SHOW data_directory");
  const folder = join(rows[0].data_directory, "pg_wal");
  for (const file of readdirSync(folder)) {
    if (/^[0-9A-F]{24}$/.test(file)) yield [file, readFileSync(join(folder, file), "latin1").toLowerCase()];
  }
}

function findLeaks(canaries: readonly Canary[], place: string, text: string): string[] {
  return canaries.flatMap(({ kind, parts }, n) =>
    parts
      .filter((part) => text.includes(part))
      .map((part) => {
        const at = text.indexOf(part);
        return `${kind} (${n}) in ${place}: ${text.slice(Math.max(0, at - 80), at + 60)}`;
      }),
  );
}

test.skipIf(!hasPostgres)(
  "no secret of a project of the team reaches a hub: not its tables, its log or its write-ahead log",
  async () => {
    await using hub = await startHub();
    const machine = createMachine(hub, hub.owner, temporaryFolder());
    machine.projects = [{ folder: SHOP, share: "team", project: "shop" }];
    const canaries = createCanaries();
    expect(canaries.filter(({ parts }) => parts.length === 0)).toEqual([]);
    for (const [n, { text }] of canaries.entries()) writeEverywhere(machine, `s${n}`, text);
    // What is looked for would be found.
    const kept = "zq7kanary9visible";
    machine.create("plain", [JSON.stringify({ type: "custom", data: kept }), `broken ${kept}`]);
    // Paths are sent as they are.
    const [token] = fc.sample(SAMPLES.github?.[0] as fc.Arbitrary<{ secret: string }>, 1);
    const path = machine.create(`of ${token?.secret}`);
    canaries.push({ kind: "path", text: "", parts: [token?.secret.toLowerCase() as string] });
    const report = await machine.push();
    expect(report).toMatchObject({
      failed: [{ path, reason: "its path contains a secret" }],
      sent: canaries.length,
    });
    await settleShelves(hub);
    await using index = await openAs(hub, hub.owner);
    await index.search("now", { facets: true });
    await index.usage({ by: ["session"] });

    const tables = await dumpTexts(hub.pool);
    expect(tables.get("segment")).toContain(kept);
    const leaks: string[] = [];
    for (const [name, text] of tables) leaks.push(...findLeaks(canaries, `table ${name}`, text));
    leaks.push(...findLeaks(canaries, "the log", hub.log.join("\n").toLowerCase()));
    let found = false;
    for await (const [file, text] of readLog(hub.pool)) {
      found ||= text.includes("ada-laptop");
      leaks.push(...findLeaks(canaries, file, text));
    }
    expect(found).toBe(true);
    expect(leaks).toEqual([]);
  },
  60_000,
);
