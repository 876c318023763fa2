/**
 * A process that writes a session, for tests: says what it has done line by line on its standard output, each only after
 * the call came back. In the mode `killed` it makes sessions of the session too, and then waits to be killed; in the mode
 * `move` it gives the session other working directories.
 */
import { writeSync } from "node:fs";
import { SessionManager } from "../../../library/session-manager.ts";

const [mode = "", path = "", count = "", who = "one"] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
/** Mostly short, now and then as long as the output of a tool. */
const text = (n: number) => `${who} ${n} ${"x".repeat(n % 17 === 0 ? 300_000 : n % 5 === 0 ? 20_000 : 50)}`;
const message = (n: number) => ({ role: "user" as const, content: text(n), timestamp: n });

if (mode === "move") {
  // In a folder that is no project's: the file is put anew in its own place each time.
  for (let n = 0; n < Number(count); n++) SessionManager.open(path).moveTo(`/home/ada/${n}`);
  process.exit(0);
}
const session = SessionManager.open(path);
say(`now ${path}`);
for (let n = 0; n < Number(count); n++) {
  say(session.appendMessage(message(n)));
  if (mode !== "killed" || n % 7 !== 6) continue;
  // What makes new files is done as well, and may be cut off as well.
  say(`now ${session.createBranchedSession(session.getLeafId() as string)}`);
  say(
    `file ${SessionManager.forkFrom(session.getSessionFile() as string, "/home/ada/fork", undefined).getSessionFile()}`,
  );
}
if (mode === "killed") setInterval(() => {}, 60_000);
