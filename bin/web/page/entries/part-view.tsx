/** Renders a part of an entry: text, thinking, a call, a result and so on. */
import { useContext } from "preact/hooks";
import { toSafeText, truncateText } from "../../../format/bounded-text.ts";
import { toSafeJson } from "../../../format/json-text.ts";
import { type ExecutionPart, formatMentionedFiles, type Part } from "../../../format/parts.ts";
import { toOneLine } from "../../../format/safe.ts";
import { Call } from "./call.tsx";
import { DisplayContext } from "./display-options.ts";
import { EntryImage } from "./entry-image.tsx";
import { Foldable } from "./foldable.tsx";
import { containsMatch, HighlightedText } from "./highlighted-text.tsx";
import { formatLineCount, Output } from "./output.tsx";
import { Prose } from "./prose.tsx";
import { type PlacedResult, ResultBody } from "./result.tsx";

interface Props {
  /** Unique among the foldable parts of the session. */
  name: string;
  part: Part;
  line: number;
  /** The results of the entry's calls. */
  results: readonly PlacedResult[];
}

export function PartView({ name, part, line, results }: Props) {
  switch (part.kind) {
    case "text":
      return <Prose {...{ name }} text={part.text} />;
    case "thinking":
      return <Thinking {...{ name }} text={part.text} />;
    case "call": {
      const own = results.filter(({ callId }) => callId !== undefined && callId === part.id);
      return <Call {...{ name }} call={part} results={own} />;
    }
    case "image":
      return <EntryImage {...{ part, line }} />;
    case "result":
      return <ResultBody {...{ name }} result={{ ...part, line }} />;
    case "execution":
      return <Execution {...{ name, part }} />;
    case "files":
      return <Output {...{ name }} text={formatMentionedFiles(part.files)} />;
    case "error":
      return (
        <div class="entry-error">
          <strong>Error</strong>
          <Output {...{ name }} text={part.text} />
        </div>
      );
    case "aborted":
      return <p class="part-note">aborted</p>;
    case "notice":
      return (
        <p class="entry-aside" dir="auto">
          <HighlightedText text={part.text} />
        </p>
      );
    case "json":
      return <Output {...{ name }} text={toSafeJson(part.value, 2)} language="json" />;
    case "unknown-block": {
      const type = String((part.block as { type?: unknown }).type);
      return (
        <Foldable class="unknown" {...{ name }} summary={`${toOneLine(type.slice(0, 100))} (unknown block)`}>
          <Output name={`${name}/json`} text={toSafeJson(part.block, 2)} language="json" />
        </Foldable>
      );
    }
  }
}

function Thinking({ name, text }: { name: string; text: string }) {
  const { highlightPattern } = useContext(DisplayContext);
  const { start, more } = truncateText(text.trim());
  if (start === "") return null;
  const summary = (
    <>
      Thinking <span class="quiet">{formatLineCount(start)}</span>
    </>
  );
  return (
    <Foldable class="thinking" {...{ name, summary }} isFound={containsMatch(highlightPattern, start)}>
      <div class="thought" dir="auto">
        <HighlightedText text={toSafeText(start)} />
        {more !== "" && <p class="part-note">{more}</p>}
      </div>
    </Foldable>
  );
}

function Execution({ name, part }: { name: string; part: ExecutionPart }) {
  const { language, prompt, command, output, isTruncated } = part;
  const text = language === "bash" ? `${prompt} ${command}` : command;
  return (
    <>
      <div class="command">
        <Output name={`${name}/command`} {...{ text, language }} />
      </div>
      <Output name={`${name}/output`} text={output} />
      {isTruncated && <p class="part-note">Output truncated by the agent</p>}
    </>
  );
}
