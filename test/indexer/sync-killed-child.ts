/**
 * A process that syncs and dies right before the n-th statement or read, as by `kill -9`: `node sync-killed-child.ts <database>
 * <folder> <bytes per transaction> <point>`. If it survives, it prints the number of points.
 */
import { sync } from "../../indexer/sync.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { onFaultPoints } from "./fault-points.ts";

const [path = "", folder = "", batchBytes, deadly] = process.argv.slice(2);
const db = await openDatabase({ path, migrations });
db.writer.pragma("cache_size = 10");
let points = 0;
const stop = onFaultPoints((point) => {
  points = point;
  if (point === Number(deadly)) process.kill(process.pid, "SIGKILL");
});
await sync(db, { roots: [toRoot(folder)], batchBytes: Number(batchBytes) });
stop();
await db.close();
console.log(points);
