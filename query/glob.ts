/**
 * Globs over slash-separated paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!a-z]`, `{a,b}`.
 *
 * Globs become RE2 regular expressions, which take linear time. node's `path.matchesGlob`, minimatch and picomatch
 * backtrack: a glob with half a dozen stars (`*a*a*a*a*a*a*b`) takes minutes. `*` matches names that begin with a dot.
 */
import { RE2JS } from "re2js";
import { tokenizeGlob } from "./glob-tokens.ts";

/** Returns a test of whole paths by a glob. */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(toRegExp(glob), RE2JS.DOTALL);
  return (path) => pattern.matches(path);
}

function toRegExp(glob: string): string {
  const parts = tokenizeGlob(glob).map(({ text, special, isGrouping }) => {
    if (special === "folders") return "(?:[^/]*/)*";
    if (special === "anything") return ".*";
    if (text.startsWith("*")) return "[^/]*";
    if (text === "?") return "[^/]";
    if (text.startsWith("[") && text !== "[") return toClass(text);
    if (!isGrouping) return RE2JS.quote(text);
    if (text === ",") return "|";
    return text === "{" ? "(?:" : ")";
  });
  return parts.join("");
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
