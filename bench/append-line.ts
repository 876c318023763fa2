/** A process of its own that appends a line to a file whenever it is told to, and says when that was done. */
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
