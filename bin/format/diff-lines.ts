/** The lines of a diff by what they mean: signs begin the lines, or follow their numbers as some agents write them. */

export type DiffLineKind = "added" | "removed" | "file" | "hunk" | "gap" | "kept";

const NUMBERED = /^ *\d+ ([-+])/m;

/** Returns what classifies the lines of a diff. */
export function diffLineKinds(diff: string): (line: string) => DiffLineKind {
  return hasSignsFirst(diff) ? signedLineKind : numberedLineKind;
}

/** The position of the first added or removed line; 0 if there is none. */
export function findFirstChange(diff: string): number {
  return (hasSignsFirst(diff) ? /^[-+](?!--|\+\+)/m : NUMBERED).exec(diff)?.index ?? 0;
}

function hasSignsFirst(diff: string): boolean {
  return /^[-+]/m.test(diff);
}

export function signedLineKind(line: string): DiffLineKind {
  if (/^(?:\+\+\+|---) /.test(line)) return "file";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  if (line.startsWith("@@")) return "hunk";
  return line.trim() === "…" ? "gap" : "kept";
}

function numberedLineKind(line: string): DiffLineKind {
  const sign = NUMBERED.exec(line)?.[1];
  return sign === undefined ? "kept" : sign === "+" ? "added" : "removed";
}

/** A line of a diff. */
export interface DiffLine {
  kind: DiffLineKind;
  /** The sign, with the line number if there is one. */
  gutter: string;
  text: string;
}

/** How lines begin in diffs with line numbers: as pi writes them, and as other agents do. */
const SIGN_AND_NUMBER = /^[-+ ] *\d+ /;
const NUMBER_AND_SIGN = /^ *\d+ [-+ ](?: |$)/;

/** Separates the text of lines from signs and line numbers. */
export function parseDiffLines(lines: readonly string[]): DiffLine[] {
  const diff = lines.join("\n");
  const getKind = diffLineKinds(diff);
  const kinds = lines.map(getKind);
  const isChange = (n: number) => kinds[n] === "added" || kinds[n] === "removed";
  const pattern = hasSignsFirst(diff) ? SIGN_AND_NUMBER : NUMBER_AND_SIGN;
  const number = lines.every((line, n) => !isChange(n) || pattern.test(line)) ? pattern : undefined;
  return lines.map((line, n): DiffLine => {
    const kind = kinds[n] as DiffLineKind;
    if (!isChange(n) && kind !== "kept") return { kind, gutter: "", text: line };
    const gutter = number ? number.exec(line)?.[0] : /^[-+ ]/.exec(line)?.[0];
    if (gutter !== undefined) return { kind, gutter, text: line.slice(gutter.length) };
    if (line.startsWith("*** ")) return { kind: "file", gutter: "", text: line };
    // Between numbered lines, pi writes "..." for those that it leaves out.
    return { kind: number ? "gap" : kind, gutter: "", text: line };
  });
}
