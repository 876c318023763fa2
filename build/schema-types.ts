/**
 * Writes the types of zod schemas as plain TypeScript, with descriptions as doc comments: the published declarations don't
 * need zod, and editors show the description of each option.
 */
import type { z } from "zod";
import { getAlternatives } from "../src/session/variant.ts";

/** The type that a schema accepts, or the one that it returns. */
export type Side = "input" | "output";

/** Writes the types of schemas. Throws for a schema without a plain type, such as a transform's output. */
export class TypeWriter {
  /** Names of types by schema definition, which a schema shares with copies that have another description. */
  readonly #names = new Map<object, string>();

  name(schema: z.core.$ZodType, name: string): void {
    this.#names.set(schema._zod.def, name);
  }

  /** The type of a schema. Uses the names of nested schemas, but not its own. */
  write(schema: z.core.$ZodType, side: Side): string {
    return this.#written(schema as z.core.$ZodTypes, side);
  }

  #typeOf(schema: z.core.$ZodType, side: Side): string {
    return this.#names.get(schema._zod.def) ?? this.write(schema, side);
  }

  #union(schemas: readonly z.core.$ZodType[], side: Side): string {
    return [...new Set(schemas.map((schema) => this.#typeOf(schema, side)))].join(" | ");
  }

  #written(schema: z.core.$ZodTypes, side: Side): string {
    const alternatives = getAlternatives(schema);
    if (alternatives) return this.#union(alternatives, side);
    const { def } = schema._zod;
    switch (def.type) {
      case "string":
      case "number":
      case "boolean":
      case "unknown":
      case "undefined":
      case "null":
        return def.type;
      case "date":
        return "Date";
      case "literal":
        return def.values.map((value) => JSON.stringify(value)).join(" | ");
      case "enum":
        return Object.values(def.entries)
          .map((value) => JSON.stringify(value))
          .join(" | ");
      case "optional":
        return withMember(this.#typeOf(def.innerType, side), "undefined");
      case "default":
        return side === "input"
          ? withMember(this.#typeOf(def.innerType, side), "undefined")
          : this.#typeOf(def.innerType, side);
      case "nullable":
        return withMember(this.#typeOf(def.innerType, side), "null");
      case "union":
        return this.#union(def.options, side);
      case "array":
        return `Array<${this.#typeOf(def.element, side)}>`;
      case "tuple":
        return `[${def.items.map((item) => this.#typeOf(item, side)).join(", ")}]`;
      case "record":
        return `{ [K in ${this.#typeOf(def.keyType, side)}]?: ${this.#typeOf(def.valueType, side)} }`;
      case "pipe":
        if (side === "input") return this.#typeOf(def.in, side);
        break;
      case "object":
        return this.#object(def, side);
    }
    throw new Error(`no plain type for the ${side} of ${def.type}`);
  }

  #object({ shape, catchall }: z.core.$ZodObjectDef, side: Side): string {
    const fields = Object.entries(shape).map(([key, field]) => {
      const isOptional = field._zod[side === "input" ? "optin" : "optout"] !== undefined;
      const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
      return `${comment(field)}${name}${isOptional ? "?" : ""}: ${this.#typeOf(field, side)};\n`;
    });
    const others = catchall?._zod.def.type === "unknown" ? "[key: string]: unknown;\n" : "";
    return `{\n${fields.join("")}${others}}`;
  }
}

/** Adds a member to a union, unless it is the last one already. */
function withMember(type: string, member: "undefined" | "null"): string {
  return type === member || type.endsWith(` | ${member}`) ? type : `${type} | ${member}`;
}

function comment(field: z.core.$ZodType): string {
  const { description, defaultValue } = describe(field as z.ZodType);
  const lines = [
    description,
    defaultValue === undefined ? undefined : `@default ${JSON.stringify(defaultValue)}`,
  ];
  const text = lines.filter((line) => line !== undefined).join("\n * ");
  return text === "" ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

/** The description of a field, or of the schema that it wraps. */
function describe(field: z.ZodType): { description?: string | undefined; defaultValue?: unknown } {
  const { def } = field._zod as unknown as { def: z.core.$ZodTypes["_zod"]["def"] };
  const inner = "innerType" in def ? describe(def.innerType as z.ZodType) : {};
  return {
    ...inner,
    ...(field.description !== undefined && { description: field.description }),
    ...(def.type === "default" && { defaultValue: def.defaultValue }),
  };
}
