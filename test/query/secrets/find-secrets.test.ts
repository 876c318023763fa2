import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { Detector, loadDetector } from "../../../query/secrets/detector.ts";
import { findSecretsInFile } from "../../../query/secrets/file-secrets.ts";
import { findSecrets, type SecretsControl } from "../../../query/secrets/find-secrets.ts";
import { findSecretsInRawLine } from "../../../query/secrets/raw-text.ts";
import {
  type SecretFinding,
  SecretFindingJson,
  type SecretsOptions,
} from "../../../query/secrets/secret-answers.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";
import { failure } from "../opened-queries.ts";
import { createScanned, type Scanned } from "../scan/scanned.ts";
import { anySample } from "./samples.ts";

const GITHUB = `gh${"p_"}${"aB3".repeat(12)}`;
const STRIPE = `sk_${"live_"}${"4eC39H".repeat(4)}`;
const PASSWORD = ["tr0ub", "4dor&3"].join("");

async function all({ db, root }: Scanned, options: SecretsOptions = {}, control: SecretsControl = {}) {
  const finding = findSecrets(new SqliteStore(db.reader, { roots: [toRoot(root)] }), options, control);
  const findings: SecretFinding[] = [];
  for (;;) {
    const next = await finding.next();
    if (next.done) return { findings, ...next.value };
    findings.push(next.value);
  }
}

const toPlaces = (findings: SecretFinding[]) =>
  findings.map(({ kind, line, jsonPath }) => [kind, line, jsonPath]);

it("a secret is found anywhere in an entry, and reported with its path", async () => {
  const scanned = await createScanned(
    session({ cwd: `/home/ada/${GITHUB}` })
      .user(`here: ${GITHUB}`)
      .assistant([
        {
          type: "thinking",
          thinking: `so ${GITHUB}`,
          thinkingSignature: JSON.stringify({ summary: GITHUB }),
        },
        { type: "toolCall", id: "c1", name: "bash", arguments: { env: { [GITHUB]: ["x", GITHUB] } } },
      ])
      .toolResult("c1", "bash", "ok", { details: { "odd name": `"${GITHUB}"` } })
      .custom("keys", [GITHUB])
      .entry({ type: "unheard_of", deep: { down: GITHUB } }),
  );
  const { findings } = await all(scanned);
  expect(findings.map(({ line, jsonPath, role, type }) => [line, jsonPath, role ?? type])).toEqual([
    [1, "cwd", "session"],
    [2, "message.content[0].text", "user"],
    [3, "message.content[0].thinking", "assistant"],
    [3, "message.content[0].thinkingSignature", "assistant"],
    [3, "message.content[1].arguments.env", "assistant"],
    [3, "message.content[1].arguments.env.…[1]", "assistant"],
    [4, 'message.details["odd name"]', "toolResult"],
    [5, "data[0]", "custom"],
    [6, "deep.down", "unheard_of"],
  ]);
  for (const finding of findings) {
    SecretFindingJson.parse(finding);
    expect(finding).toMatchObject({
      kind: "github",
      name: "GitHub Token",
      secretNumber: 1,
      masked: `ghp_… (${GITHUB.length})`,
    });
    expect(JSON.stringify(finding)).not.toContain(GITHUB.slice(4));
  }
});

it("a finding has the entry's id and time, and the location of its line", async () => {
  const story = session({ version: 1 }).user("nothing").user(`psql postgres://app:${PASSWORD}@db/shop`);
  const scanned = await createScanned(story);
  const { findings } = await all(scanned);
  const row = scanned.db.writer.prepare("SELECT entry_id FROM entry WHERE line = 3").pluck().get();
  const byteOffset = readFileSync(scanned.paths[0] as string).indexOf(story.lines[2] as string);
  expect(findings).toEqual([
    expect.objectContaining({
      entryId: row,
      line: 3,
      byteOffset,
      sessionId: story.id,
      timestamp: story.entries[1]?.timestamp,
    }),
  ]);
});

it("of a password only the length is shown", async () => {
  const { findings } = await all(await createScanned(session().user(`postgres://app:${PASSWORD}@db/shop`)));
  expect(findings[0]).toMatchObject({ kind: "database-connection-string", masked: `… (${PASSWORD.length})` });
});

it("all copies of a secret have the same number", async () => {
  const parent = session({ timestamp: "2026-01-05T09:00:00.000Z" }).user(GITHUB).user(STRIPE);
  const fork = parent.fork({ timestamp: "2026-01-06T09:00:00.000Z" }).assistant(`again ${STRIPE}`);
  const { findings } = await all(await createScanned(parent, fork));
  const numbers = new Map(findings.map(({ kind, secretNumber }) => [kind, secretNumber]));
  expect(findings.map(({ kind }) => kind)).toEqual(["github", "stripe", "stripe", "github", "stripe"]);
  for (const { kind, secretNumber } of findings) expect(secretNumber).toBe(numbers.get(kind));
  expect(new Set(numbers.values()).size).toBe(2);
});

