/** The thread that answers the picker, when it ends before it has answered. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { IndexPlace } from "../../../bin/actions/synced.ts";
import { Asker } from "../../../bin/picker/asker.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

async function indexed(): Promise<IndexPlace> {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
  const place = { db: join(folder, "index.db"), roots: [root] };
  await using index = await openIndex(place);
  await index.sync();
  return place;
}

const HALF_TYPED = { query: "is:er", at: 5 };

function asking(place: IndexPlace): Asker {
  const asker = new Asker(place, () => {});
  onTestFinished(() => asker.close());
  return asker;
}

test("a question to a thread that ended is answered by another one, and those it had are rejected", async () => {
  const asker = asking(await indexed());
  const thread = asker.begin();
  expect((await asker.ask("completions", HALF_TYPED)).texts).toContain("error");
  const lost = asker.ask("completions", HALF_TYPED);
  const ended = thread.terminate(); // without an error, as process.exit() in the thread would
  await expect(lost).rejects.toThrow("the thread that answers has ended");
  await ended;
  expect((await asker.ask("completions", HALF_TYPED)).texts).toContain("error");
});

test("an error rejects the questions that were sent to that thread alone", async () => {
  const asker = asking(await indexed());
  const thread = asker.begin();
  const lost = asker.ask("completions", HALF_TYPED);
  thread.emit("error", new Error("out of memory")); // "exit" follows later
  const next = asker.ask("completions", HALF_TYPED);
  const ended = thread.terminate();
  await expect(lost).rejects.toThrow("out of memory");
  expect((await next).texts).toContain("error");
  await ended;
});

test("a thread that cannot even begin is not begun again until something is asked", async () => {
  const asker = asking(undefined as never); // which it fails on, as it would on a file that is missing
  for (let n = 0; n < 2; n++) {
    await expect(asker.ask("completions", HALF_TYPED)).rejects.toThrow(TypeError);
    expect(asker.thread).toBeUndefined();
  }
});

test("nothing is asked once it is closed", async () => {
  const asker = asking(await indexed());
  await asker.close();
  await expect(asker.ask("completions", HALF_TYPED)).rejects.toThrow("has been closed");
  expect(asker.thread).toBeUndefined();
});

test("an error of the thread that is being ended ends nothing else", async () => {
  const asker = asking(await indexed());
  const thread = asker.begin();
  const closed = asker.close();
  thread.emit("error", new Error("out of memory")); // without a listener it would be thrown
  await closed;
});

/** Runs in a process of its own: which files the program began with is known once a process. */
const AFTER_UPGRADE = (url: (path: string) => string, program: string, place: IndexPlace) => `
  import { renameSync, writeFileSync } from "node:fs";
  import { noticeUpgrade } from "${url("src/same-build.ts")}";
  import { Asker } from "${url("bin/picker/asker.ts")}";
  const program = ${JSON.stringify(program)};
  noticeUpgrade(program);
  const asker = new Asker(${JSON.stringify(place)}, () => {});
  const thread = asker.begin();
  const question = () => asker.ask("completions", ${JSON.stringify(HALF_TYPED)}).then(() => "answered", (error) => error.code);
  const told = [await question()];
  writeFileSync(program + ".new", "// the next version");
  renameSync(program + ".new", program);
  told.push(await question()); // the thread that runs goes on
  const lost = question();
  await thread.terminate();
  told.push(await lost, await question(), await question());
  console.log(told.join(" "));
`;

test("once the thread has ended after an upgrade, every question fails at once and says so", async () => {
  const place = await indexed();
  const folder = join(temporaryFolder(), "bin");
  mkdirSync(folder);
  const program = join(folder, "pidex.js");
  writeFileSync(program, "// this version");
  const url = (path: string) => pathToFileURL(join(import.meta.dirname, "..", "..", "..", path)).href;
  const script = AFTER_UPGRADE(url, program, place);
  const file = join(folder, "ask.mjs");
  writeFileSync(file, script);
  const out = execFileSync(process.execPath, [file], { encoding: "utf8" });
  expect(out).toBe("answered answered UPGRADED UPGRADED UPGRADED\n");
});
