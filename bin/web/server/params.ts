/** Validates the query parameters and bodies of requests. */
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { PidexError } from "../../../library/index.ts";

/** A whole number in a query string. */
export const NumberParam = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);
/** `true` or `false`. */
export const FlagParam = z.enum(["true", "false"]).transform((flag) => flag === "true");
/** A text option, validated by the library. */
export const TextParam = z.string().max(20_000);
/** A list: a parameter that may be repeated. */
export const ListParam = z.union([TextParam.transform((text) => [text]), z.array(TextParam)]);

type OptionParams<Options extends z.ZodObject> = {
  [Name in keyof Options["shape"]]: z.ZodOptional<z.ZodType<z.input<Options["shape"][Name]>>>;
};

/** The options of an index method as parameters with the same names. Only their kinds are checked: the library validates the values. */
export function optionParams<Options extends z.ZodObject>({ shape }: Options): OptionParams<Options> {
  const params = Object.entries(shape).map(([name, option]) => [name, toParam(option).optional()]);
  return Object.fromEntries(params) as OptionParams<Options>;
}

function toParam(option: z.core.$ZodType): z.ZodType {
  if (option instanceof z.ZodOptional || option instanceof z.ZodDefault) return toParam(option.unwrap());
  if (option instanceof z.ZodBoolean) return FlagParam;
  if (option instanceof z.ZodNumber) return NumberParam;
  return option instanceof z.ZodArray ? ListParam : TextParam;
}

const HINT = "See docs/web.md for the API.";

/** Parses a value by its schema. @throws PidexError `BAD_OPTION` */
function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message}`, HINT, { cause: error });
}

/**
 * Parses the query string of a URL. Unknown parameters are errors.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function parseQuery<T>(schema: z.ZodType<T>, url: string): T {
  const query = new URL(url).searchParams;
  const names = [...new Set(query.keys())];
  return parse(schema, Object.fromEntries(names.map((name) => [name, oneOrAll(query.getAll(name))])));
}

function oneOrAll(values: string[]): string | string[] | undefined {
  return values.length > 1 ? values : values[0];
}

const toLimit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new PidexError("BAD_OPTION", `the body is longer than ${maxSize} bytes`, HINT);
    },
  });

/** Names and labels are short. */
const limitMost = toLimit(100_000);
/** The paths of thousands of sessions. */
const limitExport = toLimit(2_000_000);

/** Limits the size of a request body. */
export const limitBody: MiddlewareHandler = (context, next) =>
  (context.req.path === "/api/export" ? limitExport : limitMost)(context, next);

/** Parses the JSON body of a request. @throws PidexError `BAD_OPTION` */
export async function parseBody<T>(schema: z.ZodType<T>, context: Context): Promise<T> {
  const text = await context.req.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PidexError("BAD_OPTION", "the body is not JSON", HINT, { cause });
  }
  return parse(schema, value);
}
