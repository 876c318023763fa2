/** Renders the result of a tool call. */
import { useContext } from "preact/hooks";
import type { ResultPart } from "../../../format/parts.ts";
import { Diff } from "./diff.tsx";
import { DisplayContext } from "./display-options.ts";
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
  const { opensFailed = false } = useContext(DisplayContext);
  const { content, isError, diff, nested, line } = result;
  const startsOpen = isError && opensFailed;
  return (
    <div class={isError ? "tool-result tool-result-failed" : "tool-result"} data-line={line}>
      <HighlightedEntry line={line}>
        {nested && <NestedCalls {...{ name, nested }} />}
        {diff !== undefined && <Diff name={`${name}/diff`} text={diff} path={path} />}
        {content.map((part, n) => {
          const key = `${name}.${n}`;
          if (part.kind === "image") return <EntryImage key={key} {...{ part, line }} />;
          if (part.kind !== "text") return null;
          const shownAs = isError ? undefined : language;
          return <Output key={key} name={key} text={part.text} language={shownAs} {...{ startsOpen }} />;
        })}
      </HighlightedEntry>
    </div>
  );
}
