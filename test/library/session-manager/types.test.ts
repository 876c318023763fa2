import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasPeers } from "../../peer/peers.ts";
import { temporaryFolder } from "../../temporary.ts";

const PROJECT = join(import.meta.dirname, "../../..");

test.skipIf(!hasPeers)(
  "code written for pi compiles with one import changed, and pi's types accept the extension",
  () => {
    const project = join(temporaryFolder(), "tsconfig.json");
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(PROJECT, "tsconfig.json"),
        compilerOptions: { typeRoots: [join(PROJECT, "node_modules/@types")] },
        // Both in one program, because parsing all types of pi takes seconds.
        files: [join(import.meta.dirname, "author.mts"), join(PROJECT, "test/bin/pi/fits-pi.mts")],
        include: [],
      }),
    );
    const tsc = join(PROJECT, "node_modules/typescript/bin/tsc");
    let output = "";
    try {
      execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    } catch (error) {
      output = String((error as { stdout?: unknown }).stdout);
    }
    expect(output).toBe("");
  },
);
