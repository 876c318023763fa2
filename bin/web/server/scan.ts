import type { Index, ScanOptions } from "../../../library/index.ts";
import { scanSessions } from "../../actions/find-sessions.ts";
import { toSafeJson } from "../../format/json-text.ts";
import { toErrorAnswer } from "./errors.ts";

/**
 * Scans the files and writes each `ScanEvent` as a line of JSON. A failure is its last line, as the status of the answer is
 * already sent.
 *
 * @param write takes lines of JSON; hits wait for its promise
 */
export async function writeScanEvents(
  index: Index,
  regex: string,
  options: ScanOptions,
  write: (lines: string) => Promise<void>,
): Promise<void> {
  const writeLine = (event: object) => write(`${toSafeJson(event)}\n`);
  try {
    await scanSessions(index, regex, options, writeLine);
  } catch (error) {
    await writeLine(toErrorAnswer(error));
  }
}
