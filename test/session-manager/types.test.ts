import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary.ts";

const PROJECT = join(import.meta.dirname, "../..");

test("what an author wrote for pi compiles with one import changed", () => {
  const project = join(temporaryFolder(), "tsconfig.json");
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(PROJECT, "tsconfig.json"),
      compilerOptions: { typeRoots: [join(PROJECT, "node_modules/@types")] },
      files: [join(import.meta.dirname, "author.mts")],
      include: [],
    }),
  );
  const tsc = join(PROJECT, "node_modules/typescript/bin/tsc");
  let told = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
  } catch (error) {
    told = String((error as { stdout?: unknown }).stdout);
  }
  expect(told).toBe("");
});
