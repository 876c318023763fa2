/** One entry of a session, as it is read. Whatever it holds, it becomes text and elements of ours, never markup. */
import { useMemo } from "preact/hooks";
import type { Entry, Message } from "../../../../library/index.ts";
import { asideLine, fieldsOf, mentionedText, UNREAD_MESSAGE, voiceOf } from "../../../format/entry-words.ts";
import { toJson } from "../../../format/json-text.ts";
import { oneLine } from "../../../format/safe.ts";
import { answers, ContentView } from "./content.tsx";
import { Folded } from "./folded.tsx";
import { Heading } from "./heading.tsx";
import { Marked } from "./marked.tsx";
import { Output } from "./output.tsx";
import { Prose } from "./prose.tsx";
import { isResult, ResultBody } from "./result.tsx";
import { type EntryLinks, type Folding, finding, type PlacedEntryJson, ShowingContext } from "./showing.ts";

export type { EntryLinks, Folding, PlacedEntryJson } from "./showing.ts";

interface Props {
  placed: PlacedEntryJson;
  /** The entries that answer the calls of this message: they are shown with them. */
  results?: readonly PlacedEntryJson[];
  links: EntryLinks;
  folding?: Folding | undefined;
  /** Words to mark. */
  found?: string | undefined;
}

export function EntryView({ placed, results = [], links, folding, found }: Props) {
  const showing = useMemo(() => ({ links, folding, found: finding(found) }), [links, folding, found]);
  return (
    <ShowingContext.Provider value={showing}>
      <EntryBody {...{ placed, results }} />
    </ShowingContext.Provider>
  );
}

function EntryBody({ placed, results }: { placed: PlacedEntryJson; results: readonly PlacedEntryJson[] }) {
  const { entry, line } = placed;
  switch (entry.type) {
    case "message":
      if (!entry.message) return <Aside>{UNREAD_MESSAGE}</Aside>;
      return <MessageView message={entry.message} {...{ entry, line, results }} />;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      return <Summary {...{ entry, line }} text={entry.summary ?? ""} />;
    case "custom_message":
      return (
        <article class="entry entry-note">
          <Heading entry={entry} />
          <ContentView {...{ line }} content={entry.content} />
        </article>
      );
    default: {
      const words = asideLine(entry);
      if (words !== undefined) return <Aside>{words}</Aside>;
      return <Unknown {...{ entry, line }} text={fieldsOf(entry)} />;
    }
  }
}

interface MessageProps {
  entry: Entry;
  message: Message;
  line: number;
  results: readonly PlacedEntryJson[];
}

function MessageView({ entry, message, line, results }: MessageProps) {
  switch (message.role) {
    case "user":
      return (
        <article class="entry entry-person">
          <Heading {...{ entry }} />
          <ContentView {...{ line }} content={message.content} />
        </article>
      );
    case "assistant":
      return <AssistantMessage {...{ entry, message, line, results }} />;
    case "toolResult":
      return (
        <article class="entry entry-tool">
          <Heading {...{ entry }} />
          <ResultBody name={`${line}`} result={message} {...{ line }} />
        </article>
      );
    case "bashExecution":
    case "pythonExecution":
      return <Execution {...{ entry, message, line }} />;
    case "fileMention":
      return (
        <Folded class="entry entry-folded" name={`${line}`} summary={filesWords(message)}>
          <Output name={`${line}/files`} text={mentionedText(message)} />
        </Folded>
      );
    case "developer":
    case "custom":
      return (
        <article class="entry entry-note">
          <Heading {...{ entry }} />
          <ContentView {...{ line }} content={message.content} />
        </article>
      );
    case "branchSummary":
    case "compactionSummary":
      return <Summary {...{ entry, line }} text={message.summary ?? ""} />;
    case "system":
      return (
        <Folded class="entry entry-folded" name={`${line}`} summary="System prompt">
          <ContentView {...{ line }} content={message.content} />
        </Folded>
      );
    default:
      return <Unknown {...{ entry, line }} text={toJson(message, 2)} />;
  }
}

type Of<Role> = Extract<Message, { role: Role }>;

function AssistantMessage({ entry, message, line, results }: MessageProps & { message: Of<"assistant"> }) {
  const { content, errorMessage, stopReason } = message;
  const calls = Array.isArray(content)
    ? content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
    : [];
  const strays = results.filter((placed) => !calls.some((call) => answers(placed.entry, call)));
  return (
    <article class="entry entry-assistant">
      <Heading {...{ entry }} />
      <ContentView {...{ line, content, results }} />
      {strays.map((stray) =>
        isResult(stray.entry) ? (
          <ResultBody
            key={stray.line}
            name={`${stray.line}`}
            result={stray.entry.message}
            line={stray.line}
          />
        ) : null,
      )}
      {errorMessage ? (
        <div class="entry-error">
          <strong>Error</strong>
          <Output name={`${line}/error`} text={errorMessage} />
        </div>
      ) : (
        stopReason === "aborted" && <p class="left-out">broken off</p>
      )}
    </article>
  );
}

function Execution({
  entry,
  message,
  line,
}: Omit<MessageProps, "results"> & { message: Of<"bashExecution"> | Of<"pythonExecution"> }) {
  const { output = "", exitCode, cancelled, truncated } = message;
  const [command, language] =
    message.role === "bashExecution"
      ? [`$ ${message.command ?? ""}`, "bash"]
      : [message.code ?? "", "python"];
  const failed = cancelled ? "cancelled" : exitCode ? `failed with exit code ${exitCode}` : undefined;
  return (
    <article class="entry entry-shell">
      <Heading {...{ entry, failed }} />
      <div class="command">
        <Output name={`${line}/command`} text={command} language={language} />
      </div>
      <Output name={`${line}/output`} text={output} />
      {truncated && <p class="left-out">pi kept a part of what it put out</p>}
    </article>
  );
}

function filesWords({ files }: Of<"fileMention">): string {
  const paths = (files ?? []).map(({ path }) => path ?? "?");
  return oneLine(`files: ${paths.join(", ")}`.slice(0, 200));
}

function Summary({ entry, line, text }: { entry: Entry; line: number; text: string }) {
  return (
    <article class="entry entry-summary">
      <Heading {...{ entry }} />
      <Prose name={`${line}`} {...{ text }} />
    </article>
  );
}

/** Something that pidex has no words for, as its file has it. */
function Unknown({ entry, line, text }: { entry: Entry; line: number; text: string }) {
  return (
    <Folded class="entry entry-folded" name={`${line}`} summary={oneLine(voiceOf(entry).who.slice(0, 200))}>
      <Output name={`${line}/json`} {...{ text }} language="json" />
    </Folded>
  );
}

function Aside({ children }: { children: string }) {
  return (
    <p class="entry-aside" dir="auto">
      <Marked text={children} />
    </p>
  );
}
