import { PidexError } from "../../library/index.ts";
import { findNearestWord } from "../../library/internal.ts";
import type { CommonOptions } from "./common-options.ts";

/** Returns the names if all are known. @throws PidexError `BAD_OPTION` that lists the known ones */
export function requireKnown<Name extends string>(
  names: readonly string[],
  known: readonly Name[],
  what: { option: string; one: string; many: string },
): Name[] {
  const trimmed = names.map((name) => name.trim());
  const unknown = trimmed.find((name) => !known.some((each) => each === name));
  if (unknown === undefined) return trimmed as Name[];
  const similar = findNearestWord(unknown, known);
  const suggestion = similar === undefined ? "" : `; did you mean ${similar}?`;
  const hint = `${what.many} are ${known.join(", ")}.`;
  throw new PidexError("BAD_OPTION", `${what.option}: unknown ${what.one} "${unknown}"${suggestion}`, hint);
}

/** The fields of `--json FIELDS` or `--ndjson FIELDS`; true for all, undefined without these options. */
export function getJsonFields({
  json,
  ndjson,
}: Pick<CommonOptions, "json" | "ndjson">): string[] | true | undefined {
  return json || ndjson || undefined;
}

/** Values of an item by name, besides its own properties. */
export type FieldGetters<T> = Readonly<Record<string, { value: (item: T) => unknown }>>;

/**
 * Returns a function that reduces items of JSON to the fields of `--json FIELDS` or `--ndjson FIELDS`, with null for absent ones. Without fields it returns the
 * items unchanged.
 *
 * @param properties the names of the items' own properties
 * @throws PidexError `BAD_OPTION` for an unknown field
 */
export function createFieldSelector<T extends object>(
  fields: string[] | true | undefined,
  properties: readonly string[],
  getters: FieldGetters<T> = {},
): (item: T) => object {
  if (fields === true || fields === undefined) return (item) => item;
  const known = [...new Set([...properties, ...Object.keys(getters)])];
  const names = requireKnown(fields, known, { option: "JSON", one: "field", many: "Fields" });
  return (item) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        (properties.includes(name) ? item[name as keyof T] : getters[name]?.value(item)) ?? null,
      ]),
    );
}

/** Whether `--json FIELDS`, `--columns` or a template name one of these fields. */
export function namesAny(fields: readonly string[] | true | undefined, names: readonly string[]): boolean {
  return fields !== undefined && fields !== true && fields.some((field) => names.includes(field.trim()));
}
