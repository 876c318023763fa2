import { posix, resolve } from "node:path";
import { getHomeFolder, getWorkingFolder } from "../src/environment.ts";
import { PidexError } from "../src/errors.ts";
import { memoize } from "../src/memoize.ts";
import type { PathSelection } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";

/** RE2 is large, so it is loaded on first use. */
const loadGlobs = memoize(() => import("./glob.ts"));

/** Maximum length of a path pattern, longer than any path that a system accepts. */
const MAX_PATTERN = 4096;
/** Maximum length of a glob: in the worst case it costs its length times the path's. */
const MAX_GLOB = 1000;

/**
 * Returns the store's ids of the touched paths that a pattern matches:
 *
 * - `/home/ada/shop/tax.ts`, `~/shop/tax.ts`, `./tax.ts`: that path. `~/` is the current user's home, and also matches paths recorded
 *   as `~/…`; `./` and `../` are relative to the working directory of this process.
 * - `tax.ts`, `src/cart`: paths that end in these names, and everything below them, but not `/x/mytax.ts`. What is below a name with a
 *   dot is only matched if no path ends in it: few folders have one, and files are found faster.
 * - `src/`: a folder with that name and everything below it. `.` and `..` are folders too.
 * - A glob if it contains `*`, `?`, `[` or `{`: matches the whole path if absolute, otherwise its last names. The literal
 *   name is matched too: `app/[slug]/page.tsx`.
 *
 * Windows paths match with either slash. Case matters unless nothing matches.
 *
 * @throws PidexError `BAD_OPTION` for a pattern that is empty, too long, or contains a NUL
 */
export async function findMatchingPaths(store: Store, pattern: string): Promise<number[]> {
  const named = toPathPatterns(checked(pattern));
  const folders = named.filter(isWithoutSlash).map(({ text }) => ({ text: `${text}/` }));
  const patterns = named.some(({ text }) => NAME_WITHOUT_DOT.test(text)) ? [...named, ...folders] : named;
  const found = await pathsThat(store, patterns, toSelection(patterns));
  if (found.length > 0) return found;
  const below = patterns === named && folders.length > 0 ? await pathsThat(store, folders) : [];
  return below.length > 0 ? below : pathsThat(store, [...named, ...folders], undefined, foldText);
}

const NAME_WITHOUT_DOT = /(?:^|[/\\])[^./\\]+$/;

function isWithoutSlash({ text, glob }: PathPattern): boolean {
  return glob === undefined && !/[/\\]$/.test(text);
}

/** Escapes a text so that a glob matches it literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[{]/g, "[$&]");
}

/** Whether a pattern contains glob characters. */
export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** A pattern as literal text, and as a glob if it can be one. */
interface PathPattern {
  text: string;
  glob?: string;
}

type Test = (path: string) => boolean;

function checked(pattern: string): string {
  if (pattern === "") throw bad("the pattern is empty");
  if (pattern.includes("\0")) throw bad("the pattern contains a NUL character");
  const max = isGlob(pattern) ? MAX_GLOB : MAX_PATTERN;
  if (pattern.length > max) throw bad(`the pattern has ${pattern.length} characters, more than ${max}`);
  return pattern.toWellFormed(); // as SQLite keeps paths
}

function bad(message: string): PidexError {
  const hint = "Use a path, the end of one (tax.ts, src/tax.ts), a folder (src/), or a glob ('*.py').";
  return new PidexError("BAD_OPTION", message, hint);
}

function toPathPatterns(pattern: string): PathPattern[] {
  const from = (start: (escaped: (folder: string) => string) => string): PathPattern => ({
    text: start((folder) => folder),
    glob: isGlob(pattern) ? start(escapeGlob) : undefined,
  });
  if (/^\.\.?([/\\]|$)/.test(pattern)) {
    const isFolder = /(^|[/\\])\.\.?$|[/\\]$/.test(pattern);
    return [from((escaped) => resolve(escaped(getWorkingFolder()), pattern) + (isFolder ? "/" : ""))];
  }
  const literal = from(() => pattern);
  if (!/^~([/\\]|$)/.test(pattern)) return [literal];
  return [literal, from((escaped) => escaped(getHomeFolder()) + pattern.slice(1))];
}

