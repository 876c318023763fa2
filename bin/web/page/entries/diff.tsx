/** Diffs: added and removed lines. */
import { firstLines, truncateText } from "../../../format/bounded-text.ts";
import { type DiffLineKind, diffLineKinds } from "../../../format/diff-lines.ts";
import { formatInteger } from "../../../format/safe.ts";
import { FoldedRest } from "./foldable.tsx";
import { HighlightedText } from "./highlighted-text.tsx";
import { toDisplayText } from "./output.tsx";

/** The elements of changed lines. Other lines have a class. */
const ELEMENTS: Partial<Record<DiffLineKind, "ins" | "del">> = { added: "ins", removed: "del" };

/** Lines shown while folded, and when unfolded. */
const FOLDED_LINES = 40;
const MAX_LINES = 5000;

/** Numbers of added and removed lines: `+3 −1`. */
export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      {added > 0 && (
        <span class="count-added">
          +{formatInteger(added)}
          <span class="unseen"> lines added</span>
        </span>
      )}
      {removed > 0 && (
        <span class="count-removed">
          −{formatInteger(removed)}
          <span class="unseen"> lines removed</span>
        </span>
      )}
    </span>
  );
}

/** A diff, with `+` and `-` at the start of its lines or after their line numbers. */
export function Diff({ name, text }: { name: string; text: string }) {
  const { start, more } = truncateText(text);
  const { lines, more: unshown } = firstLines(toDisplayText(start), MAX_LINES);
  const getKind = diffLineKinds(start);
  const first = lines.length > FOLDED_LINES * 1.25 ? lines.slice(0, FOLDED_LINES) : lines;
  const rest = lines.slice(first.length);
  const omitted = [unshown > 0 ? `… ${formatInteger(unshown)} more lines` : "", more]
    .filter(Boolean)
    .join(", ");
  return (
    <div class="diff">
      <Lines lines={first} getKind={getKind} />
      {rest.length > 0 && (
        <FoldedRest name={name} lines={lines.length}>
          <Lines lines={rest} getKind={getKind} />
        </FoldedRest>
      )}
      {omitted !== "" && <p class="part-note">{omitted}</p>}
    </div>
  );
}

function Lines({ lines, getKind }: { lines: readonly string[]; getKind: (line: string) => DiffLineKind }) {
  return (
    <pre class="diff-lines">
      {lines.map((line, n) => {
        const kind = getKind(line);
        const Line = ELEMENTS[kind] ?? "span";
        return (
          <Line key={n} class={Line === "span" ? `diff-${kind}` : undefined}>
            <HighlightedText text={line} />
            {"\n"}
          </Line>
        );
      })}
    </pre>
  );
}
