import { PidexError } from "../src/errors.ts";
import { prepareQuery } from "../src/store/sqlite/words.ts";
import { type FrequentWords, shortPrefixOf } from "./broad-prefixes.ts";
import { fieldLevel } from "./fields.ts";
import { MAX_LENGTH, parseQuery, UnmatchedParenthesis } from "./parse-query.ts";
import { MOST_WORDS, refuseCostly, wordCount } from "./query-costs.ts";
import { type QueryNode, queryTexts } from "./query-tree.ts";

/** A word or phrase that is looked for: what snippets mark. */
export interface Term {
  /** As it was written, without quotes and star. */
  text: string;
  /** Whether words that only begin with it count. */
  prefix: boolean;
}

/**
 * One of the things a query wants all of. One entry should hold them all; where none does, a session may hold one
 * here and one there.
 */
export type Part =
  /**
   * Words, as an FTS5 expression; a single word or phrase also as it was written. `bounds` are expressions that are quick to
   * count, none of which matches fewer entries than it does. `alternatives` are the sides of an OR.
   */
  | { kind: "words"; expression: string; bounds: string[]; text?: string; alternatives?: string[] }
  /** What FTS5 alone cannot tell: a field, or a field or a word. */
  | { kind: "condition"; node: QueryNode };

/** A query, read: what to ask of the index, and what to mark in its answers. */
export interface Match {
  parts: Part[];
  /** FTS5 expressions that no hit may match. */
  excluded: string[];
  /** What every hit must meet besides: conditions on the entry or its session. */
  conditions: QueryNode[];
  /** Words that closest matches may lack, or have in another form: neither quoted nor excluded, nor values of fields. */
  relaxable: QueryNode[];
  /** All words and phrases, quoted and excluded ones too. */
  texts: QueryNode[];
  /** The parts that closest matches must have as well. */
  fixed: Part[];
  /** The words to mark. */
  terms: Term[];
  /** Expressions that good hits match: all plain words in a row, and all near each other. */
  closeness?: { phrase: string; near: string };
}

/** How many words may stand between those of a query that are near each other. */
const NEAR_WORDS = 10;

/**
 * Reads a query. The language is documented in docs/search.md. In every expression, what the user wrote stands
 * quoted; values of fields are for binding.
 *
 * @param frequent the words to look for in place of prefixes that begin too many: `broadPrefixes` finds them
 * @throws PidexError `BAD_QUERY` when it is wrong, or asks for nothing
 */
export function match(query: string, frequent: FrequentWords = NONE): Match {
  return matchOf(parseQuery(query).root, query, frequent);
}

const NONE: FrequentWords = new Map();

function matchOf(parsed: QueryNode | undefined, query: string, frequent: FrequentWords): Match {
  const signless = parsed && withoutSigns(parsed);
  const node = signless && withFrequent(signless, frequent);
  if (!node) throw nothingToFind(query);
  refuseCostly(node, conjuncts(node));
  const terms = termsToMark(node);
  const read: Match = {
    parts: [],
    excluded: [],
    conditions: [],
    relaxable: [],
    fixed: [],
    texts: queryTexts(node, "with excluded"),
    terms,
  };
  const nodes = [...new Map(conjuncts(node).map((each) => [nodeKey(each), each])).values()];
  for (const each of nodes) add(read, each);
  if (read.parts.length === 0 && read.conditions.length === 0) {
    throw new PidexError(
      "BAD_QUERY",
      `${query.trim()} only says what to leave out`,
      'Say what to find as well; to search for a word with a dash, quote it: "-v"',
    );
  }
  read.closeness = closeness(nodes);
  return read;
}

/** A query that may be relaxed. */
export interface LenientMatch extends Match {
  /** Whether it is pasted text, and not words that somebody chose. Closest matches may have what it excludes. */
  isPaste: boolean;
  /** Why it was read as plain words: what the query language has against it. */
  notAQuery?: string;
}

/** A query with more words than this, or on several lines, is pasted text. */
const PASTE_WORDS = 20;
/** `TypeError: …`, `error[E0382]: …`: a word that speaks of failure, a colon and more. */
const MESSAGE = /(?:error|exception|fail|fatal|panic|warn|invalid|denied|abort)\S{0,60}:\s\S/i;
/** Characters at the start of a query that are checked for an error message. */
const CHECKED_LENGTH = 4_000;
const MESSAGE_WORDS = 6;
/** From this many words on, text that is not valid in the query language is taken for plain words. */
const PLAIN_WORDS = 8;

