/** Validates parameters and bodies of requests, from which the options of the library are made. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { PidexError } from "../../../library/index.ts";

/** A number, as an address has it. */
export const AskedNumber = z
  .string()
  .regex(/^\d{1,15}$/, "is no whole number")
  .transform(Number);
/** `true` or `false`. */
export const AskedFlag = z.enum(["true", "false"]).transform((flag) => flag === "true");
/** An option that stands in an address as it is: the library checks it. */
export const AskedText = z.string().max(20_000);

type Optional<Name extends string, Schema extends z.ZodType> = Record<Name, z.ZodOptional<Schema>>;

/** Options that may be missing, by their names. */
const optional =
  <Schema extends z.ZodType>(schema: Schema) =>
  <Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, schema.optional()])) as Optional<Name, Schema>;

export const optionalTexts = optional(AskedText);
export const optionalFlags = optional(AskedFlag);

const HINT = "See docs/web.md for what can be asked.";

/** The value as the schema returns it. @throws PidexError `BAD_OPTION` */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message}`, HINT, { cause: error });
}

/**
 * Reads what an address asks; each name once, and none that is not known.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function asked<T>(schema: z.ZodType<T>, url: string): T {
  const given = new URL(url).searchParams;
  const names = [...new Set(given.keys())];
  return checked(schema, Object.fromEntries(names.map((name) => [name, oneOrAll(given.getAll(name))])));
}

function oneOrAll(values: string[]): string | string[] | undefined {
  return values.length > 1 ? values : values[0];
}

/** A name or a label is short: more than this is none. */
const MOST_BYTES = 100_000;

/** Reads no more of a body than what can be meant. */
export const shortBody = bodyLimit({
  maxSize: MOST_BYTES,
  onError: () => {
    throw new PidexError("BAD_OPTION", `the body is longer than ${MOST_BYTES} bytes`, HINT);
  },
});

/** Reads the body of a request. @throws PidexError `BAD_OPTION` */
export async function wanted<T>(schema: z.ZodType<T>, context: Context): Promise<T> {
  const text = await context.req.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PidexError("BAD_OPTION", "the body is no JSON", HINT, { cause });
  }
  return checked(schema, value);
}
