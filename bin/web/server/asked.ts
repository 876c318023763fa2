/** What is asked, as it stands in an address: texts, from which the options of the library are made. */
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

/**
 * Reads what an address asks; each name once, and none that is not known.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function asked<T>(schema: z.ZodType<T>, url: string): T {
  const given = new URL(url).searchParams;
  const names = [...new Set(given.keys())];
  const result = schema.safeParse(
    Object.fromEntries(names.map((name) => [name, oneOrAll(given.getAll(name))])),
  );
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new PidexError("BAD_OPTION", `${where}${issue?.message}`, "See docs/web.md for what can be asked.", {
    cause: result.error,
  });
}

function oneOrAll(values: string[]): string | string[] | undefined {
  return values.length > 1 ? values : values[0];
}
