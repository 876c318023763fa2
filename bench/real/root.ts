import { closeSync, fstatSync, mkdirSync, openSync, statSync, utimesSync, writeSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { openIndex } from "../../library/index.ts";
import { readLines } from "../../src/session/lines.ts";
import { parseLine } from "../../src/session/parse-line.ts";
import { emptyManifest, type Manifest } from "../manifest.ts";
import { listSessionFiles, sampleWords } from "../root-words.ts";
import { copyLine, type LineChanges, shiftTime } from "./copy-line.ts";
import { type CommonWords, Substitution } from "./substitution.ts";

/** Words in more than this share of the entries stay the same in all copies. */
const COMMON_SHARE = 0.005;
const DAY = 24 * 3600 * 1000;
/** Copies go back at most this long before the originals. */
const MAX_HISTORY_MS = 730 * DAY;

/** A session of the user's folder. */
interface Original {
  path: string;
  /** Relative to the folder. */
  name: string;
  bytes: number;
  header: Record<string, unknown>;
}

/**
 * Writes a root of about `bytes` bytes: the sessions of a user's folder, copied with other ids, times and words until there are
 * enough. The folder is only read. Cost and subagents in the manifest are those that pidex finds, in an index at `db`.
 *
 * @throws Error if the folder has no sessions, or if one of the folders contains the other
 */
export async function writeRealRoot(
  root: string,
  folder: string,
  bytes: number,
  db: string,
): Promise<Manifest> {
  checkSeparate(resolve(folder), resolve(root));
  const originals = listSessionFiles(folder).flatMap((name) => readOriginal(folder, name));
  const total = originals.reduce((sum, original) => sum + original.bytes, 0);
  if (total === 0) throw new Error(`No sessions in ${folder}`);
  const manifest = emptyManifest(0, "real");
  const common: CommonWords = new Set(
    [...sampleWords(folder).words].flatMap(([word, share]) => (share > COMMON_SHARE ? [word] : [])),
  );
  const copies = Math.ceil(bytes / total);
  // Copies can be a little smaller than the originals, which may have other white space.
  for (let copy = 0; manifest.bytes < bytes; copy++) {
    const shiftMs = -Math.round(copy * Math.min(7 * DAY, MAX_HISTORY_MS / copies));
    const substitution = new Substitution(copy, common);
    const targets = new Map(
      originals.map((original) => [original, toTarget(original, substitution, shiftMs)]),
    );
    const paths = new Map(
      originals.map((original) => [
        original.name.split("/").at(-1) ?? "",
        join(root, targets.get(original) ?? ""),
      ]),
    );
    for (const [original, target] of targets) {
      if (manifest.bytes >= bytes) break;
      copySession(original, join(root, target), { substitution, shiftMs, paths }, manifest);
    }
  }
  await addIndexed(manifest, root, db);
  return manifest;
}

function checkSeparate(folder: string, root: string): void {
  const isInside = (parent: string, child: string) => !relative(parent, child).startsWith("..");
  if (isInside(folder, root) || isInside(root, folder))
    throw new Error(`--roots must be outside of the folder with the sessions: ${folder}`);
}

/** Files that begin with anything but a header, or a title before it, are left out. */
function readOriginal(folder: string, name: string): Original[] {
  const path = join(folder, name);
  const { size } = statSync(path);
  for (const header of readObjects(path)) {
    if (header.type === "session") return [{ path, name: name.replaceAll("\\", "/"), bytes: size, header }];
    if (header.type !== "title") return [];
  }
  return [];
}

/** The JSON objects of a file; malformed and empty lines are left out. */
function* readObjects(path: string): Generator<Record<string, unknown>> {
  const descriptor = openSync(path, "r");
  try {
    let n = 0;
    for (const line of readLines(descriptor, 0, fstatSync(descriptor).size)) {
      const { object } = parseLine(line, ++n);
      if (object) yield object;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The path of a copy below the root: the original's folders, or those of pi for sessions in no folder. */
function toTarget({ name, header }: Original, substitution: Substitution, shiftMs: number): string {
  const cwd = typeof header.cwd === "string" ? header.cwd : "";
  const placed = name.includes("/")
    ? name
    : `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--/${name}`;
  // File names of pi begin with the time of the session.
  const shifted = placed.replace(
    /(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3}Z)/g,
    (_, ...[day, h, m, s, ms]) =>
      String(shiftTime(`${day}${h}:${m}:${s}.${ms}`, shiftMs)).replace(/[:.]/g, "-"),
  );
  return substitution.apply(shifted);
}

function copySession({ path }: Original, target: string, changes: LineChanges, manifest: Manifest): void {
  mkdirSync(dirname(target), { recursive: true });
  const descriptor = openSync(target, "wx");
  try {
    manifest.files++;
    let hasHeader = false;
    for (const object of readObjects(path)) {
      const line = `${JSON.stringify(copyLine(object, changes))}\n`;
      manifest.bytes += Buffer.byteLength(line);
      writeSync(descriptor, line);
      const isHeader: boolean = !hasHeader && object.type === "session";
      if (isHeader && (object.parentSession ?? object.branchedFrom)) manifest.forks++;
      if (!isHeader) countEntry(object, manifest);
      hasHeader ||= isHeader;
    }
  } finally {
    closeSync(descriptor);
  }
  const seconds = (statSync(path).mtimeMs + changes.shiftMs) / 1000;
  utimesSync(target, seconds, seconds);
}

function countEntry({ type, message }: Record<string, unknown>, manifest: Manifest): void {
  const { entriesByType, messagesByRole } = manifest;
  manifest.entries++;
  entriesByType[String(type)] = (entriesByType[String(type)] ?? 0) + 1;
  const role = (message as { role?: unknown } | undefined)?.role;
  if (type === "message") messagesByRole[String(role)] = (messagesByRole[String(role)] ?? 0) + 1;
}

/** Real files record costs in ways that only pidex's own extraction adds up, so these figures can't be checked against it. */
async function addIndexed(manifest: Manifest, root: string, db: string): Promise<void> {
  await using index = await openIndex({ db, roots: [root] });
  await index.sync();
  manifest.nanoDollars = (await index.usage()).total.costNanoUsd;
  manifest.subagents = (await index.listAll({ subagents: "only", limit: 1 })).total;
}
