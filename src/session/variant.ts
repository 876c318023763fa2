import { z } from "zod";
import { isRecord } from "./json.ts";

type Variants = Record<string, z.ZodType>;
type Picker = (value: unknown) => z.ZodType;

const choices = new WeakMap<object, { pick: Picker; alternatives: readonly z.ZodType[] }>();

/**
 * A schema that looks at the value to choose the schema it must fit. Unlike a union of schemas, an issue names
 * the exact field that is wrong, so that only that field is lost.
 *
 * @param alternatives the schemas that the static type is the union of
 */
export function choose<S extends z.ZodType>(alternatives: readonly S[], pick: Picker): z.ZodType<z.infer<S>> {
  const schema = z.unknown().check((context) => {
    const { value } = context;
    const result = pick(value).safeParse(value);
    if (result.success) return;
    for (const { message, path } of result.error.issues) {
      context.issues.push({ code: "custom", message, path: [...path], input: value });
    }
  });
  choices.set(schema, { pick, alternatives });
  // zod cannot know that a value which passes fits: `pick` chose the schema that says so.
  return schema as unknown as z.ZodType<z.infer<S>>;
}

/** How a schema that `choose` or `variant` made picks the one that a value must fit; undefined for others. */
export function pickerOf(schema: object): Picker | undefined {
  return choices.get(schema)?.pick;
}

/** The schemas that the static type of such a schema is the union of. */
export function alternativesOf(schema: object): readonly z.ZodType[] | undefined {
  return choices.get(schema)?.alternatives;
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
  const alternatives = Object.values(variants) as V[keyof V][];
  return choose(alternatives, (value) => (isRecord(value) ? byName.get(value[key]) : undefined) ?? other);
}
