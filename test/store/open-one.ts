/** A process that opens the database named on its command line, writes a row, and prints the outcome. */
import { migrations } from "../../migrations/index.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";

const [path = "", name = ""] = process.argv.slice(2);
const notices: string[] = [];
const db = await openDatabase({ path, migrations, onNotice: (notice) => notices.push(notice) });
db.writer
  .prepare(
    `INSERT INTO file (path, subagent, compressed, extraction, inode, size, mtime_ns, ctime_ns, racy, cursor, terminated,
       lines, parsed, header, version, checksums) VALUES (?, 0, 0, 1, '', 0, '', '', 0, 0, 1, 0, 0, 'found', 3, '')`,
  )
  .run(name);
await db.close();
process.stdout.write(JSON.stringify(notices));
