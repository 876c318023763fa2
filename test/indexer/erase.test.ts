/** Remains of a deleted session, or of removed text, in the files of the index. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { age } from "./synced.ts";

/** Distinct search keys: words of letters, with digits, with punctuation. */
const SECRETS = [
  "hunterzweiundvierzig",
  "x9k2m4p7q1w8e3r6",
  "tr0ub4dor3kennwort",
  "geheimzahlwort",
  "markenschluessel",
];
const [inText, inOutput, inName, inFirst, inLabel] = SECRETS as [string, string, string, string, string];

function secretSession(root: string): string {
  const workspace = session({ id: "secret" })
    .user(`the first message has ${inFirst}`)
    .tool("bash", { command: `echo ${inText}` }, `TOKEN=${inOutput}`)
    .assistant(`it is ${inText}`);
  return age(workspace.label(workspace.lastId, `label ${inLabel}`).name(`named ${inName}`).writeUnder(root));
}

function others(root: string): void {
  for (let n = 0; n < 30; n++) {
    const workspace = session({ id: `other-${n}` });
    for (let each = 0; each < 20; each++)
      workspace.user(`message ${each} of ${n}, about word${n * 20 + each}`);
    age(workspace.writeUnder(root));
  }
}

/** The secrets that remain in any file of the database; a word may lack its first letters, which other words share. */
function secretsIn(db: string): string[] {
  const files = readdirSync(dirname(db)).map((name) => readFileSync(join(dirname(db), name)));
  return SECRETS.filter((secret) => files.some((bytes) => bytes.includes(secret.slice(5))));
}

async function createWorkspace() {
  const folder = temporaryFolder();
  const [root, db] = [join(folder, "sessions"), join(folder, "cache", "index.db")];
  others(root);
  const path = secretSession(root);
  const index = await openIndex({ db, roots: [root] });
  await index.sync();
  await index.close();
  expect(secretsIn(db)).toEqual(SECRETS);
  return { root, db, path };
}

async function synced({ root, db }: { root: string; db: string }): Promise<void> {
  await using index = await openIndex({ db, roots: [root] });
  await index.sync();
}

test("nothing of a deleted session remains after the next sync", async () => {
  const workspace = await createWorkspace();
  rmSync(workspace.path);
  await synced(workspace);
  expect(secretsIn(workspace.db)).toEqual([]);
});

test("nothing remains of text that was removed from a session", async () => {
  const workspace = await createWorkspace();
  const redacted = SECRETS.reduce(
    (text, secret) => text.replaceAll(secret, "redacted"),
    readFileSync(workspace.path, "utf8"),
  );
  writeFileSync(workspace.path, redacted);
  await synced(workspace);
  expect(secretsIn(workspace.db)).toEqual([]);
});

test("nothing remains in the files while the index stays open here and elsewhere", async () => {
  const workspace = await createWorkspace();
  await using elsewhere = await openIndex({ db: workspace.db, roots: [workspace.root] });
  await elsewhere.search("word1");
  await using index = await openIndex({ db: workspace.db, roots: [workspace.root] });
  rmSync(workspace.path);
  await index.sync();
  expect(secretsIn(workspace.db)).toEqual([]);
  expect((await elsewhere.search("word1")).hitCount).toBe(1);
});

test("an aborted sync leaves the rest of the erasure to the next one, even if nothing new is read", async () => {
  const workspace = await createWorkspace();
  await using index = await openIndex({ db: workspace.db, roots: [workspace.root] });
  rmSync(workspace.path);
  const controller = new AbortController();
  const stopped = index.sync({
    signal: controller.signal,
    onPlan: () => setImmediate(() => controller.abort()),
  });
  await stopped.catch(() => {});
  await index.sync();
  await index.sync();
  expect(secretsIn(workspace.db)).toEqual([]);
});

test("a session that only grows has nothing to erase", async () => {
  const workspace = await createWorkspace();
  await using index = await openIndex({ db: workspace.db, roots: [workspace.root] });
  appendFileSync(workspace.path, "\n");
  expect(await index.sync()).toMatchObject({ appended: 1, reindexed: 0 });
  expect(secretsIn(workspace.db)).toEqual(SECRETS);
  expect((await index.search(inText)).hitCount).toBe(2);
});

test("an erased word returns to the vocabulary with a new entry", async () => {
  const workspace = await createWorkspace();
  await using elsewhere = await openIndex({ db: workspace.db, roots: [workspace.root] });
  appendFileSync(workspace.path, `${JSON.stringify({ type: "custom", id: "x", customType: "x" })}\n`);
  await elsewhere.sync(); // which remembers its own writes
  const bytes = readFileSync(workspace.path);
  rmSync(workspace.path);
  await synced(workspace);
  writeFileSync(workspace.path, bytes);
  await elsewhere.sync();
  const { sessions } = await elsewhere.search("geheimzahlwrot");
  expect(sessions.map(({ session }) => session.id)).toEqual(["secret"]);
});

test("sessions deleted during an erasure are erased after it", async () => {
  const workspace = await createWorkspace();
  await using index = await openIndex({ db: workspace.db, roots: [workspace.root] });
  rmSync(workspace.path);
  const controller = new AbortController();
  // Aborted after it started: in the middle of its steps.
  await index.sync({ signal: controller.signal, onProgress: () => controller.abort() }).catch(() => {});
  for (let n = 0; n < 10; n++) {
    rmSync(
      readdirSync(workspace.root, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(workspace.root, name))[0] as string,
    );
    await index.sync();
  }
  for (let n = 0; n < 4; n++) await index.sync();
  expect(secretsIn(workspace.db)).toEqual([]);
});
