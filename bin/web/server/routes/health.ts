/** Routes for diagnosis, problems in files, and broken lines. */
import type { Hono } from "hono";
import { z } from "zod";
import { diagnose, type Index, PidexError } from "../../../../library/index.ts";
import { readLineAtOffset, JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import type { IndexLocation } from "../../../actions/index-location.ts";
import { onGet } from "../json-routes.ts";
import { splitLine } from "../line-segments.ts";
import { NumberParam, TextParam } from "../params.ts";

const NoQuery = z.object({});
const LineQuery = z.strictObject({ file: TextParam, line: NumberParam, offset: NumberParam });

export function addHealthRoutes(api: Hono, index: Index, location: IndexLocation): void {
  onGet(api, "doctor", NoQuery, async () => ({ schema, diagnosis: await diagnose(location) }));

  onGet(api, "problems", NoQuery, async () => ({ schema, problems: await index.problems() }));

  onGet(api, "line", LineQuery, async ({ file, line, offset }) => {
    await assertIndexed(index, file);
    const { bytes, isWhole } = readLineAtOffset(file, offset);
    const parts = splitLine(bytes, { isWhole, isFirst: offset === 0 });
    return { line, byteOffset: offset, bytes: bytes.length, isWhole, parts };
  });
}

/**
 * Only indexed files are shown. A file reached by a link out of the roots must be a session right now.
 *
 * @throws PidexError `NOT_FOUND` for any other file
 */
async function assertIndexed(index: Index, path: string): Promise<void> {
  if (index.leadsOutside(path)) await index.syncFile(path);
  else if ((await index.problems()).some((problem) => problem.path === path)) return;
  if (await isSession(index, path)) return;
  throw new PidexError("NOT_FOUND", "the file is not in the index", "Only indexed files can be shown.");
}

/** Whether the path is that of a session. `find` also accepts ids, which are not paths. */
async function isSession(index: Index, path: string): Promise<boolean> {
  try {
    return (await index.find(path)).path === path;
  } catch (error) {
    if (error instanceof PidexError && (error.code === "NOT_FOUND" || error.code === "AMBIGUOUS"))
      return false;
    throw error;
  }
}
