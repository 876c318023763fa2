import type { z } from "zod";
import { memoizeByObject } from "../memoize.ts";
import { isRecord } from "./json.ts";
import { getSelector } from "./variant.ts";

type Schema = z.core.$ZodType;
type Check = (value: unknown) => boolean;

/**
 * True if a value matches a schema; false means that zod must decide. A fast path: nearly every entry matches, and zod takes
 * half as long as JSON.parse to say so, because it copies values.
 */
export function matchesSchema(schema: Schema, value: unknown): boolean {
  return getCheck(schema)(value);
}

/** The check of a schema, compiled from its definition on first use. */
const getCheck = memoizeByObject((schema: Schema) => compileCheck(schema as z.core.$ZodTypes));

/** The rules of a definition that can be compiled. String formats, for example, are left to zod. */
const COMPILABLE_RULES: ReadonlySet<string> = new Set([
  ...["type", "checks", "values", "innerType", "options", "element", "shape", "catchall"],
]);

const leaveToZod: Check = () => false;

function compileCheck(schema: z.core.$ZodTypes): Check {
  const pick = getSelector(schema);
  if (pick) return (value) => matchesSchema(pick(value), value);
  const { def } = schema._zod;
  if (Object.entries(def).some(([key, rule]) => rule !== undefined && !COMPILABLE_RULES.has(key)))
    return leaveToZod;
  if (def.type === "number") return compileNumberCheck(def.checks);
  if (def.checks) return leaveToZod;
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
      const check = getCheck(def.innerType);
      return (value) => value === undefined || check(value);
    }
    case "nullable": {
      const check = getCheck(def.innerType);
      return (value) => value === null || check(value);
    }
    case "union": {
      const options = def.options.map(getCheck);
      return (value) => options.some((check) => check(value));
    }
    case "array": {
      const check = getCheck(def.element);
      return (value) => Array.isArray(value) && value.every(check);
    }
    case "object":
      return def.catchall?._zod.def.type === "unknown" ? compileObjectCheck(def.shape) : leaveToZod;
    default:
      return leaveToZod;
  }
}

/** Accepts finite numbers within bounds. JSON.parse returns Infinity for `1e999`. */
function compileNumberCheck(bounds: readonly z.core.$ZodCheck<never>[] = []): Check {
  let [min, max] = [-Infinity, Infinity];
  for (const { _zod } of bounds) {
    const bound = _zod.def as z.core.$ZodCheckLessThanDef | z.core.$ZodCheckGreaterThanDef;
    if (!bound.inclusive || typeof bound.value !== "number") return leaveToZod;
    if (bound.check === "less_than") max = Math.min(max, bound.value);
    else min = Math.max(min, bound.value);
  }
  return (value) => typeof value === "number" && Number.isFinite(value) && value >= min && value <= max;
}

function compileObjectCheck(shape: z.core.$ZodShape): Check {
  const fields = Object.entries(shape).map(([key, schema]): [string, Check] => [key, getCheck(schema)]);
  return (value) => isRecord(value) && fields.every(([key, check]) => check(value[key]));
}
