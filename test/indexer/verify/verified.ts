import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { session } from "../../../fixtures/builder.ts";
import { type VerifyOptions, verify } from "../../../indexer/verify/verify.ts";
import type { VerifyReport } from "../../../indexer/verify/verify-answer.ts";
import { toRoot } from "../../../src/session/locations.ts";
import type { Database } from "../../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openThrowaway, syncFolders } from "../index-at.ts";
import { age } from "../synced.ts";

/** Sessions with rows in every table, old enough for a sync to trust their times. */
export async function writeSessions(folder: string): Promise<{ root: string; paths: string[] }> {
  const root = join(folder, "sessions");
  mkdirSync(root);
  const run = join(root, "2026-01-05T10-00-00-000Z_run.jsonl");
  const shop = session({ cwd: "/home/ada/shop", timestamp: "2026-01-05T09:00:00.000Z" })
    .user("Why does the checkout add the tax twice?")
    .assistant([
      { type: "thinking", thinking: "Perhaps in total()" },
      { type: "text", text: "I look." },
    ])
    .tool("read", { path: "src/checkout.ts" }, "export function total() {}")
    .tool("bash", { command: "rm src/tax.ts" }, "no such file", { isError: true })
    .name("Tax at the till");
  shop.label(String(shop.lastId), "found here");
  shop.custom("pidex", { tags: ["Till", "tax"] });
  shop.toolResult("toolu_run", "subagent", "done", {
    details: { results: [{ agent: "scout", usage: { input: 5, output: 3, cost: 0.5 }, sessionFile: run }] },
  });
  shop.compaction("It was the rounding", shop.lastId, { details: { readFiles: ["src/rounding.ts"] } });
  shop.branch(String(shop.entries[1]?.id)).user("And without rounding?").assistant("The same.");
  shop.raw("no JSON").user("12").assistant("Twelve.");
  const fork = shop.fork({ id: "fork", timestamp: "2026-01-06T09:00:00.000Z" }).user("Only in the fork");
  const other = session({ cwd: "/home/ada/blog", timestamp: "2026-01-07T09:00:00.000Z" });
  other.user("Another thing").tool("edit", { path: "posts/one.md" }, "edited").assistant("Done.");
  const paths = [shop, fork, other].map((one) => age(one.writeUnder(root)));
  return { root, paths };
}

/** An index of these sessions, and a function that compares it. */
export async function indexedSessions(folder = temporaryFolder()) {
  const { root, paths } = await writeSessions(folder);
  const db = await openThrowaway(join(folder, "index.db"));
  await syncFolders(db, root);
  return { folder, root, paths, db, compare: comparing(db, root) };
}

/** Compares an index, by default without a sync before. */
export function comparing(db: Database, root: string) {
  return (options: VerifyOptions = {}): Promise<VerifyReport> =>
    verify(db, { roots: [toRoot(root)], open: openThrowaway, sync: false, ...options });
}
