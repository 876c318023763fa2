import type { z } from "zod";
import { isRecord } from "./json.ts";
import { pickerOf } from "./variant.ts";

type Schema = z.core.$ZodType;
type Check = (value: unknown) => boolean;

/**
 * Whether a value surely fits a schema. Nearly every entry does, and to find that out takes zod half as long as JSON.parse
 * takes to read it, because zod copies what it looks at. False means no more than that zod must be asked.
 */
export function fits(schema: Schema, value: unknown): boolean {
  return checkOf(schema)(value);
}

const checks = new WeakMap<Schema, Check>();

/** A schema's check, made of its definition when it is first wanted. */
function checkOf(schema: Schema): Check {
  const known = checks.get(schema);
  if (known) return known;
  const made = checkFor(schema as z.core.$ZodTypes);
  checks.set(schema, made);
  return made;
}

/** What a definition may hold and be understood here. A format, for one, is not: only zod knows what it asks for. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...["type", "checks", "values", "innerType", "options", "element", "shape", "catchall"],
]);

const askZod: Check = () => false;

function checkFor(schema: z.core.$ZodTypes): Check {
  const pick = pickerOf(schema);
  if (pick) return (value) => fits(pick(value), value);
  const { def } = schema._zod;
  if (Object.entries(def).some(([key, rule]) => rule !== undefined && !UNDERSTOOD.has(key))) return askZod;
  if (def.type === "number") return numberCheck(def.checks);
  if (def.checks) return askZod;
  switch (def.type) {
    case "unknown":
      return () => true;
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "literal": {
      const values: readonly unknown[] = def.values;
      return (value) => values.includes(value);
    }
    case "optional": {
      const check = checkOf(def.innerType);
      return (value) => value === undefined || check(value);
    }
    case "nullable": {
      const check = checkOf(def.innerType);
      return (value) => value === null || check(value);
    }
    case "union": {
      const options = def.options.map(checkOf);
      return (value) => options.some((check) => check(value));
    }
    case "array": {
      const check = checkOf(def.element);
      return (value) => Array.isArray(value) && value.every(check);
    }
    case "object":
      return def.catchall?._zod.def.type === "unknown" ? objectCheck(def.shape) : askZod;
    default:
      return askZod;
  }
}

/** Any number but for those that JSON cannot hold and yet gives: `1e999` is read as Infinity. */
function numberCheck(bounds: readonly z.core.$ZodCheck<never>[] = []): Check {
  let [least, most] = [-Infinity, Infinity];
  for (const { _zod } of bounds) {
    const bound = _zod.def as z.core.$ZodCheckLessThanDef | z.core.$ZodCheckGreaterThanDef;
    if (!bound.inclusive || typeof bound.value !== "number") return askZod;
    if (bound.check === "less_than") most = Math.min(most, bound.value);
    else least = Math.max(least, bound.value);
  }
  return (value) => typeof value === "number" && Number.isFinite(value) && value >= least && value <= most;
}

function objectCheck(shape: z.core.$ZodShape): Check {
  const fields = Object.entries(shape).map(([key, schema]): [string, Check] => [key, checkOf(schema)]);
  return (value) => isRecord(value) && fields.every(([key, check]) => check(value[key]));
}
