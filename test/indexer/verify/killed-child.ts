/**
 * A process that reads sessions for a comparison, beside the database as for very large ones, and dies right before the
 * so many-th statement or read: `node killed-child.ts <database> <session> <signal> <point>`.
 */
import SQLite from "better-sqlite3";
import { discoverFile, nothingFound } from "../../../indexer/discover.ts";
import { Reference } from "../../../indexer/verify/reference.ts";
import { atFaultPoints } from "../fault-points.ts";

const [path = "", file = "", signal, deadly] = process.argv.slice(2);
const found = nothingFound();
discoverFile({ path: file, subagent: 0 }, found);
const index = new SQLite(path, { readonly: true });
const stop = atFaultPoints((point) => {
  if (point === Number(deadly)) process.kill(process.pid, signal);
});
const reference = await Reference.open(index, Number.POSITIVE_INFINITY, false);
await reference.read(found.files, { signal: undefined, onRead: () => {} });
stop();
reference.close();
index.close();
