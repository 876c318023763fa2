/** Parses Markdown to a tree, without HTML. */
import MarkdownIt, { type Token } from "markdown-it";

/** A node of the Markdown tree. */
export interface MarkdownNode {
  token: Token;
  children: MarkdownNode[];
  /** Of a task list item: whether it is checked. */
  isChecked?: boolean;
}

/** Longer texts were probably pasted and are shown as plain text, in UTF-16 units. */
const MAX_MARKDOWN_LENGTH = 64_000;
/** Texts with more markup characters are shown as plain text, because parsing could take long. */
const MAX_MARKUP_CHARACTERS = 8_000;
/** The same per line, where parsing can take quadratic time. */
const MAX_MARKUP_CHARACTERS_PER_LINE = 1_000;

// HTML stays text, quotes stay as typed, and only complete URLs become links.
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 40 });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// `ExternalLink` decides which links are allowed. The others are shown as written.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;

/** Parses a text as Markdown; undefined if it exceeds a limit and must be shown as plain text. */
export function parseMarkdown(text: string): MarkdownNode[] | undefined {
  if (text.length > MAX_MARKDOWN_LENGTH || hasTooMuchMarkup(text)) return undefined;
  return toTree(markdown.parse(text, {}));
}

function hasTooMuchMarkup(text: string): boolean {
  let [total, inLine] = [0, 0];
  for (const { 0: character } of text.matchAll(/[\n*_`[\]<>|~!&:\\]/g)) {
    if (character === "\n") inLine = 0;
    else if (++inLine > MAX_MARKUP_CHARACTERS_PER_LINE || ++total > MAX_MARKUP_CHARACTERS) return true;
  }
  return false;
}

/** Nests a flat list of tokens. Inline tokens are children of their block. */
function toTree(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open: MarkdownNode[][] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) as MarkdownNode[];
    if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      const closed = open.at(-1)?.at(-1);
      if (closed?.token.type === "list_item_open") noteTask(closed);
    } else {
      const piece: MarkdownNode = { token, children: token.children ? toTree(token.children) : [] };
      parent.push(piece);
      if (token.nesting === 1) open.push(piece.children);
    }
  }
  return root;
}

const TASK = /^\[([ xX])\](?:\s+|$)/;

/** Marks an item such as `[x] Write tests` as a task, and removes the checkbox from its text. */
function noteTask(item: MarkdownNode): void {
  const [paragraph] = item.children;
  const text = paragraph?.token.type === "paragraph_open" ? paragraph.children[0]?.children[0] : undefined;
  const checkbox = text?.token.type === "text" ? TASK.exec(text.token.content) : null;
  if (!text || !checkbox) return;
  text.token.content = text.token.content.slice(checkbox[0].length);
  item.isChecked = checkbox[1] !== " ";
}
