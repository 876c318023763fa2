/** Renders the result of a tool call. */
import { useContext } from "preact/hooks";
import type { ResultPart } from "../../../format/parts.ts";
import { Diff } from "./diff.tsx";
import { DisplayContext, patternAt } from "./display-options.ts";
import { EntryImage } from "./entry-image.tsx";
import { HighlightedEntry } from "./highlighted-text.tsx";
import { NestedCalls } from "./nested-calls.tsx";
import { Output } from "./output.tsx";

/** A result and its line in the file. */
export type PlacedResult = ResultPart & { line: number };

interface Props {
  name: string;
  result: PlacedResult;
  language?: string | undefined;
  /** The file that the call reads or changes. */
  path?: string | undefined;
}

export function ResultBody({ name, result, language, path }: Props) {
  const display = useContext(DisplayContext);
  const { failedOnly = false } = display;
  const { content, isError, diff, nested, line } = result;
  const startsOpen = isError && failedOnly;
  const look = isError ? "tool-result tool-result-failed" : "tool-result";
  const ownDiff = diff !== undefined && <Diff name={`${name}/diff`} text={diff} path={path} />;
  // The diff shows the arguments of the call: if only the call was found, its matches are those of the call.
  const isDiffOfCall = display.highlightPattern !== undefined && patternAt(display, line) === undefined;
  return (
    <>
      {isDiffOfCall && ownDiff && <div class={look}>{ownDiff}</div>}
      <div class={look} data-line={line}>
        <HighlightedEntry line={line}>
          {nested && <NestedCalls {...{ name, nested }} />}
          {!isDiffOfCall && ownDiff}
          {content.map((part, n) => {
            const key = `${name}.${n}`;
            if (part.kind === "image") return <EntryImage key={key} {...{ part, line }} />;
            if (part.kind !== "text") return null;
            const shownAs = isError ? undefined : language;
            return <Output key={key} name={key} text={part.text} language={shownAs} {...{ startsOpen }} />;
          })}
        </HighlightedEntry>
      </div>
    </>
  );
}
