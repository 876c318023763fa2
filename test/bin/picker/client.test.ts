/** The picker's index host. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { IndexLocation } from "../../../bin/actions/index-location.ts";
import { openPickerClient } from "../../../bin/picker/client.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

async function indexed(): Promise<IndexLocation> {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
  const place = { db: join(folder, "index.db"), roots: [root] };
  await using index = await openIndex(place);
  await index.sync();
  return place;
}

const HALF_TYPED = "is:er";

test("a thread that ends rejects its requests, and the next request starts another thread", async () => {
  const client = openPickerClient(await indexed(), () => {});
  onTestFinished(() => client.close());
  expect((await client.call("completions", HALF_TYPED)).texts).toContain("error");
  const lost = client.call("completions", HALF_TYPED);
  const ended = expect(lost).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  await client.end();
  await ended;
  expect((await client.call("completions", HALF_TYPED)).texts).toContain("error");
});

/** Runs in its own process: the files a program started with are recorded once per process. */
const AFTER_UPGRADE = (url: (path: string) => string, program: string, place: IndexLocation) => `
  import { renameSync, writeFileSync } from "node:fs";
  import { watchForUpgrade } from "${url("src/upgrade-check.ts")}";
  import { openPickerClient } from "${url("bin/picker/client.ts")}";
  import { subscribe } from "node:diagnostics_channel";
  const threads = [];
  subscribe("worker_threads", ({ worker }) => threads.push(worker));
  const program = ${JSON.stringify(program)};
  watchForUpgrade(program);
  const client = openPickerClient(${JSON.stringify(place)}, () => {});
  const question = () => client.call("completions", ${JSON.stringify(HALF_TYPED)}).then(() => "answered", (error) => error.code);
  const results = [await question()];
  writeFileSync(program + ".new", "// the next version");
  renameSync(program + ".new", program);
  results.push(await question()); // the running thread continues
  threads[0].terminate();
  while (client.isRunning) await question();
  results.push(await question(), await question());
  console.log(results.join(" "));
`;

test("once the thread has ended after an upgrade, every request fails immediately with that reason", async () => {
  const place = await indexed();
  const folder = join(temporaryFolder(), "bin");
  mkdirSync(folder);
  const program = join(folder, "pidex.js");
  writeFileSync(program, "// this version");
  const url = (path: string) => pathToFileURL(join(import.meta.dirname, "..", "..", "..", path)).href;
  const script = AFTER_UPGRADE(url, program, place);
  const file = join(folder, "request.mjs");
  writeFileSync(file, script);
  const out = execFileSync(process.execPath, [file], { encoding: "utf8" });
  expect(out).toBe("answered answered UPGRADED UPGRADED\n");
});
