import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";
import { type AnySchema, TypeWriter } from "./schema-types.ts";

/** The declaration of a schema: up to the first line without indentation that ends in a semicolon. */
const SCHEMA =
  /^(?:export )?declare const \w+: (?:z\.|(?:import\("[^"]*"\)\.)?Schema<)[\s\S]*?(?<=^\S[^\n]*);$/gm;

/** Replaces the types that are inferred from schemas with plain TypeScript types, in declaration files. */
export function plainTypes(): Plugin {
  return {
    name: "plain-types",
    transform: {
      filter: { id: /\.d\.ts$/, code: /\b(?:z\.infer|z\.input|Infer)<typeof / },
      async handler(code, id) {
        const source = id.replace(/\.d\.ts$/, ".ts");
        if (!existsSync(source)) return undefined;
        const schemas: Record<string, AnySchema> = await import(pathToFileURL(source).href);
        const writer = new TypeWriter();
        for (const [, type = "", name = ""] of code.matchAll(
          /^export type (\w+) = (?:z\.infer|z\.input|Infer)<typeof (\w+)>;$/gm,
        )) {
          writer.name(schemas[name] as AnySchema, type);
        }
        return code
          .replace(SCHEMA, "")
          .replace(/\b(z\.infer|z\.input|Infer)<typeof (\w+)>/g, (_, kind: string, name: string) =>
            writer.write(schemas[name] as AnySchema, kind === "z.input" ? "input" : "output"),
          );
      },
    },
  };
}
