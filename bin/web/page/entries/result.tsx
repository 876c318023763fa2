/** Renders the result of a tool call. */
import type { ResultPart } from "../../../format/parts.ts";
import { Diff } from "./diff.tsx";
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
  const { content, isError, diff, nested, line } = result;
  return (
    <div class={isError ? "tool-result tool-result-failed" : "tool-result"} data-line={line}>
      <HighlightedEntry line={line}>
        {nested && <NestedCalls {...{ name, nested }} />}
        {diff !== undefined && <Diff name={`${name}/diff`} text={diff} path={path} />}
        {content.map((part, n) => {
          const key = `${name}.${n}`;
          if (part.kind === "image") return <EntryImage key={key} {...{ part, line }} />;
          if (part.kind !== "text") return null;
          return <Output key={key} name={key} text={part.text} language={isError ? undefined : language} />;
        })}
      </HighlightedEntry>
    </div>
  );
}
