import { posix, resolve } from "node:path";
import { PidexError } from "../src/errors.ts";
import { once } from "../src/once.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import { homeFolder, workingFolder } from "../src/surroundings.ts";

/** Loads RE2, which is large. */
const loadGlobs = once(() => import("./glob.ts"));

/** Longer than any path a system takes. */
const MAX_PATTERN = 4096;
/** A glob costs its length times the path's, at worst. */
const MAX_GLOB = 1000;

/**
 * Which of the paths that entries touched a pattern means, as ids in `path`:
 *
 * - `/home/ada/shop/tax.ts`, `~/shop/tax.ts`, `./tax.ts`: that path. `~/` is this user's home, or was said just so;
 *   `./` and `../` start at the working directory of this process.
 * - `tax.ts`, `src/tax.ts`: the paths that end in these names; `/x/mytax.ts` does not.
 * - `src/`: a folder of that name, and all below it. `.` and `..` are folders too.
 * - A glob where one of `* ? [ {` stands in it, on the whole of a path when it is absolute, else on its last names.
 *   What is called so literally is found too: `app/[slug]/page.tsx`.
 *
 * Windows paths are met with slashes of either kind. Case counts, unless nothing is found so.
 *
 * @throws PidexError `BAD_OPTION` for a pattern that is empty or too long, or that holds a NUL
 */
export async function matchingPaths(db: Reader, pattern: string): Promise<number[]> {
  const meanings = meaningsOf(checked(pattern));
  const candidates = meanings.every(isOnePath) ? meanings.flatMap(spellings) : undefined;
  const found = await pathsThat(db, await Promise.all(meanings.map(pathTest)), candidates);
  if (found.length > 0) return found;
  const tests = await Promise.all(meanings.map((meaning) => pathTest(fold(meaning))));
  return pathsThat(
    db,
    tests.map((test) => (path) => test(foldText(path))),
  );
}

/** A glob that means a text as it is. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[{]/g, "[$&]");
}

/** Whether a pattern is more than a text. */
export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** What a pattern means as a text, and as a glob where it can be one. */
interface Meaning {
  text: string;
  glob?: string;
}

type Test = (path: string) => boolean;

function checked(pattern: string): string {
  if (pattern === "") throw bad("the pattern is empty");
  if (pattern.includes("\0")) throw bad("the pattern holds a NUL, which no path does");
  const most = isGlob(pattern) ? MAX_GLOB : MAX_PATTERN;
  if (pattern.length > most) throw bad(`the pattern has ${pattern.length} characters, more than ${most}`);
  return pattern.toWellFormed(); // as SQLite keeps paths
}

function bad(message: string): PidexError {
  const hint = "Give a path, the end of one (tax.ts, src/tax.ts), a folder (src/), or a glob ('*.py').";
  return new PidexError("BAD_OPTION", message, hint);
}

function meaningsOf(pattern: string): Meaning[] {
  const from = (start: (escaped: (folder: string) => string) => string): Meaning => ({
    text: start((folder) => folder),
    glob: isGlob(pattern) ? start(escapeGlob) : undefined,
  });
  if (/^\.\.?([/\\]|$)/.test(pattern)) {
    const isFolder = /(^|[/\\])\.\.?$|[/\\]$/.test(pattern);
    return [from((escaped) => resolve(escaped(workingFolder()), pattern) + (isFolder ? "/" : ""))];
  }
  const literal = from(() => pattern);
  if (!/^~([/\\]|$)/.test(pattern)) return [literal];
  return [literal, from((escaped) => escaped(homeFolder()) + pattern.slice(1))];
}

const ABSOLUTE = /^(\/|\\\\|[A-Za-z]:[/\\]|~([/\\]|$))/;
const WINDOWS = /^(\\\\|[A-Za-z]:[/\\])/;

function isOnePath({ text, glob }: Meaning): boolean {
  return glob === undefined && ABSOLUTE.test(text) && !/[/\\]$/.test(text);
}

/** How a path may be written where it is stored: the index finds these at once. */
function spellings({ text }: Meaning): string[] {
  return [posix.normalize(text), text, text.replaceAll("/", "\\")];
}

/** The ids of paths that meet one of the tests, among the candidates or all. */
async function pathsThat(
  db: Reader,
  tests: readonly Test[],
  candidates?: readonly string[],
): Promise<number[]> {
  const among = candidates ? sql<SqlBool>`path IN (${sql.join(candidates)})` : sql<SqlBool>`TRUE`;
  const { rows } = await sql<{ id: number; path: string }>`
    SELECT id, path FROM path WHERE ${among} ORDER BY id`.execute(db);
  return rows.filter(({ path }) => tests.some((test) => test(path))).map(({ id }) => id);
}

/** Paths of Windows are compared with slashes; elsewhere a backslash is a character like others. */
async function pathTest(meaning: Meaning): Promise<Test> {
  const asGiven = await slashedTest(meaning);
  const onWindows = await slashedTest({
    text: slashed(meaning.text),
    glob: meaning.glob && slashed(meaning.glob),
  });
  return (path) => (WINDOWS.test(path) ? onWindows(slashed(path)) : asGiven(path));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\/+/, "/");
}

async function slashedTest({ text, glob }: Meaning): Promise<Test> {
  const isNamed = namedTest(posix.normalize(text));
  const isMatched = glob === undefined ? undefined : (await loadGlobs()).globTest(wholeGlob(glob));
  return (path) => isNamed(path) || isMatched?.(path) === true;
}

function namedTest(name: string): Test {
  const isFolder = name.endsWith("/");
  const body = isFolder ? name.slice(0, -1) : name;
  if (ABSOLUTE.test(name)) return (path) => path === body || (isFolder && path.startsWith(`${body}/`));
  if (isFolder) return (path) => `/${path}/`.includes(`/${body}/`);
  return (path) => path === body || path.endsWith(`/${body}`);
}

/** A glob as it is to meet the whole of a path. */
function wholeGlob(glob: string): string {
  const body = glob.replace(/\/{2,}/g, "/");
  const withBelow = body.endsWith("/") ? `${body.slice(0, -1)}{,/**}` : body;
  return ABSOLUTE.test(body) ? withBelow : `**/${withBelow}`;
}

function fold({ text, glob }: Meaning): Meaning {
  return { text: foldText(text), glob: glob && foldText(glob) };
}

/** The same for all ways to write letters: in capitals or not, accents composed or not. */
function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
