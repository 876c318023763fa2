/**
 * Globs over slash-separated paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!a-z]`, `{a,b}`.
 *
 * Globs become RE2 regular expressions, which take linear time. node's `path.matchesGlob`, minimatch and picomatch
 * backtrack: a glob with half a dozen stars (`*a*a*a*a*a*a*b`) takes minutes. `*` matches names that begin with a dot.
 */
import { RE2JS } from "re2js";

/** Returns a test of whole paths by a glob. */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(toRegExp(glob), RE2JS.DOTALL);
  return (path) => pattern.matches(path);
}

/** Tokens of a glob. `**` is special only as a whole name; `]` may be the first character of a class. */
const TOKEN =
  /(?<folders>(?<=^|[/{,])\*\*\/)|(?<anything>(?<=^|[/{,])\*\*(?=$|[,}]))|\*+|\[(?:[!^][\s\S]|[^!^])[^\]]*\]|[\s\S]/gu;

function toRegExp(glob: string): string {
  const tokens = [...glob.matchAll(TOKEN)];
  const groups = closedBraces(tokens.map(([token]) => token));
  let depth = 0;
  const parts = tokens.map(({ 0: token, groups: special }, n) => {
    if (special?.folders !== undefined) return "(?:[^/]*/)*";
    if (special?.anything !== undefined) return ".*";
    if (token.startsWith("*")) return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.startsWith("[") && token !== "[") return toClass(token);
    if (token === "," && depth > 0) return "|";
    if (!groups.has(n)) return RE2JS.quote(token);
    depth += token === "{" ? 1 : -1;
    return token === "{" ? "(?:" : ")";
  });
  return parts.join("");
}

/** Indexes of the braces that open or close a group, that is, those with a partner. */
function closedBraces(tokens: readonly string[]): Set<number> {
  const open: number[] = [];
  const closed = new Set<number>();
  tokens.forEach((token, n) => {
    if (token === "{") open.push(n);
    const partner = token === "}" ? open.pop() : undefined;
    if (partner !== undefined) closed.add(partner).add(n);
  });
  return closed;
}

/** A class never matches a slash. */
function toClass(token: string): string {
  const isNegated = /^\[[!^]/.test(token);
  const characters = Array.from(token.slice(isNegated ? 2 : 1, -1));
  const ranges: string[] = isNegated ? [toRange("/", "/")] : [];
  for (let n = 0; n < characters.length; n++) {
    const first = characters[n] as string;
    const isRange = characters[n + 1] === "-" && n + 2 < characters.length;
    const last = isRange ? (characters[n + 2] as string) : first;
    if (isRange) n += 2;
    if (isNegated || first > "/" || last < "/") ranges.push(toRange(first, last));
    else ranges.push(toRange(first, "."), toRange("0", last)); // around the slash
  }
  const inside = ranges.join("");
  return inside === "" ? "[^\\x{0}-\\x{10FFFF}]" : `[${isNegated ? "^" : ""}${inside}]`;
}

/** A range of a class; empty if it ends before it begins. */
function toRange(first: string, last: string): string {
  const [from, to] = [first.codePointAt(0) as number, last.codePointAt(0) as number];
  return from > to ? "" : `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`;
}
