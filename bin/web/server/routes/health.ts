/** Routes for diagnosis, problems in files, and broken lines. */
import { Hono } from "hono";
import { z } from "zod";
import { diagnose, type Index, PidexError } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION, readLineAtOffset } from "../../../../library/internal.ts";
import type { Reply } from "../../api/answers.ts";
import { splitLine } from "../line-segments.ts";
import { NumberParam, parseQuery, TextParam } from "../params.ts";

/** The database and roots passed to `pidex serve`. */
export interface ConfiguredPaths {
  db?: string | undefined;
  roots?: string[] | undefined;
}

const LineQuery = z.strictObject({ file: TextParam, line: NumberParam, offset: NumberParam });

export function createHealthRoutes(index: Index, { db, roots }: ConfiguredPaths): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/doctor", async (context) => {
    const diagnosis = await diagnose({ ...(db !== undefined && { db }), ...(roots && { roots }) });
    return context.json<Reply<"doctor">>({ schema, diagnosis });
  });

  routes.get("/problems", async (context) => {
    return context.json<Reply<"problems">>({ schema, problems: await index.problems() });
  });

  routes.get("/line", async (context) => {
    const { file, line, offset } = parseQuery(LineQuery, context.req.url);
    await assertIndexed(index, file);
    const { bytes, isWhole } = readLineAtOffset(file, offset);
    const parts = splitLine(bytes, { isWhole, isFirst: offset === 0 });
    return context.json<Reply<"line">>({ line, byteOffset: offset, bytes: bytes.length, isWhole, parts });
  });

  return routes;
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
