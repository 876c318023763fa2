import { z } from "zod";
import { isRecord } from "./json.ts";

type Fields = Record<string, z.ZodType>;
type Selector = (value: unknown) => z.ZodType;

const choices = new WeakMap<object, { pick: Selector; alternatives: readonly z.ZodType[] }>();

/**
 * A schema that selects another schema by the value. Unlike in a union of schemas, an issue names the exact field that is wrong,
 * so that only that field is dropped.
 *
 * @param alternatives all schemas that `pick` may return; their union is the static type
 */
export function selectSchema<S extends z.ZodType>(
  alternatives: readonly S[],
  pick: Selector,
): z.ZodType<z.infer<S>> {
  const schema = z.unknown().check((context) => {
    const { value } = context;
    const result = pick(value).safeParse(value);
    if (result.success) return;
    for (const { message, path } of result.error.issues) {
      context.issues.push({ code: "custom", message, path: [...path], input: value });
    }
  });
  choices.set(schema, { pick, alternatives });
  // zod cannot infer the type: the value was validated by the schema that `pick` returned.
  return schema as unknown as z.ZodType<z.infer<S>>;
}

/** The selector of a schema made by `selectSchema` or `variant`; undefined for other schemas. */
export function getSelector(schema: object): Selector | undefined {
  return choices.get(schema)?.pick;
}

/** All schemas that the selector may return. */
export function getAlternatives(schema: object): readonly z.ZodType[] | undefined {
  return choices.get(schema)?.alternatives;
}

/** The schema of one variant: the common fields, the key with the variant's name, and the variant's own fields. */
type VariantSchema<Key extends string, Common, Own, Name> = z.ZodObject<
  Common & Record<Key, z.ZodLiteral<Name & string>> & Own,
  z.core.$loose
>;

/**
 * Like a discriminated union by one key, but validates unlisted variants by `other`: pi's forks add their own entry types, roles
 * and blocks, and the index must keep them.
 *
 * The static type is the union of the listed variants, so that `switch` narrows; code that reads files needs a `default` branch.
 *
 * @param common fields of all variants
 * @param variants the further fields of each variant, by its name
 */
export function variant<Key extends string, Common extends Fields, V extends Record<string, Fields>>(
  key: Key,
  common: Common,
  variants: V,
  other: z.ZodType,
): z.ZodType<{ [Name in keyof V]: z.infer<VariantSchema<Key, Common, V[Name], Name>> }[keyof V]> {
  const byName = new Map<unknown, z.ZodType>(
    Object.entries(variants).map(([name, own]) => [
      name,
      z.looseObject({ ...common, [key]: z.literal(name), ...own }),
    ]),
  );
  return selectSchema(
    [...byName.values()] as never[],
    (value) => (isRecord(value) ? byName.get(value[key]) : undefined) ?? other,
  );
}
