/** Restarts of the thread that watches files for the page. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";

/** In its own process, because a process records its program files once. */
const AFTER_UPGRADE = (url: (path: string) => string, program: string, folder: string) => `
  import { renameSync, writeFileSync } from "node:fs";
  import { watchForUpgrade } from "${url("src/upgrade-check.ts")}";
  import { ChangeFeed } from "${url("bin/web/server/change-feed.ts")}";
  const program = ${JSON.stringify(program)};
  watchForUpgrade(program);
  const changes = new ChangeFeed({ db: ${JSON.stringify(folder)}, roots: [] }); // a folder is no database: opening it fails
  changes.subscribe(({ kind, message }) => {
    console.log(kind, message);
    if (/upgraded/.test(message)) return void changes.close();
    writeFileSync(program + ".new", "// the next version");
    renameSync(program + ".new", program);
  });
`;

test("a thread that ends after an upgrade isn't restarted with the files of another version", () => {
  const folder = join(temporaryFolder(), "bin");
  mkdirSync(folder);
  const program = join(folder, "pidex.js");
  writeFileSync(program, "// this version");
  const url = (path: string) => pathToFileURL(join(import.meta.dirname, "..", "..", "..", path)).href;
  const file = join(folder, "watch.mjs");
  writeFileSync(file, AFTER_UPGRADE(url, program, folder));
  const out = execFileSync(process.execPath, [file], { encoding: "utf8" });
  expect(out.trim().split("\n")).toEqual([
    expect.stringMatching(/^problem .*bin/),
    "problem pidex was upgraded while this process was running",
  ]);
});