it("filters by session, kind and limit", async () => {
  const scanned = await createScanned(
    session({ id: "one", cwd: "/home/ada/shop" }).user(`${GITHUB} ${STRIPE}`),
    session({ id: "two", cwd: "/home/ada/till", timestamp: "2026-02-05T09:00:00.000Z" })
      .user(GITHUB)
      .name("till"),
  );
  const ids = async (options: SecretsOptions) =>
    (await all(scanned, options)).findings.map(({ kind, sessionId }) => `${sessionId} ${kind}`);
  expect(await ids({})).toEqual(["two github", "one github", "one stripe"]);
  expect(await ids({ sessions: ["one"] })).toEqual(["one github", "one stripe"]);
  expect(await ids({ kind: "stripe" })).toEqual(["one stripe"]);
  expect(await ids({ limit: 2 })).toEqual(["two github", "one github"]);
  expect(await ids({ project: "till" })).toEqual(["two github"]);
  expect(await ids({ named: false })).toEqual(["one github", "one stripe"]);
  expect(await ids({ since: "2026-02-01" })).toEqual(["two github"]);
  expect((await failure(all(scanned, { kind: "gold" }))).code).toBe("BAD_OPTION");
  expect((await failure(all(scanned, { sessions: ["three"] }))).code).toBe("NOT_FOUND");
});

it("lines that aren't JSON and files that aren't sessions are scanned too", async () => {
  const scanned = await createScanned(
    session().user("x").raw(`{"torn": "\\"${GITHUB}\\"`).raw(STRIPE).cut(1),
  );
  writeFileSync(join(scanned.root, "other.jsonl"), `{"type":"message","message":{"content":"${GITHUB}"}}\n`);
  await syncFolders(scanned.db, scanned.root);
  const { findings } = await all(scanned);
  expect(toPlaces(findings)).toEqual([
    ["github", 3, undefined],
    ["stripe", 4, undefined],
    ["github", 1, "message.content"],
  ]);
  expect(findings[2]?.sessionId).toBeUndefined();
});

it("a file is read as it is now, not as it was indexed", async () => {
  const scanned = await createScanned(session().user("x"));
  appendFileSync(
    scanned.paths[0] as string,
    `${JSON.stringify({ type: "custom", id: "a", data: GITHUB })}\n`,
  );
  expect(toPlaces((await all(scanned)).findings)).toEqual([["github", 3, "data"]]);
});

it("an unreadable file is reported, and the others are read", async () => {
  const scanned = await createScanned(session({ id: "a" }).user("x"), session({ id: "b" }).user(GITHUB));
  rmSync(scanned.paths[0] as string);
  const { findings, unreadFiles } = await all(scanned);
  expect(findings).toHaveLength(1);
  expect(unreadFiles.map(({ path }) => path)).toEqual([scanned.paths[0]]);
});

it("a scan reports progress and stops on abort", async () => {
  const scanned = await createScanned(
    ...Array.from({ length: 30 }, (_, n) => session({ id: `s${n}` }).user("word ".repeat(40_000))),
  );
  const stop = new AbortController();
  let calls = 0;
  const scan = all(
    scanned,
    {},
    {
      signal: stop.signal,
      onProgress: ({ files, bytes, bytesDone }) => {
        expect(files).toBe(30);
        expect(bytesDone).toBeLessThanOrEqual(bytes);
        if (++calls === 2) stop.abort(new Error("enough"));
      },
    },
  );
  await expect(scan).rejects.toThrow("enough");
});

it("in a raw line nothing is missed or reported twice, wherever the windows end", () => {
  const path = join(temporaryFolder(), "line");
  const filler = fc.string({ unit: "grapheme-ascii", maxLength: 300 });
  return loadDetector().then((detector) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(filler, anySample), { maxLength: 5 }), (parts) => {
        const text = parts.map(([fill, sample]) => JSON.stringify(`${fill} ${sample.text} `)).join(",");
        writeFileSync(path, text);
        const fd = openSync(path, "r");
        const secrets = (window: { size: number; margin: number }) =>
          [
            ...findSecretsInRawLine(
              fd,
              { offset: 0, length: Buffer.byteLength(text) },
              (each) => detector.find(each),
              window,
            ),
          ]
            .flat()
            .map(({ secret }) => secret);
        const expected = secrets({ size: 1 << 20, margin: 1 << 10 });
        expect(secrets({ size: 50, margin: 2048 })).toEqual(expected);
        closeSync(fd);
      }),
      { numRuns: 40 },
    );
  });
});

it("a line that is too long to parse is scanned in windows", async () => {
  const path = join(temporaryFolder(), "long.jsonl");
  const fd = openSync(path, "w");
  const mebibyte = "word and more words in it. ".repeat(38_837).slice(0, 1 << 20);
  writeFileSync(fd, '{"type":"custom","data":"');
  for (let n = 0; n < 65; n++) writeFileSync(fd, n === 40 ? `${mebibyte}KEY=\\"${GITHUB}\\"` : mebibyte);
  writeFileSync(fd, `"}\n{"type":"custom","data":"${STRIPE}"}\n`);
  closeSync(fd);
  // Few rules: this test is about reading.
  const all = await loadDetector();
  const rule = {
    kind: "token",
    marker: "p_|live_",
    find: (text: string) => all.find(text.slice(0, 1 << 21)),
  };
  const found = [...findSecretsInFile(path, new Detector([rule]), () => {})].flatMap((each) => each ?? []);
  expect(found.map(({ secret, line, jsonPath }) => [secret, line, jsonPath])).toEqual([
    [GITHUB, 1, undefined],
    [STRIPE, 2, "data"],
  ]);
});
