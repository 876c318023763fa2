import { z } from "zod";

type Variants = Record<string, z.ZodType>;

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A schema that looks at the value to choose the schema it must fit. Unlike a union of schemas, an issue names
 * the exact field that is wrong, so that only that field is lost.
 */
export function choose<T>(pick: (value: unknown) => z.ZodType): z.ZodType<T> {
  // zod cannot know that a value which passes fits T: `pick` chose the schema that says so.
  return z.unknown().check((context) => {
    const { value } = context;
    const result = pick(value).safeParse(value);
    if (result.success) return;
    for (const { message, path } of result.error.issues) {
      context.issues.push({ code: "custom", message, path: [...path], input: value });
    }
  }) as unknown as z.ZodType<T>;
}

/**
 * A schema that picks its rules by one key, as a discriminated union does, but lets values of an unlisted key
 * through by the rules of `other`: pi's forks add entry types, roles and blocks of their own, and an index must
 * keep what it does not know.
 *
 * The static type is the union of the listed variants only, so that `switch` narrows; code that reads files
 * keeps a `default` branch.
 */
export function variant<V extends Variants>(
  key: string,
  variants: V,
  other: z.ZodType,
): z.ZodType<z.infer<V[keyof V]>> {
  const byName = new Map<unknown, z.ZodType>(Object.entries(variants));
  return choose((value) => (isRecord(value) ? byName.get(value[key]) : undefined) ?? other);
}
