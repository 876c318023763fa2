import { basename } from "node:path";
import type { SecretFinding, SecretsReport } from "../../library/index.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import type { ScanOutcome } from "./progress.ts";
import { EXIT, indexCommand, printNotice, runWithBar } from "./run.ts";
import { formatRow } from "./table.ts";

const INTERRUPTED = "interrupted before all files were scanned";

/** `pidex secrets`: finds likely keys and tokens in sessions. Exits with 1 if there are any, as linters do. */
export const run = indexCommand((io, index, names, flags: Flags<"secrets">) =>
  runWithBar(io, "Scanning", INTERRUPTED, async (signal, bar) => {
    const { kind, limit, json, ndjson } = flags;
    const options = { sessions: names.length > 0 ? names : undefined, kind, limit };
    const control = { signal, onProgress: bar.updateScan.bind(bar) };
    const outcome: ScanOutcome<SecretsReport> = { count: 0 };
    const found = bar.count(index.secrets({ ...options, ...control }), outcome);
    if (json) await writeJsonList(io, {}, "secrets", found);
    else if (ndjson) await writeJsonLines(io, found);
    else if (io.isTerminal) await showGrouped(io, found);
    else for await (const each of found) await io.out(lineForPipes(each));
    for (const { reason } of outcome.report?.unreadFiles ?? []) printNotice(io, reason);
    if (outcome.count === 0 && !json && !ndjson) io.err("no secrets found\n");
    return outcome.count > 0 ? EXIT.failed : EXIT.done;
  }),
);

/** One finding per line, tab-separated: kind, number, masked text, `path:line`, entry, JSON path, time. */
function lineForPipes(finding: SecretFinding): string {
  const { kind, secretNumber, masked, path, line, entryId, jsonPath, timestamp } = finding;
  return formatRow([kind, secretNumber, masked, `${path}:${line}`, entryId, jsonPath, timestamp]);
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
      await io.out(`  ${io.style("yellow", toOneLine(masked))}  ${formatCount(count, "location")}\n`);
      for (const place of places) await io.out(placeLine(io, place));
      if (count > places.length)
        await io.out(`    ${io.style("dim", `… and ${formatInteger(count - places.length)} more`)}\n`);
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
