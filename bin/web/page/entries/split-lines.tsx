/** The lines of a diff in two columns: the old text beside the new one. */
import type { ComponentChildren } from "preact";
import type { DiffLineKind } from "../../../format/diff-lines.ts";

/** A row of two columns, by the positions of its lines; a line that belongs to neither, such as a file name, is whole. */
export type SplitRow = { old: number | undefined; now: number | undefined } | { whole: number };

/** Pairs the lines of a diff: removed ones with those that were added in their place, kept ones with themselves. */
export function pairLines(kinds: readonly DiffLineKind[]): SplitRow[] {
  const rows: SplitRow[] = [];
  for (let n = 0; n < kinds.length; ) {
    const kind = kinds[n];
    if (kind === "kept") rows.push({ old: n, now: n++ });
    else if (kind !== "removed" && kind !== "added") rows.push({ whole: n++ });
    else {
      const added = endOfRun(kinds, n, "removed");
      const end = endOfRun(kinds, added, "added");
      const [removedCount, addedCount] = [added - n, end - added];
      for (let m = 0; m < Math.max(removedCount, addedCount); m++)
        rows.push({
          old: m < removedCount ? n + m : undefined,
          now: m < addedCount ? added + m : undefined,
        });
      n = end;
    }
  }
  return rows;
}

function endOfRun(kinds: readonly DiffLineKind[], start: number, kind: DiffLineKind): number {
  let end = start;
  while (kinds[end] === kind) end++;
  return end;
}

interface Props {
  kinds: readonly DiffLineKind[];
  /** @param isRepeated whether it is the second copy of a kept line, in which no matches are marked */
  renderLine: (line: number, isRepeated: boolean) => ComponentChildren;
}

export function SplitLines({ kinds, renderLine }: Props) {
  return (
    <>
      {pairLines(kinds).map((row, n) =>
        "whole" in row ? (
          renderLine(row.whole, false)
        ) : (
          <span key={n} class="diff-pair">
            <Side name="old">{row.old !== undefined && renderLine(row.old, row.old === row.now)}</Side>
            <Side name="new">{row.now !== undefined && renderLine(row.now, false)}</Side>
          </span>
        ),
      )}
    </>
  );
}

/** A selection that begins in one column stays in it. */
function Side({ name, children }: { name: "old" | "new"; children: ComponentChildren }) {
  return (
    <span
      class={`diff-side diff-side-${name}${children === false ? " diff-side-empty" : ""}`}
      onPointerDown={({ currentTarget }) =>
        currentTarget.closest(".diff-lines")?.setAttribute("data-selected", name)
      }
    >
      {children}
    </span>
  );
}
