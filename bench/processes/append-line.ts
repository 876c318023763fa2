/** A separate process that appends a line to a file on command and reports when it is done. */
import { appendFileSync } from "node:fs";

export interface Order {
  path: string;
  line: string;
}

process.on("message", ({ path, line }: Order) => {
  appendFileSync(path, `${line}\n`);
  process.send?.(String(process.hrtime.bigint())); // a clock that all processes of the machine share
});
process.on("disconnect", () => process.exit());
