/** How pidex is: what doctor says, what is wrong in files, and the lines that are broken. */
import { Hono } from "hono";
import { z } from "zod";
import { diagnose, type Index, PidexError } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION, readLineAt } from "../../../../library/internal.ts";
import type { LineAnswer, ProblemsAnswer } from "../../api/answers.ts";
import { AskedNumber, AskedText, asked } from "../asked.ts";
import { lineParts } from "../line-parts.ts";

/** What `pidex serve` was told of where things are. */
export interface Place {
  db?: string | undefined;
  roots?: string[] | undefined;
}

const Line = z.strictObject({ file: AskedText, line: AskedNumber, offset: AskedNumber });

export function healthRoutes(index: Index, { db, roots }: Place): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/doctor", async (context) => {
    const diagnosis = await diagnose({ ...(db !== undefined && { db }), ...(roots && { roots }) });
    return context.json({ schema, diagnosis });
  });

  routes.get("/problems", async (context) => {
    const problems = await index.problems();
    return context.json({ schema, problems } satisfies ProblemsAnswer & { schema: number });
  });

  routes.get("/line", async (context) => {
    const { file, line, offset } = asked(Line, context.req.url);
    await mustBeIndexed(index, file);
    const { bytes, isWhole } = readLineAt(file, offset);
    const parts = lineParts(bytes, { isWhole, isFirst: offset === 0 });
    return context.json<LineAnswer>({ line, byteOffset: offset, bytes: bytes.length, isWhole, parts });
  });

  return routes;
}

/**
 * @throws PidexError `NOT_FOUND` for whatever is no session file of the index: no address leads to another file. Where a link leads
 * out of the roots, only what is a session now is shown
 */
async function mustBeIndexed(index: Index, path: string): Promise<void> {
  if (index.leadsOutside(path)) await index.syncFile(path);
  else if ((await index.problems()).some((problem) => problem.path === path)) return;
  if (await isSession(index, path)) return;
  throw new PidexError("NOT_FOUND", "the index knows no such file", "Only files of the index are shown.");
}

/** A session may also be named by its id: only its path is one here. */
async function isSession(index: Index, path: string): Promise<boolean> {
  try {
    return (await index.find(path)).path === path;
  } catch (error) {
    if (error instanceof PidexError && (error.code === "NOT_FOUND" || error.code === "AMBIGUOUS"))
      return false;
    throw error;
  }
}
