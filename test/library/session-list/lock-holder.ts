/** A process that locks the database until its input ends: `node lock-holder.ts <database> [exclusive]`. */
import SQLite from "better-sqlite3";

const [path = "", how] = process.argv.slice(2);
const db = new SQLite(path);
if (how === "exclusive") db.pragma("locking_mode = EXCLUSIVE");
db.exec("BEGIN IMMEDIATE; CREATE TABLE held (x)");
console.log("held");
process.stdin.resume().on("end", () => db.close());
