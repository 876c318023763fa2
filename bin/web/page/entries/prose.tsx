/** Renders Markdown in session text as known elements, never as markup. */
import type { ComponentChildren } from "preact";
import { toSafeText, truncateText } from "../../../format/bounded-text.ts";
import { Code } from "./code.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Diff } from "./diff.tsx";
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

/** @param name prefix for the names of foldable parts */
function Pieces({ name, pieces }: { name: string; pieces: readonly MarkdownNode[] }) {
  return (
    <>
      {pieces.map((piece, n) => (
        <OnePiece key={n} piece={piece} name={`${name}.${n}`} />
      ))}
    </>
  );
}

/** Tokens that become the element of their tag, without attributes. */
const PLAIN = ["thead_open", "tbody_open", "tr_open", "em_open", "strong_open", "s_open"];
/** Tokens that become the element of their tag, in the direction of their text. */
const DIRECTED = ["paragraph_open", "bullet_list_open", "blockquote_open"];

function OnePiece({ name, piece }: { name: string; piece: MarkdownNode }) {
  const { token } = piece;
  const inside = <Pieces name={name} pieces={piece.children} />;
  const Tag = token.tag as "em" | "ul";
  if (PLAIN.includes(token.type)) return <Tag>{inside}</Tag>;
  if (DIRECTED.includes(token.type)) return token.hidden ? inside : <Tag dir="auto">{inside}</Tag>;
  switch (token.type) {
    case "inline":
      return inside;
    case "heading_open": {
      // Headings start at the third level: the entry's own heading is of the second.
      const Heading = `h${Math.min(5, Number(token.tag.slice(1)) + 2)}` as "h3";
      return <Heading dir="auto">{inside}</Heading>;
    }
    case "ordered_list_open":
      return (
        <ol dir="auto" start={Number(token.attrGet("start") ?? 1)}>
          {inside}
        </ol>
      );
    case "list_item_open":
      return <ListItem isChecked={piece.isChecked}>{inside}</ListItem>;
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
    case "th_open":
      return (
        <th scope="col" class={alignmentClass(piece)}>
          {inside}
        </th>
      );
    case "td_open":
      return <td class={alignmentClass(piece)}>{inside}</td>;
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
      // A remote image is shown as a link and never loaded.
      return (
        <ExternalLink address={String(token.attrGet("src") ?? "")}>
          [picture{token.content && ": "}
          <HighlightedText text={token.content} />]
        </ExternalLink>
      );
    default:
      return piece.children.length > 0 ? inside : <HighlightedText text={token.content} />;
  }
}

/** Normalizes a URL that a link may lead to (http, https, mailto); undefined for any other. */
function toSafeUrl(address: string): string | undefined {
  if (address.length > 8000 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/** A link in session text. If its URL is not allowed, it is shown as text. */
function ExternalLink({ address, children }: { address: string; children: ComponentChildren }) {
  const href = toSafeUrl(address);
  if (href === undefined) {
    return (
      <span class="no-link">
        {children} <span class="quiet">({address.slice(0, 200)})</span>
      </span>
    );
  }
  return (
    <a {...{ href }} target="_blank" rel="noreferrer noopener" title={href.slice(0, 500)}>
      {children}
    </a>
  );
}

/** A list item, or a task with a checkbox. */
function ListItem({ isChecked, children }: { isChecked: boolean | undefined; children: ComponentChildren }) {
  if (isChecked === undefined) return <li>{children}</li>;
  return (
    <li class={isChecked ? "task task-done" : "task"}>
      <span class="task-sign" role="img" aria-label={isChecked ? "done" : "to do"} />
      {children}
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
      <CopyButton text={code} what="code" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre dir="ltr" tabIndex={0}>
        <Code {...{ text: code, language }} />
      </pre>
    </div>
  );
}
