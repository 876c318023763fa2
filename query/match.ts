import { prepareQuery } from "../src/database/words.ts";
import { PidexError } from "../src/errors.ts";
import { fieldLevel } from "./fields.ts";
import { parseQuery, type QueryNode } from "./parse-query.ts";
import { refuseCostly } from "./query-costs.ts";

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
   * count, none of which matches fewer entries than it does.
   */
  | { kind: "words"; expression: string; bounds: string[]; text?: string }
  /** What FTS5 alone cannot tell: a field, or a field or a word. */
  | { kind: "condition"; node: QueryNode };

/** A query, read: what to ask of the index, and what to mark in its answers. */
export interface Match {
  parts: Part[];
  /** FTS5 expressions that no hit may match. */
  excluded: string[];
  /** What every hit must meet besides: conditions on the entry or its session. */
  conditions: QueryNode[];
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
 * @throws PidexError `BAD_QUERY` when it is wrong, or asks for nothing
 */
export function match(query: string): Match {
  const parsed = parseQuery(query);
  const node = parsed && withoutSigns(parsed);
  if (!node) throw nothingToFind(query);
  refuseCostly(node, conjuncts(node));
  const read: Match = { parts: [], excluded: [], conditions: [], terms: distinct(termsOf(node)) };
  const nodes = [...new Map(conjuncts(node).map((each) => [JSON.stringify(each), each])).values()];
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

/** The FTS5 expression of a node; undefined when FTS5 cannot say it. */
export function expressionOf(node: QueryNode): string | undefined {
  switch (node.kind) {
    case "text": {
      const phrase = prepareQuery(node.text);
      return phrase && ftsPhrase(phrase.words, phrase.prefix || node.prefix);
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

function ftsPhrase(words: string, prefix: boolean): string {
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
    read.parts.push({ kind: "words", expression, bounds, ...(node.kind === "text" && { text: node.text }) });
    return;
  }
  const unwanted = node.kind === "not" ? expressionOf(node.node) : undefined;
  if (unwanted !== undefined) read.excluded.push(unwanted);
  else if (node.kind !== "not" && isFindable(node)) read.parts.push({ kind: "condition", node });
  else read.conditions.push(node);
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
      return inner && (inner.kind === "not" ? inner.node : { kind: "not", node: inner });
    }
    case "field":
      return node;
    default: {
      const nodes = node.nodes.flatMap((each) => withoutSigns(each) ?? []);
      return nodes.length > 1 ? { ...node, nodes } : nodes[0];
    }
  }
}

function termsOf(node: QueryNode): Term[] {
  if (node.kind === "text") {
    const { text, prefix } = node;
    return [{ text, prefix: prefix || (prepareQuery(text)?.prefix ?? false) }];
  }
  if (node.kind === "and" || node.kind === "or") return node.nodes.flatMap(termsOf);
  return [];
}

function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

/** More words than this close to each other are a paste, and cost more than they tell. */
const MOST_CLOSE = 12;

function closeness(nodes: readonly QueryNode[]): Match["closeness"] {
  const words = nodes.filter((node) => node.kind === "text");
  if (words.length < 2 || words.length > MOST_CLOSE) return undefined;
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