/**
 * Reads a query as somebody may paste it: error messages, stack traces. What the query language takes means what it says
 * there; a longer text that it refuses is plain words, of which the first few hundred are looked for. In pasted text
 * closest matches take quotes and dashes for the signs they are.
 *
 * @throws PidexError `BAD_QUERY` for a short query that is wrong, or when there is no word in it
 */
export function matchLeniently(query: string, frequent: FrequentWords = NONE): LenientMatch {
  const words = query.trim().split(/\s+/, PASTE_WORDS + 1).length;
  const isPaste =
    words > PASTE_WORDS ||
    /\n\s*\S/.test(query.trim()) ||
    (words >= MESSAGE_WORDS && MESSAGE.test(query.slice(0, CHECKED_LENGTH)));
  try {
    const read = match(query, frequent);
    if (!isPaste) return { ...read, isPaste };
    const fixed = read.fixed.filter((part) => part.kind === "condition");
    return { ...read, relaxable: read.texts, fixed, isPaste };
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "BAD_QUERY") throw error;
    if (!isPaste && words < PLAIN_WORDS && !(error instanceof UnmatchedParenthesis)) throw error;
    return { ...matchOf(wordsOf(query), query, frequent), isPaste: true, notAQuery: error.message };
  }
}

/** The words of a text, as many as a query may have. */
function wordsOf(text: string): QueryNode | undefined {
  const span = { start: 0, end: text.length };
  const nodes: QueryNode[] = [];
  let words = 0;
  for (const each of new Set(text.replaceAll("\0", " ").slice(0, MAX_LENGTH).split(/\s+/))) {
    words += wordCount(each);
    if (words > MOST_WORDS) break;
    nodes.push({ kind: "text", text: each, prefix: false, ...span });
  }
  return nodes.length > 1 ? { kind: "and", nodes, ...span } : nodes[0];
}

/** The FTS5 expression of a node; undefined when FTS5 cannot say it. */
export function expressionOf(node: QueryNode): string | undefined {
  switch (node.kind) {
    case "text": {
      const phrase = prepareQuery(node.text);
      if (!phrase || !node.begun) return phrase && ftsPhrase(phrase.words, phrase.prefix || node.prefix);
      const before = phrase.words.slice(0, phrase.words.lastIndexOf(" ") + 1);
      return joined(
        node.begun.map((word) => ftsPhrase(before + word, false)),
        " OR ",
      );
    }
    case "or":
      return joined(node.nodes.map(expressionOf), " OR ");
    case "and": {
      const wanted = joined(node.nodes.filter(({ kind }) => kind !== "not").map(expressionOf), " AND ");
      const unwanted = node.nodes.flatMap((each) => (each.kind === "not" ? [expressionOf(each.node)] : []));
      if (wanted === undefined || unwanted.length === 0) return wanted;
      const excluded = joined(unwanted, " OR ");
      return excluded && `(${wanted} NOT ${excluded})`;
    }
    default:
      return undefined;
  }
}

function joined(expressions: readonly (string | undefined)[], operator: string): string | undefined {
  if (expressions.length === 0 || expressions.includes(undefined)) return undefined;
  const different = [...new Set(expressions)];
  return different.length === 1 ? different[0] : `(${different.join(operator)})`;
}

