/**
 * A separate process that syncs: `node sync-child.ts <database> <folder> [kill]`. With `kill` it dies after its first
 * transaction, as by `kill -9`.
 */
import { sync } from "../../indexer/sync.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";

const [path = "", folder = "", order] = process.argv.slice(2);
const db = await openDatabase({ path, migrations });
const report = await sync(db, {
  roots: [toRoot(folder)],
  patienceMs: Number.POSITIVE_INFINITY,
  onProgress: () => order === "kill" && process.kill(process.pid, "SIGKILL"),
});
await db.close();
console.log(JSON.stringify(report));