const ABSOLUTE = /^(\/|\\\\|[A-Za-z]:[/\\]|~([/\\]|$))/;
const WINDOWS = /^(\\\\|[A-Za-z]:[/\\])/;

function isOnePath(pattern: PathPattern): boolean {
  return isWithoutSlash(pattern) && ABSOLUTE.test(pattern.text);
}

/** What the store can select, so that fewer paths are tested. */
function toSelection(patterns: readonly PathPattern[]): PathSelection | undefined {
  if (patterns.every(isOnePath)) return { paths: patterns.flatMap(spellings) };
  const [ending, ...others] = new Set(patterns.map(literalEnding));
  return ending !== undefined && others.length === 0 ? { ending } : undefined;
}

/** The end of the last name, as all matching paths have it: `.ts` of `src/*.ts`. Undefined for folders. */
function literalEnding({ text }: PathPattern): string | undefined {
  const ending = text.match(/[^*?[\]{},/\\]*$/)?.[0];
  return ending === "" || ending === "." || ending === ".." ? undefined : ending;
}

/** Forms in which a path may be stored, for lookup by index. */
function spellings({ text }: PathPattern): string[] {
  return [posix.normalize(text), text, text.replaceAll("/", "\\")];
}

/**
 * Ids of the selected paths that match one of the patterns.
 *
 * @param normalize applied to patterns and paths
 */
async function pathsThat(
  store: Store,
  patterns: readonly PathPattern[],
  selection?: PathSelection,
  normalize = (text: string) => text,
): Promise<number[]> {
  const tests = await Promise.all(
    patterns.map(({ text, glob }) => pathTest({ text: normalize(text), glob: glob && normalize(glob) })),
  );
  const rows = await (await store.entries()).listPaths(selection);
  return rows
    .filter(({ path }) => {
      const text = normalize(path);
      return tests.some((test) => test(text));
    })
    .map(({ id }) => id);
}

/** Windows paths are compared with slashes; elsewhere a backslash is an ordinary character. */
async function pathTest(pattern: PathPattern): Promise<Test> {
  const isMatch = await slashedTest(pattern);
  const isWindowsMatch = await slashedTest({
    text: slashed(pattern.text),
    glob: pattern.glob && slashed(pattern.glob),
  });
  return (path) => (WINDOWS.test(path) ? isWindowsMatch(slashed(path)) : isMatch(path));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\/+/, "/");
}

async function slashedTest({ text, glob }: PathPattern): Promise<Test> {
  const isNamed = namedTest(posix.normalize(text));
  const isMatched = glob === undefined ? undefined : await globTest(glob);
  return (path) => isNamed(path) || isMatched?.(path) === true;
}

async function globTest(glob: string): Promise<Test> {
  const ending = glob.match(/^\*([^*?[\]{}/]+)$/)?.[1];
  if (ending !== undefined) return (path) => path.endsWith(ending);
  return (await loadGlobs()).compileGlob(wholeGlob(glob));
}

function namedTest(name: string): Test {
  const isFolder = name.endsWith("/");
  const body = isFolder ? name.slice(0, -1) : name;
  if (ABSOLUTE.test(name)) return (path) => path === body || (isFolder && path.startsWith(`${body}/`));
  if (isFolder) return (path) => `/${path}/`.includes(`/${body}/`);
  return (path) => path === body || path.endsWith(`/${body}`);
}

/** Extends a glob to match the whole path. */
function wholeGlob(glob: string): string {
  const body = glob.replace(/\/{2,}/g, "/");
  const withBelow = body.endsWith("/") ? `${body.slice(0, -1)}{,/**}` : body;
  return ABSOLUTE.test(body) ? withBelow : `**/${withBelow}`;
}

/** Folds case and normalizes accents. */
function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
