/**
 * Schemas of JSON values from files that anyone may have written: a wrong part is reported and dropped, the rest is kept. Not
 * zod's, because every search reads entries: zod takes longer to load than a search, and half as long as JSON.parse to check one.
 */
import { isRecord } from "./json.ts";

/** What a JSON value must be. Objects may have further fields. */
export interface Schema<T = unknown> {
  matches(this: void, value: unknown): value is T;
  /** The rule, for messages and for the declarations of the library. */
  readonly rule: Rule;
}

export type Rule =
  | { kind: "string" | "boolean" | "unknown" }
  | { kind: "number"; min: number; max: number }
  | { kind: "literal"; value: string }
  | { kind: "union"; options: readonly Schema[] }
  | { kind: "optional"; inner: Schema; orNull: boolean }
  | { kind: "array"; element: Schema }
  | { kind: "object"; fields: Fields }
  | { kind: "choice"; pick: (value: unknown) => Schema; alternatives: readonly Schema[] };

type Fields = Readonly<Record<string, Schema>>;

/** The type of the values that match a schema. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

type Flatten<T> = { [K in keyof T]: T[K] };
type OptionalKey<F> = { [K in keyof F]: undefined extends Infer<F[K]> ? K : never }[keyof F];
type ObjectOf<F> = Flatten<
  { [K in Exclude<keyof F, OptionalKey<F>>]: Infer<F[K]> } & { [K in OptionalKey<F>]?: Infer<F[K]> } & {
    [field: string]: unknown;
  }
>;

function schema<T>(rule: Rule, matches: (value: unknown) => boolean): Schema<T> {
  return { rule, matches: matches as Schema<T>["matches"] };
}

export const string = schema<string>({ kind: "string" }, (value) => typeof value === "string");
export const boolean = schema<boolean>({ kind: "boolean" }, (value) => typeof value === "boolean");
export const unknown = schema<unknown>({ kind: "unknown" }, () => true);

/** A finite number within inclusive bounds. JSON.parse returns Infinity for `1e999`. */
export function number(min = -Number.MAX_VALUE, max = Number.MAX_VALUE): Schema<number> {
  const isWithin = (value: unknown) => typeof value === "number" && value >= min && value <= max;
  return schema({ kind: "number", min, max }, isWithin);
}

export function literal<const T extends string>(expected: T): Schema<T> {
  return schema({ kind: "literal", value: expected }, (value) => value === expected);
}

export function union<S extends readonly Schema[]>(...options: S): Schema<Infer<S[number]>> {
  return schema({ kind: "union", options }, (value) => options.some(({ matches }) => matches(value)));
}

export function optional<T>(inner: Schema<T>): Schema<T | undefined> {
  const rule: Rule = { kind: "optional", inner, orNull: false };
  return schema(rule, (value) => value === undefined || inner.matches(value));
}

/** Also accepts null, which means missing. */
export function nullish<T>(inner: Schema<T>): Schema<T | null | undefined> {
  const rule: Rule = { kind: "optional", inner, orNull: true };
  return schema(rule, (value) => value === undefined || value === null || inner.matches(value));
}

export function array<T>(element: Schema<T>): Schema<T[]> {
  return schema({ kind: "array", element }, (value) => Array.isArray(value) && value.every(element.matches));
}

export function object<F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  const checks = Object.entries(fields).map(([name, { matches }]) => [name, matches] as const);
  return schema(
    { kind: "object", fields },
    (value) => isRecord(value) && checks.every(([name, matches]) => matches(value[name])),
  );
}

/**
 * A schema that selects another one by the value. Unlike in a union, the exact field that is wrong is known, so that only that
 * field is dropped.
 *
 * @param alternatives the schemas that make up the static type; `pick` may return others
 */
export function choose<S extends readonly Schema[]>(
  alternatives: S,
  pick: (value: unknown) => Schema,
): Schema<Infer<S[number]>> {
  return schema({ kind: "choice", pick, alternatives }, (value) => pick(value).matches(value));
}

/**
 * Objects that differ by the value of one key. Unlisted variants must match `other`: pi's forks add their own entry types, roles
 * and blocks, and the index must keep them.
 *
 * The static type is the union of the listed variants, so that `switch` narrows; code that reads files needs a `default` branch.
 *
 * @param common fields of all variants
 */
export function variant<K extends string, C extends Fields, V extends Readonly<Record<string, Fields>>>(
  key: K,
  common: C,
  variants: V,
  other: Schema,
): Schema<{ [N in keyof V]: ObjectOf<C & { [T in K]: Schema<N> } & V[N]> }[keyof V]> {
  const byName = new Map<unknown, Schema>();
  for (const [name, fields] of Object.entries(variants)) {
    byName.set(name, object({ ...common, [key]: literal(name), ...fields }));
  }
  const pick = (value: unknown) => (isRecord(value) ? byName.get(value[key]) : undefined) ?? other;
  return choose([...byName.values()], pick) as Schema<never>;
}

const INVALID = Symbol("a value to drop");

/**
 * Returns an object without the parts that do not match a schema in which every field is optional: wrong fields are removed, and
 * wrong array elements replaced by a block of no known type. Copies only the objects that contain a wrong part.
 *
 * @param onInvalid called with the path of each wrong part, and what is wrong with it
 */
export function dropInvalid<T>(
  { matches, rule }: Schema<T>,
  value: Record<string, unknown>,
  onInvalid: (path: readonly PropertyKey[], message: string) => void,
): T {
  return (matches(value) ? value : drop(rule, value, [], onInvalid)) as T;
}

function drop(
  rule: Rule,
  value: unknown,
  path: readonly PropertyKey[],
  onInvalid: (path: readonly PropertyKey[], message: string) => void,
): unknown {
  if (rule.kind === "optional") return drop(rule.inner.rule, value, path, onInvalid);
  if (rule.kind === "choice") return drop(rule.pick(value).rule, value, path, onInvalid);
  if (rule.kind === "object" && isRecord(value)) {
    const copy = { ...value };
    for (const [name, field] of Object.entries(rule.fields)) {
      if (field.matches(copy[name])) continue;
      const kept = drop(field.rule, copy[name], [...path, name], onInvalid);
      if (kept === INVALID) delete copy[name];
      else copy[name] = kept;
    }
    return copy;
  }
  if (rule.kind === "array" && Array.isArray(value)) {
    return value.map((each: unknown, n) => {
      if (rule.element.matches(each)) return each;
      const kept = drop(rule.element.rule, each, [...path, n], onInvalid);
      return kept === INVALID ? { type: "" } : kept;
    });
  }
  onInvalid(path, describe(rule, value));
  return INVALID;
}

/** What is wrong with a value, in the words of zod, which older indexes contain. */
function describe(rule: Rule, value: unknown): string {
  if (rule.kind === "union") {
    const messages = rule.options.map((option) => describe(option.rule, value));
    return messages.find((message) => message.startsWith("Too")) ?? "Invalid input";
  }
  if (rule.kind === "number" && typeof value === "number" && Number.isFinite(value)) {
    return value > rule.max
      ? `Too big: expected number to be <=${rule.max}`
      : `Too small: expected number to be >=${rule.min}`;
  }
  const isInfinite = typeof value === "number" && !Number.isFinite(value);
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const received = isInfinite ? String(value) : type;
  return `Invalid input: expected ${rule.kind}, received ${received}`;
}
