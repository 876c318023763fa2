/**
 * A process that writes a session, for tests: prints each step on its standard output after the call returned. In mode `killed`
 * it also creates sessions from the session, and then waits to be killed; in mode `move` it changes the session's working
 * directory.
 */
import { writeSync } from "node:fs";
import { SessionManager } from "../../../library/session-manager.ts";

const [mode = "", path = "", count = "", who = "one"] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
/** Mostly short, occasionally as long as the output of a tool. */
const text = (n: number) => `${who} ${n} ${"x".repeat(n % 17 === 0 ? 300_000 : n % 5 === 0 ? 20_000 : 50)}`;
const message = (n: number) => ({ role: "user" as const, content: text(n), timestamp: n });

if (mode === "move") {
  // In a folder that belongs to no project, the file is rewritten in place each time.
  for (let n = 0; n < Number(count); n++) SessionManager.open(path).moveTo(`/home/ada/${n}`);
  process.exit(0);
}
const session = SessionManager.open(path);
say(`now ${path}`);
for (let n = 0; n < Number(count); n++) {
  say(session.appendMessage(message(n)));
  if (mode !== "killed" || n % 7 !== 6) continue;
  // Operations that create files are also run, and may be killed too.
  say(`now ${session.createBranchedSession(session.getLeafId() as string)}`);
  say(
    `file ${SessionManager.forkFrom(session.getSessionFile() as string, "/home/ada/fork", undefined).getSessionFile()}`,
  );
}
if (mode === "killed") setInterval(() => {}, 60_000);
