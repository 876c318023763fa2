import { basename } from "node:path";
import type { Index, SecretFinding, SecretsOptions, SecretsReport } from "../../library/index.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { EXIT, printNotice, runInterruptibly, withIndex } from "./run.ts";

/** `pidex secrets`: finds likely keys and tokens in sessions. Exits with 1 if there are any, as linters do. */
export async function run(io: Io, sessions: string[], flags: Flags<"secrets">): Promise<number> {
  const options = {
    sessions: sessions.length > 0 ? sessions : undefined,
    kind: flags.kind,
    limit: flags.limit,
  };
  return withIndex(io, flags, async (index) => {
    const bar = new ProgressBar(io, "Scanning");
    return runInterruptibly("interrupted before all files were scanned", async (signal) => {
      const result = { count: 0, report: undefined as SecretsReport | undefined };
      const found = counting(findSecrets(index, options, signal, bar), bar, result);
      if (flags.json) await writeJsonList(io, {}, "secrets", found);
      else if (flags.ndjson) await writeJsonLines(io, found);
      else if (io.isTerminal) await showGrouped(io, found);
      else for await (const each of found) await io.out(lineForPipes(each));
      for (const { reason } of result.report?.unreadFiles ?? []) printNotice(io, reason);
      if (result.count === 0 && !flags.json && !flags.ndjson) io.err("no secrets found\n");
      return result.count > 0 ? EXIT.failed : EXIT.done;
    }).finally(() => bar.clear());
  });
}

function findSecrets(index: Index, options: SecretsOptions, signal: AbortSignal, bar: ProgressBar) {
  return index.secrets({
    ...options,
    signal,
    onProgress: ({ files, filesDone, bytes, bytesDone }) =>
      bar.update({ filesTotal: files, filesDone, bytesTotal: bytes, bytesDone }),
  });
}

/** The findings, with the bar erased before each; count and report go to `result`. */
async function* counting(
  finding: AsyncGenerator<SecretFinding, SecretsReport>,
  bar: ProgressBar,
  result: { count: number; report: SecretsReport | undefined },
): AsyncGenerator<SecretFinding> {
  for (;;) {
    const next = await finding.next();
    bar.clear();
    if (next.done) {
      result.report = next.value;
      return;
    }
    result.count++;
    yield next.value;
  }
}

/** One finding per line, tab-separated: kind, number, masked text, `path:line`, entry, JSON path, time. */
function lineForPipes({
  kind,
  secretNumber,
  masked,
  path,
  line,
  entryId,
  jsonPath,
  timestamp,
}: SecretFinding): string {
  const cells = [
    kind,
    `${secretNumber}`,
    masked,
    `${path}:${line}`,
    `${entryId ?? ""}`,
    jsonPath ?? "",
    timestamp ?? "",
  ];
  return `${cells.map(toField).join("\t")}\n`;
}

/** The maximum number of places shown per secret. */
const MAX_PLACES = 5;

/** A secret with its first places, for a terminal. */
interface Group {
  masked: string;
  places: SecretFinding[];
  count: number;
}

/** Prints findings grouped by kind, then by secret. Several places of a secret may be copies in forks. */
async function showGrouped(io: Io, found: AsyncIterable<SecretFinding>): Promise<void> {
  const kinds = new Map<string, { kind: string; name: string; groups: Map<number, Group> }>();
  for await (const each of found) {
    const key = `${each.kind}\n${each.name}`;
    const kind = kinds.get(key) ?? { kind: each.kind, name: each.name, groups: new Map() };
    const group = kind.groups.get(each.secretNumber) ?? { masked: each.masked, places: [], count: 0 };
    group.count++;
    if (group.places.length < MAX_PLACES) group.places.push(each);
    kind.groups.set(each.secretNumber, group);
    kinds.set(key, kind);
  }
  for (const { kind, name, groups } of [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1))) {
    await io.out(`${io.style("bold", toOneLine(name))}  ${io.style("dim", kind)}\n`);
    for (const { masked, places, count } of groups.values()) {
      await io.out(`  ${io.style("yellow", toOneLine(masked))}  ${formatCount(count, "place")}\n`);
      for (const place of places) await io.out(placeLine(io, place));
      if (count > places.length)
        await io.out(`    ${io.style("dim", `… and ${count - places.length} more`)}\n`);
    }
    await io.out("\n");
  }
  if (kinds.size > 0) {
    io.err("Rotate keys that are still valid; docs/secrets.md explains how.\n");
  }
}

/** Session and entry in a form that `pidex show` accepts, then the JSON path in the entry. */
function placeLine(io: Io, { path, sessionId, line, entryId, jsonPath }: SecretFinding): string {
  const session = sessionId === undefined ? basename(path) : shortId(sessionId);
  const words = [session, entryId === null ? "" : `${entryId}`, jsonPath ?? "", `line ${line}`];
  const text = words.filter(Boolean).map(toOneLine).join("  ");
  return `    ${io.style("dim", truncate(text, io.columns - 4))}\n`;
}
