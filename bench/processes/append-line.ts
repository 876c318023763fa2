/** A separate process that appends a line to a file on command and reports when it is done. */
import { appendFileSync } from "node:fs";

export interface AppendRequest {
  path: string;
  line: string;
}

process.on("message", ({ path, line }: AppendRequest) => {
  appendFileSync(path, `${line}\n`);
  process.send?.(String(process.hrtime.bigint())); // all processes share this clock
});
process.on("disconnect", () => process.exit());
