import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";
import type { z } from "zod";
import { TypeWriter } from "./schema-types.ts";

/** The declaration of a schema, with its comment: up to the first line without indentation that ends in a semicolon. */
const SCHEMA =
  /(^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^(?:export )?declare const (\w+): z\.[\s\S]*?(?<=^\S[^\n]*);$/gm;

/** Removes schemas. The comment of a schema stays if it is followed by the type that is inferred from it. */
function removeSchemas(code: string): string {
  return code.replace(SCHEMA, (schema, comment = "", name: string, offset: number) => {
    const next = code.slice(offset + schema.length).trimStart();
    return /^export type \w+ = z\.(?:infer|input)<typeof (\w+)>/.exec(next)?.[1] === name ? comment : "";
  });
}

/** Replaces the types that zod infers with plain TypeScript types, in declaration files. */
export function plainTypes(): Plugin {
  return {
    name: "plain-types",
    transform: {
      filter: { id: /\.d\.ts$/, code: /\bz\.(?:infer|input)</ },
      async handler(code, id) {
        const source = id.replace(/\.d\.ts$/, ".ts");
        if (!existsSync(source)) return undefined;
        const schemas: Record<string, z.ZodType> = await import(pathToFileURL(source).href);
        const writer = new TypeWriter();
        for (const [, type = "", name = ""] of code.matchAll(
          /^export type (\w+) = z\.(?:infer|input)<typeof (\w+)>;$/gm,
        )) {
          writer.name(schemas[name] as z.ZodType, type);
        }
        return removeSchemas(code).replace(
          /\bz\.(infer|input)<typeof (\w+)>/g,
          (_, kind: string, name: string) =>
            writer.write(schemas[name] as z.ZodType, kind === "input" ? "input" : "output"),
        );
      },
    },
  };
}
