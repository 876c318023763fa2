/** An index of two sessions to damage, and its expected results. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { session } from "../../fixtures/builder.ts";
import { type Index, openIndex } from "../../library/index.ts";
import { age } from "../indexer/synced.ts";

export interface Indexed {
  folder: string;
  root: string;
  db: string;
}

export function talk(id: string, timestamp: string) {
  const draft = session({ id, timestamp })
    .user(`A needle of ${id}.`)
    .tool("read", { path: "src/till.ts" }, `output of ${id}`, { tokens: { input: 1000, output: 100 } })
    .bash("rm src/old.ts", "gone")
    .assistant("It is done.");
  return draft.label(draft.lastId, "kept").name(`the ${id} one`).raw("no JSON");
}

/** Writes two sessions to a folder, not indexed yet. */
export function twoSessions(folder: string): Indexed {
  const root = join(folder, "sessions");
  age(talk("one", "2026-01-05T09:00:00.000Z").writeUnder(root), 2_000_000);
  age(talk("two", "2026-01-06T09:00:00.000Z").writeUnder(root));
  return { folder, root, db: join(folder, "cache", "index.db") };
}

/** Opens the index; notices are added to `notices`. */
export function open({ db, root }: Indexed, notices: string[] = []): Promise<Index> {
  return openIndex({ db, roots: [root], onNotice: (notice) => notices.push(notice) });
}

/** Results of queries that read all tables. */
export async function queryAll(index: Index): Promise<unknown> {
  const { sessions } = await index.search("needle");
  return JSON.parse(
    JSON.stringify([
      (await index.listAll()).sessions,
      sessions.map(({ session, hits }) => [session.id, hits.map(({ line, snippet }) => [line, snippet])]),
      (await index.searchEntries("output")).hitCount,
      await index.treeEntries("one"),
      (await index.context("two")).messages,
      (await index.usage({ by: ["model"] })).rows,
      (await index.usage({ by: ["day", "tool"] })).rows,
      (await index.spend("two")).own,
      (await index.files("src/")).sessions,
      await index.problems(),
      await index.labels(),
    ]),
  );
}

/** Deletes the database and all files beside it. */
export function deleteDatabase(db: string): void {
  const folder = join(db, "..");
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