export function ftsPhrase(words: string, prefix: boolean): string {
  return `"${words.replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

/** What is wanted, one by one: `(a b) c` wants three things. */
function conjuncts(node: QueryNode): QueryNode[] {
  return node.kind === "and" ? node.nodes.flatMap(conjuncts) : [node];
}

function add(read: Match, node: QueryNode): void {
  const expression = expressionOf(node);
  if (expression !== undefined) {
    const known = read.parts.some((part) => part.kind === "words" && part.expression === expression);
    if (known) return; // `tax` and `TAX` are two nodes
    const bounds = (node.kind === "text" && boundsOf(node.text, node.prefix)) || [expression];
    const alternatives = node.kind === "or" ? node.nodes.flatMap((each) => expressionOf(each) ?? []) : [];
    addPart(read, node, {
      ...{ kind: "words", expression, bounds },
      ...(node.kind === "text" && { text: node.text }),
      ...(alternatives.length > 1 && { alternatives }),
    });
    return;
  }
  const unwanted = node.kind === "not" ? expressionOf(node.node) : undefined;
  if (unwanted !== undefined) read.excluded.push(unwanted);
  else if (node.kind !== "not" && isFindable(node)) addPart(read, node, { kind: "condition", node });
  else read.conditions.push(node);
}

function addPart(read: Match, node: QueryNode, part: Part): void {
  read.parts.push(part);
  if (isRelaxable(node)) read.relaxable.push(node);
  else read.fixed.push(part);
}

/** Whether a node is words alone, none of them quoted. */
function isRelaxable(node: QueryNode): boolean {
  if (node.kind === "text") return !node.quoted;
  return (node.kind === "and" || node.kind === "or") && node.nodes.every(isRelaxable);
}

/** Equal for nodes that mean the same, wherever they are and whether quoted or not. */
function nodeKey(node: QueryNode): string {
  if (node.kind === "text") return JSON.stringify([node.text, node.prefix]);
  if (node.kind === "field") return JSON.stringify([node.field, ...node.values.map(({ value }) => value)]);
  return `${node.kind}(${(node.kind === "not" ? [node.node] : node.nodes).map(nodeKey).join()})`;
}

/** Words of a phrase that are counted in its stead: long ones, which are the rarest. */
const MOST_BOUNDS = 4;

/** The words of a phrase: to count it, all entries that have them would be read. */
function boundsOf(text: string, prefix: boolean): string[] | undefined {
  const phrase = prepareQuery(text);
  const words = phrase?.words.split(" ") ?? [];
  if (words.length < 2) return undefined;
  const whole = phrase?.prefix || prefix ? words.slice(0, -1) : words; // the last is but a beginning
  const longest = [...new Set(whole)].sort((a, b) => b.length - a.length).slice(0, MOST_BOUNDS);
  return longest.map((word) => ftsPhrase(word, false));
}

/** Whether a node can be found in an entry of its own, as words can: it holds words, files or labels. */
function isFindable(node: QueryNode): boolean {
  if (node.kind === "field") return fieldLevel(node.field) === "findable";
  if (node.kind === "text") return true;
  return node.kind === "not" ? false : node.nodes.some(isFindable);
}

/** The query without words that are all signs: the index holds none. */
function withoutSigns(node: QueryNode): QueryNode | undefined {
  switch (node.kind) {
    case "text":
      return prepareQuery(node.text) && node;
    case "not": {
      const inner = withoutSigns(node.node);
      return inner && (inner.kind === "not" ? inner.node : { ...node, node: inner });
    }
    case "field":
      return node;
    default: {
      const nodes = node.nodes.flatMap((each) => withoutSigns(each) ?? []);
      return nodes.length > 1 ? { ...node, nodes } : nodes[0];
    }
  }
}

/** The query with the words to look for in place of broad prefixes. */
function withFrequent(node: QueryNode, frequent: FrequentWords): QueryNode {
  if (frequent.size === 0) return node;
  switch (node.kind) {
    case "text": {
      const begun = frequent.get(shortPrefixOf(node.text, node.prefix) ?? "");
      return begun ? { ...node, begun } : node;
    }
    case "field":
      return node;
    case "not":
      return node; // what is left out is all that begins so: fewer words would let some of it in
    default:
      return { ...node, nodes: node.nodes.map((each) => withFrequent(each, frequent)) };
  }
}

/** The words to mark, each once. */
function termsToMark(node: QueryNode): Term[] {
  const terms = queryTexts(node, "without excluded").map(
    ({ text, prefix }): Term => ({
      text,
      prefix: prefix || (prepareQuery(text)?.prefix ?? false),
    }),
  );
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

/** More words than this close to each other are a paste, and cost more than they tell. */
const MOST_CLOSE = 12;

function closeness(nodes: readonly QueryNode[]): Match["closeness"] {
  const words = nodes.filter((node) => node.kind === "text");
  if (words.length < 2 || words.length > MOST_CLOSE) return undefined;
  if (words.some(({ begun }) => begun)) return undefined; // to FTS5 a phrase would be of all that begins so
  const phrases = words.map(({ text, prefix }) => {
    const phrase = prepareQuery(text);
    return { words: phrase?.words ?? "", prefix: prefix || (phrase?.prefix ?? false) };
  });
  const whole = phrases.map(({ words }) => words).join(" ");
  const each = phrases.map(({ words, prefix }) => ftsPhrase(words, prefix));
  return {
    phrase: ftsPhrase(whole, phrases.at(-1)?.prefix ?? false),
    near: `NEAR(${[...new Set(each)].join(" ")}, ${NEAR_WORDS})`,
  };
}

function nothingToFind(query: string): PidexError {
  return new PidexError(
    "BAD_QUERY",
    query.trim() === "" ? "the query is empty" : `there is no letter or digit to look for in ${query.trim()}`,
    'Give one or more words, "a phrase", the beginning of a word with a star (conf*), or a field (role:user). Signs alone are found by --substring.',
  );
}
