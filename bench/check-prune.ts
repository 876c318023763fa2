/**
 * Compares what pidex says about sessions before they are compressed, while they are, in a new index of the compressed files, and after
 * they were restored: `npm run prune:check -- --root DIR`. Works on a copy of the folder, with the commands `pidex prune` and `pidex
 * restore`. All answers must be equal, and restored files must have the bytes, times and modes of the originals.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Index, openIndex } from "../library/index.ts";
import { findDifferences } from "./json-differences.ts";
import { type Answers, chooseQuestions, takeAnswers } from "./session-answers.ts";

const { values } = parseArgs({
  options: {
    root: { type: "string" },
    seed: { type: "string", default: "1" },
    words: { type: "string", default: "120" },
    trees: { type: "string", default: "200" },
    whole: { type: "string", default: "20" },
    entries: { type: "string", default: "200" },
  },
});
if (!values.root) throw new Error("usage: npm run prune:check -- --root DIR [--seed 1] [--words 120]");

/** Arguments of one command line have a maximum size. */
const SESSIONS_PER_COMMAND = 500;
const MAX_PRINTED = 50;

const folder = await mkdtemp(join(tmpdir(), "pidex-prune-check-"));
const root = join(folder, "sessions");
let failures = 0;

try {
  mkdirSync(root);
  execFileSync("cp", ["-a", `${values.root}/.`, root]);
  execFileSync("chmod", ["-R", "u+w", root]);
  await check(await open("index.db"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failures > 0) process.exitCode = 1;

async function open(name: string): Promise<Index> {
  const index = await openIndex({ db: join(folder, name), roots: [root] });
  await index.sync();
  return index;
}

async function check(index: Index): Promise<void> {
  const now = Date.now();
  const files = describeFiles();
  const plainBytes = countBytes();
  const counts = {
    ...{ words: Number(values.words), trees: Number(values.trees) },
    ...{ whole: Number(values.whole), entries: Number(values.entries) },
  };
  const questions = await chooseQuestions(index, root, counts, Number(values.seed));
  const { sessions } = await index.listAll({ archived: "yes", subagents: "yes" });
  const paths = sessions.map(({ path }) => path);
  console.log(
    "| state | sessions | bytes before | bytes now | share | answers | errors | differences | seconds |",
  );
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");

  const before = await takeAnswers(index, questions, now);
  const report = async (state: string, queried: Index) => {
    const started = performance.now();
    const answers = await takeAnswers(queried, questions, now);
    const errors = [...answers.values()].filter((answer) => answer.startsWith('{"error":')).length;
    const differences = compare(before, answers);
    failures += differences.length;
    const bytes = countBytes();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const share = `${((bytes / plainBytes) * 100).toFixed(1)} %`;
    const cells = [
      state,
      paths.length,
      plainBytes,
      bytes,
      share,
      answers.size,
      errors,
      differences.length,
      seconds,
    ];
    console.log(`| ${cells.join(" | ")} |`);
    print(differences);
  };
  await report("plain, again", index);

  runCommand(["prune"], paths, ["--compress", "--yes"]);
  const left = paths.filter((path) => statSync(path, { throwIfNoEntry: false }));
  failures += left.length;
  print(left.map((path) => `not compressed: ${path}`));
  await index.sync();
  await report("compressed", index);
  const fresh = await open("fresh.db");
  await report("compressed, in a new index", fresh);
  await fresh.close();
  const { differenceCount, differences } = await index.verify();
  failures += differenceCount;
  print(differences.map((difference) => `verify: ${JSON.stringify(difference)}`));

  runCommand(["restore"], paths, []);
  await index.sync();
  await report("restored", index);
  await index.close();
  const changed = findDifferences(files, describeFiles());
  failures += changed.length;
  console.log(`\nVerifying the compressed sessions: ${differenceCount} differences.`);
  console.log(`${Object.keys(files).length} files restored, ${changed.length} attributes differ.`);
  print(changed.map(({ field, before, after }) => `${field}: ${before} -> ${after}`));
}

/** Runs a command of pidex with these sessions. */
function runCommand(command: string[], sessions: readonly string[], options: string[]): void {
  const program = join(import.meta.dirname, "..", "bin", "pidex.ts");
  const db = join(folder, "index.db");
  for (let at = 0; at < sessions.length; at += SESSIONS_PER_COMMAND) {
    const some = sessions.slice(at, at + SESSIONS_PER_COMMAND);
    const argv = [program, ...command, ...some, ...options, "--root", root, "--db", db];
    const env = { PATH: process.env.PATH, HOME: folder };
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
    if (status === 0) continue;
    failures++;
    print([`pidex ${command.join(" ")}: exit code ${status}`, ...stderr.trim().split("\n")]);
  }
}

/** `question: field: before -> after`, for each different field. */
function compare(before: Answers, after: Answers): string[] {
  return [...before].flatMap(([question, answer]) => {
    const now = after.get(question) ?? "null";
    if (answer === now) return [];
    const differences = findDifferences(JSON.parse(answer), JSON.parse(now));
    return differences.map((each) => `${question}: ${each.field}: ${each.before} -> ${each.after}`);
  });
}

function print(lines: readonly string[]): void {
  for (const line of lines.slice(0, MAX_PRINTED)) console.log(`  ${line}`);
  if (lines.length > MAX_PRINTED) console.log(`  … and ${lines.length - MAX_PRINTED} more`);
}

/** Regular files below the copy, as bytes, because some names are not UTF-8. */
function listFiles(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function countBytes(): number {
  return listFiles().reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Hash, time and mode of each file. */
function describeFiles(): Record<string, { sha256: string; mtimeNs: string; mode: string }> {
  return Object.fromEntries(
    listFiles().map((path) => {
      const { mtimeNs, mode } = statSync(path, { bigint: true });
      const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
      return [path.slice(root.length + 1), { sha256, mtimeNs: String(mtimeNs), mode: mode.toString(8) }];
    }),
  );
}
