/** What a message holds: said, thought, called and shown, one after the other. */
import { useContext } from "preact/hooks";
import type { Block, Content } from "../../../../library/index.ts";
import { shown, startOf } from "../../../format/bounded-text.ts";
import { toJson } from "../../../format/json-text.ts";
import { oneLine } from "../../../format/safe.ts";
import { Call } from "./call.tsx";
import { Folded } from "./folded.tsx";
import { isFoundIn, Marked } from "./marked.tsx";
import { linesIn, Output } from "./output.tsx";
import { Picture } from "./picture.tsx";
import { Prose } from "./prose.tsx";
import { isResult } from "./result.tsx";
import { type PlacedEntryJson, ShowingContext } from "./showing.ts";

interface Props {
  line: number;
  content: Content;
  /** Where tools are called: what answers. */
  results?: readonly PlacedEntryJson[];
}

export function ContentView({ line, content, results = [] }: Props) {
  if (!Array.isArray(content)) return <Prose name={`${line}`} text={content ?? ""} />;
  return (
    <>
      {content.map((block, n) => (
        <BlockView key={n} {...{ block, line, n, results }} />
      ))}
    </>
  );
}

interface BlockProps {
  block: Block;
  line: number;
  n: number;
  results: readonly PlacedEntryJson[];
}

function BlockView({ block, line, n, results }: BlockProps) {
  const name = `${line}/${n}`;
  switch (block.type) {
    case "text":
      return <Prose name={name} text={block.text ?? ""} />;
    case "thinking":
      return <Thinking name={name} text={block.thinking ?? ""} />;
    case "toolCall":
      return (
        <Call name={name} call={block} results={results.filter(({ entry }) => answers(entry, block.id))} />
      );
    case "image":
      return <Picture image={block} {...{ line, n }} />;
    default:
      return (
        <Folded
          class="unknown"
          name={name}
          summary={`${oneLine(String((block as { type?: unknown }).type).slice(0, 100))} (a block of no known kind)`}
        >
          <Output name={`${name}/json`} text={toJson(block, 2)} language="json" />
        </Folded>
      );
  }
}

/** Whether an entry is what a call was answered. */
export function answers(entry: PlacedEntryJson["entry"], call: string | undefined): boolean {
  return call !== undefined && isResult(entry) && entry.message.toolCallId === call;
}

function Thinking({ name, text }: { name: string; text: string }) {
  const { found } = useContext(ShowingContext);
  const { start, more } = startOf(text.trim());
  if (start === "") return null;
  const summary = (
    <>
      Thinking <span class="quiet">{linesIn(start)}</span>
    </>
  );
  return (
    <Folded class="thinking" {...{ name, summary }} usually={isFoundIn(found, start)}>
      <div class="thought" dir="auto">
        <Marked text={shown(start)} />
        {more !== "" && <p class="left-out">{more}</p>}
      </div>
    </Folded>
  );
}
