/** What is to be done, as it stands in the body of a request. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { PidexError } from "../../../library/index.ts";

/** A name or a label is short: more than this is none. */
const MOST_BYTES = 100_000;

const HINT = "See docs/web.md for what can be asked.";

/** Reads no more of a body than what can be meant. */
export const shortBody = bodyLimit({
  maxSize: MOST_BYTES,
  onError: () => {
    throw new PidexError("BAD_OPTION", `the body is longer than ${MOST_BYTES} bytes`, HINT);
  },
});

/** Reads what is to be done. @throws PidexError `BAD_OPTION` */
export async function wanted<T>(schema: z.ZodType<T>, context: Context): Promise<T> {
  const result = schema.safeParse(await json(context));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message}`, HINT, { cause: result.error });
}

async function json(context: Context): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PidexError("BAD_OPTION", "the body is no JSON", HINT, { cause });
  }
}
