/** Markdown as a tree of what was written, without any HTML. */
import MarkdownIt, { type Token } from "markdown-it";

/** A piece of markdown, and what stands in it. */
export interface Piece {
  token: Token;
  inside: Piece[];
  /** Of an item of a list that is something to do: whether it is done. */
  isDone?: boolean;
}

/** Longer texts were pasted, not written: they are shown as they are. */
const MOST_MARKDOWN = 64_000;
/** So is what has more signs than this that markdown makes something of: it may take it long to find that they mean nothing. */
const MOST_SIGNS = 8_000;
/** In one line, where each may be looked at again for each other. */
const MOST_SIGNS_IN_A_LINE = 1_000;

// HTML stays text, quotes as they were typed, and only what says that it is an address becomes a link.
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 40 });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// Whether a link may be followed is decided where it is shown; what may not is told as it was written.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;

/** What a text says as markdown; undefined for one that is better shown as it is. */
export function markdownOf(text: string): Piece[] | undefined {
  if (text.length > MOST_MARKDOWN || hasTooManySigns(text)) return undefined;
  return piecesOf(markdown.parse(text, {}));
}

function hasTooManySigns(text: string): boolean {
  let [all, inLine] = [0, 0];
  for (const { 0: sign } of text.matchAll(/[\n*_`[\]<>|~!&:\\]/g)) {
    if (sign === "\n") inLine = 0;
    else if (++inLine > MOST_SIGNS_IN_A_LINE || ++all > MOST_SIGNS) return true;
  }
  return false;
}

/** What opens and closes becomes one piece; the words of a block are pieces of it. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const root: Piece[] = [];
  const open: Piece[][] = [root];
  for (const token of tokens) {
    const here = open.at(-1) as Piece[];
    if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      const closed = open.at(-1)?.at(-1);
      if (closed?.token.type === "list_item_open") noteTask(closed);
    } else {
      const piece: Piece = { token, inside: token.children ? piecesOf(token.children) : [] };
      here.push(piece);
      if (token.nesting === 1) open.push(piece.inside);
    }
  }
  return root;
}

const TASK = /^\[([ xX])\](?:\s+|$)/;

/** `[x] something done`: the sign is taken out of the words. */
function noteTask(item: Piece): void {
  const [paragraph] = item.inside;
  const words = paragraph?.token.type === "paragraph_open" ? paragraph.inside[0]?.inside[0] : undefined;
  const sign = words?.token.type === "text" ? TASK.exec(words.token.content) : null;
  if (!words || !sign) return;
  words.token.content = words.token.content.slice(sign[0].length);
  item.isDone = sign[1] !== " ";
}
