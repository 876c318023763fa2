import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { PidexError } from "../../../library/index.ts";
import type { HubEnv } from "./hub.ts";

const UPDATE_HINT = "Update pidex here or on the hub.";

/** Limits the bodies of requests. */
export function limitBody(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new PidexError("BAD_OPTION", `the request is longer than ${maxSize} bytes`, UPDATE_HINT);
    },
  });
}

/** The body of a request. @throws PidexError `BAD_OPTION` if it is invalid */
export async function readBody<S extends z.ZodType>(
  context: Context<HubEnv>,
  schema: S,
): Promise<z.infer<S>> {
  let body: unknown;
  try {
    body = await context.req.json();
  } catch (error) {
    if (error instanceof PidexError) throw error;
    throw new PidexError("BAD_OPTION", "the request is not JSON", UPDATE_HINT, { cause: error });
  }
  return parse(schema, body);
}

/** The query of a request's URL. @throws PidexError `BAD_OPTION` if it is invalid */
export function readQuery<S extends z.ZodType>(context: Context<HubEnv>, schema: S): z.infer<S> {
  return parse(schema, context.req.query());
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message ?? "invalid request"}`, UPDATE_HINT);
}
