/** Diffs: added and removed lines, with changed words marked and code highlighted. */
import { useContext, useMemo } from "preact/hooks";
import { firstLines, truncateText } from "../../../format/bounded-text.ts";
import { type DiffLine, type DiffLineKind, parseDiffLines } from "../../../format/diff-lines.ts";
import { PATCH_FILE_LINE } from "../../../format/edits.ts";
import { formatInteger } from "../../../format/safe.ts";
import { findChangedWords, type TextRange } from "../../../format/word-diff.ts";
import type { CodeLine } from "../highlight/highlighter.ts";
import { findFileLanguage, type Language } from "../highlight/languages.ts";
import { colored, markMatches, useHighlightedLines } from "./code.tsx";
import { DisplayContext } from "./display-options.ts";
import { FoldedRest, ShowLess } from "./foldable.tsx";
import { containsMatch } from "./highlighted-text.tsx";
import { toDisplayText } from "./output.tsx";
import { SplitLines } from "./split-lines.tsx";

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

interface DiffProps {
  name: string;
  /** With `+` and `-` at the start of its lines or after their line numbers. */
  text: string;
  /** The file that it changes, unless the diff names its files. */
  path?: string | undefined;
}

export function Diff({ name, text, path }: DiffProps) {
  const { rows, omitted } = useMemo(() => toRows(text, path), [text, path]);
  const first = rows.length > FOLDED_LINES * 1.25 ? rows.slice(0, FOLDED_LINES) : rows;
  const rest = rows.slice(first.length);
  const { highlightPattern } = useContext(DisplayContext);
  if (text === "") return null; // an edit that replaces a text by itself
  const isFound = rest.some(({ text }) => containsMatch(highlightPattern, text));
  return (
    <div class="diff">
      {rest.length > 0 && <ShowLess lines={rows.length} />}
      <Rows rows={first} />
      {rest.length > 0 && (
        <FoldedRest {...{ name, isFound }} lines={rows.length}>
          <Rows rows={rest} />
        </FoldedRest>
      )}
      {omitted !== "" && <p class="part-note">{omitted}</p>}
    </div>
  );
}

interface Row extends DiffLine {
  /** Where the line differs from its other version. */
  changes: readonly TextRange[] | undefined;
  language: Language | undefined;
}

function toRows(text: string, path: string | undefined): { rows: Row[]; omitted: string } {
  const { start, more } = truncateText(text);
  const { lines: shown, more: unshown } = firstLines(toDisplayText(start), MAX_LINES);
  const lines = parseDiffLines(shown);
  const changes = findChangedWords(lines);
  let language = findFileLanguage(path ?? "");
  const rows = lines.map((line, n): Row => {
    const file = PATCH_FILE_LINE.exec(line.text)?.[1];
    if (line.gutter === "" && file !== undefined) language = findFileLanguage(file);
    return { ...line, changes: changes[n], language };
  });
  const notes = [unshown > 0 ? `… ${formatInteger(unshown)} more lines` : "", more];
  return { rows, omitted: notes.filter(Boolean).join(", ") };
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const files: Row[][] = [];
  for (const row of rows) {
    const file = files.at(-1);
    if (file && file[0]?.language === row.language) file.push(row);
    else files.push([row]);
  }
  return (
    <pre class="diff-lines">
      {files.map((file, n) => (
        <SameLanguage key={n} rows={file} />
      ))}
    </pre>
  );
}

/** Lines of one language. Their old and their new text are highlighted separately: mixed, they are not code. */
function SameLanguage({ rows }: { rows: readonly Row[] }) {
  const language = rows[0]?.language;
  const removed = rows.filter(({ kind }) => kind === "removed");
  const old = removed.length === 0 ? [] : rows.filter(({ kind }) => kind === "removed" || kind === "kept");
  const now = rows.filter(({ kind }) => kind === "added" || kind === "kept");
  const oldColors = useHighlightedLines(toText(old), old.length > 0 ? language : undefined);
  const newColors = useHighlightedLines(toText(now), now.length > 0 ? language : undefined);
  const { splitsDiffs = false } = useContext(DisplayContext);
  let [oldLine, newLine] = [0, 0];
  const codes = rows.map((row): CodeLine => {
    const oldCode = row.kind === "removed" || row.kind === "kept" ? oldColors?.[oldLine++] : undefined;
    const newCode = row.kind === "added" || row.kind === "kept" ? newColors?.[newLine++] : undefined;
    return newCode ?? oldCode ?? [[row.text]];
  });
  const renderLine = (n: number, isRepeated: boolean) => (
    <Line key={n} row={rows[n] as Row} code={codes[n] as CodeLine} {...{ isRepeated }} />
  );
  if (splitsDiffs) return <SplitLines kinds={rows.map(({ kind }) => kind)} {...{ renderLine }} />;
  return <>{rows.map((_, n) => renderLine(n, false))}</>;
}

function toText(rows: readonly Row[]): string {
  return rows.map(({ text }) => text).join("\n");
}

interface LineProps {
  row: Row;
  code: CodeLine;
  /** Whether the line is shown twice, and its matches are marked in the other copy. */
  isRepeated: boolean;
}

function Line({ row, code, isRepeated }: LineProps) {
  const { kind, gutter, text } = row;
  const { highlightPattern } = useContext(DisplayContext);
  const Element = ELEMENTS[kind] ?? "span";
  return (
    <Element class={Element === "span" ? `diff-${kind}` : undefined}>
      {gutter !== "" && <span class="diff-gutter">{gutter}</span>}
      <span class="diff-text">
        {!isRepeated && highlightPattern && containsMatch(highlightPattern, text)
          ? markMatches(code, highlightPattern)
          : markChanges(code, row.changes ?? [], text.length)}
        {"\n"}
      </span>
    </Element>
  );
}

function markChanges(code: CodeLine, changes: readonly TextRange[], length: number) {
  let at = 0;
  const parts = changes.flatMap(([start, end]) => {
    const before = sliceCode(code, at, start).map(colored);
    at = end;
    return [...before, <span class="diff-word">{sliceCode(code, start, end).map(colored)}</span>];
  });
  return [...parts, ...sliceCode(code, at, length).map(colored)];
}

function sliceCode(code: CodeLine, start: number, end: number): CodeLine {
  let at = 0;
  return code.flatMap(([text, ...kind]): CodeLine => {
    const slice = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += text.length;
    return slice === "" ? [] : [[slice, ...kind]];
  });
}
