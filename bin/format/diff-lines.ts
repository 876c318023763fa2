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
