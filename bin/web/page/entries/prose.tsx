/** Renders Markdown in session text as known elements, never as markup. */
import type { ComponentChildren } from "preact";
import { toSafeText, truncateText } from "../../../format/bounded-text.ts";
import { Code } from "./code.tsx";
import { Diff } from "./diff.tsx";
import { ExternalLink } from "./external-link.tsx";
import { HighlightedText } from "./highlighted-text.tsx";
import { type MarkdownNode, parseMarkdown } from "./parse-markdown.ts";

/** A text, as Markdown where possible. */
export function Prose({ name, text }: { name: string; text: string }) {
  const { start, more } = truncateText(text);
  const source = toSafeText(start).trimEnd();
  if (source === "" && more === "") return null;
  const pieces = parseMarkdown(source);
  return (
    <div class="prose" dir="auto">
      {pieces ? (
        <Pieces {...{ name, pieces }} />
      ) : (
        <p class="as-typed">{<HighlightedText text={source} />}</p>
      )}
      {more !== "" && <p class="part-note">{more}</p>}
    </div>
  );
}

interface PiecesProps {
  /** Prefix for the names of foldable parts. */
  name: string;
  pieces: readonly MarkdownNode[];
}

function Pieces({ name, pieces }: PiecesProps) {
  return (
    <>
      {pieces.map((piece, n) => (
        <OnePiece key={n} piece={piece} name={`${name}.${n}`} />
      ))}
    </>
  );
}

function OnePiece({ name, piece }: { name: string; piece: MarkdownNode }) {
  const { token } = piece;
  const inside = <Pieces name={name} pieces={piece.children} />;
  switch (token.type) {
    case "inline":
      return inside;
    case "paragraph_open":
      return token.hidden ? inside : <p dir="auto">{inside}</p>;
    case "heading_open":
      return <ProseHeading level={Number(token.tag.slice(1))}>{inside}</ProseHeading>;
    case "bullet_list_open":
      return <ul dir="auto">{inside}</ul>;
    case "ordered_list_open":
      return (
        <ol dir="auto" start={Number(token.attrGet("start") ?? 1)}>
          {inside}
        </ol>
      );
    case "list_item_open":
      return <ListItem {...{ name, piece }} />;
    case "blockquote_open":
      return <blockquote dir="auto">{inside}</blockquote>;
    case "hr":
      return <hr />;
    case "fence":
    case "code_block":
      return <CodeBlock name={name} text={token.content} info={token.info} />;
    case "table_open":
      return (
        <div class="table">
          <table>{inside}</table>
        </div>
      );
    case "thead_open":
      return <thead>{inside}</thead>;
    case "tbody_open":
      return <tbody>{inside}</tbody>;
    case "tr_open":
      return <tr>{inside}</tr>;
    case "th_open":
      return (
        <th scope="col" class={alignmentClass(piece)}>
          {inside}
        </th>
      );
    case "td_open":
      return <td class={alignmentClass(piece)}>{inside}</td>;
    case "em_open":
      return <em>{inside}</em>;
    case "strong_open":
      return <strong>{inside}</strong>;
    case "s_open":
      return <s>{inside}</s>;
    case "code_inline":
      return (
        <code>
          <HighlightedText text={token.content} />
        </code>
      );
    case "softbreak":
      return <>{"\n"}</>;
    case "hardbreak":
      return <br />;
    case "link_open":
      return <ExternalLink address={String(token.attrGet("href") ?? "")}>{inside}</ExternalLink>;
    case "image":
      return <PictureLink piece={piece} />;
    default:
      return piece.children.length > 0 ? inside : <HighlightedText text={token.content} />;
  }
}

/** Headings start at the third level: the entry's own heading is of the second. */
function ProseHeading({ level, children }: { level: number; children: ComponentChildren }) {
  if (level === 1) return <h3 dir="auto">{children}</h3>;
  if (level === 2) return <h4 dir="auto">{children}</h4>;
  return <h5 dir="auto">{children}</h5>;
}

/** A remote image is shown as a link and never loaded. */
function PictureLink({ piece }: { piece: MarkdownNode }) {
  const address = String(piece.token.attrGet("src") ?? "");
  return (
    <ExternalLink address={address}>
      [picture{piece.token.content && ": "}
      <HighlightedText text={piece.token.content} />]
    </ExternalLink>
  );
}

/** A list item, or a task with a checkbox. */
function ListItem({ name, piece: { children, isChecked } }: { name: string; piece: MarkdownNode }) {
  if (isChecked === undefined) {
    return (
      <li>
        <Pieces name={name} pieces={children} />
      </li>
    );
  }
  return (
    <li class={isChecked ? "task task-done" : "task"}>
      <span class="task-sign" role="img" aria-label={isChecked ? "done" : "to do"} />
      <Pieces name={name} pieces={children} />
    </li>
  );
}

function alignmentClass({ token }: MarkdownNode): string | undefined {
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  return align && `to-${align}`;
}

function CodeBlock({ name, text, info }: { name: string; text: string; info: string }) {
  const language = /^[^\s{,:]*/.exec(info.trim())?.[0] ?? "";
  const code = text.replace(/\n$/, "");
  if (/^(?:diff|patch)$/i.test(language)) return <Diff {...{ name, text: code }} />;
  return (
    <div class="code-block">
      {language !== "" && <span class="code-language">{language.slice(0, 40)}</span>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre dir="ltr" tabIndex={0}>
        <Code {...{ text: code, language }} />
      </pre>
    </div>
  );
}
