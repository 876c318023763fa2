/** What a tool gave back. */
import type { Block, Entry, Message } from "../../../../library/index.ts";
import { Diff } from "./diff.tsx";
import { NestedCalls } from "./nested-calls.tsx";
import { Output } from "./output.tsx";
import { Picture } from "./picture.tsx";

export type Result = Extract<Message, { role: "toolResult" }>;

/** Whether an entry is what a tool gave back. */
export function isResult(entry: Entry): entry is Extract<Entry, { type: "message" }> & { message: Result } {
  return entry.type === "message" && entry.message?.role === "toolResult";
}

interface Props {
  name: string;
  result: Result;
  line: number;
  language?: string | undefined;
}

export function ResultBody({ name, result, line, language }: Props) {
  const { content, isError } = result;
  const blocks: readonly Block[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const diff = diffIn(result);
  return (
    <div class={isError ? "tool-result tool-result-failed" : "tool-result"}>
      <NestedCalls {...{ name, result }} />
      {diff !== undefined && <Diff name={`${name}/diff`} text={diff} />}
      {blocks.map((block, n) => {
        const key = `${name}.${n}`;
        if (block.type === "image") return <Picture key={key} {...{ image: block, line, n }} />;
        if (block.type !== "text") return null;
        return (
          <Output key={key} name={key} text={block.text ?? ""} language={isError ? undefined : language} />
        );
      })}
    </div>
  );
}

/** What a result itself says it changed. */
export function diffIn({ details }: Result): string | undefined {
  const { diff } = (details ?? {}) as { diff?: unknown };
  return typeof diff === "string" && diff !== "" ? diff : undefined;
}
