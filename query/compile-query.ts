import { PidexError } from "../src/errors.ts";
import { type TextExpression, toPhrase, toTextKey } from "../src/store/text-expression.ts";
import { prepareQuery } from "../src/store/words/prepare-text.ts";
import { getFieldLevel } from "./fields.ts";
import { MAX_QUERY_LENGTH, parseQuery, UnmatchedParenthesisError } from "./parse-query.ts";
import { getShortPrefix, type PrefixExpansions } from "./prefix-expansions.ts";
import { countWords, MAX_QUERY_WORDS, rejectCostlyQuery } from "./query-costs.ts";
import { extractTerms, extractTexts, type QueryNode } from "./query-tree.ts";

/** A word or phrase that is searched for and highlighted in snippets. */
export interface SearchTerm {
  /** As written, without quotes and star. */
  text: string;
  /** Whether it also matches words that begin with it. */
  prefix: boolean;
  /** What it counts for when a snippet is chosen, as `toTermWeight` returns it: more for a rare word. Default: as a word of one entry in three. */
  weight?: number;
}

/**
 * One of the clauses that a query requires. An entry should satisfy all of them; if none does, different entries of one session
 * may.
 */
export type Clause =
  /**
   * What a text contains; for a single word or phrase also as written. `bounds` are expressions that are fast to count, each an
   * upper bound of the number of matches. `alternatives` are the operands of an OR.
   */
  | {
      kind: "words";
      expression: TextExpression;
      bounds: TextExpression[];
      text?: string;
      alternatives?: TextExpression[];
    }
  /** A field, or an OR of fields and words. */
  | { kind: "condition"; node: QueryNode };

/** A compiled query: what to search for, and what to highlight. */
export interface CompiledQuery {
  clauses: Clause[];
  /** Texts that no hit contains. */
  excluded: TextExpression[];
  /** Conditions that every hit satisfies, on the entry or its session. */
  conditions: QueryNode[];
  /** Unquoted words, which closest matches may lack or have in another form. */
  relaxable: QueryNode[];
  /** All words and phrases, including quoted and excluded ones. */
  texts: QueryNode[];
  /** Clauses that closest matches must satisfy too. */
  required: Clause[];
  /** Words to highlight. */
  terms: SearchTerm[];
  /** File names to highlight: those of a query without words. */
  files: SearchTerm[];
  /** Texts that good hits contain: all plain words as a phrase, and all within `NEAR_WORDS`. */
  proximity?: { phrase: TextExpression; near: TextExpression };
}

/** Maximum number of words between two query words that count as near. */
const NEAR_WORDS = 10;

/**
 * Compiles a query of the language that docs/search.md describes.
 *
 * @param frequent replacements for prefixes that match too many words, from `expandBroadPrefixes`
 * @throws PidexError `BAD_QUERY` for an invalid query, or one that only excludes
 */
export function compileQuery(query: string, frequent: PrefixExpansions = NONE): CompiledQuery {
  return compile(parseQuery(query).root, query, frequent);
}

const NONE: PrefixExpansions = new Map();

function compile(parsed: QueryNode | undefined, query: string, frequent: PrefixExpansions): CompiledQuery {
  const node = parsed && toSearchable(parsed, frequent);
  if (!node) throw nothingToFind(query);
  rejectCostlyQuery(node, conjuncts(node));
  const terms = termsToMark(node);
  const compiled: CompiledQuery = {
    clauses: [],
    excluded: [],
    conditions: [],
    relaxable: [],
    required: [],
    texts: extractTexts(node, "with excluded"),
    terms,
    files: terms.length === 0 ? fileNames(node) : [],
  };
  const nodes = [...new Map(conjuncts(node).map((each) => [nodeKey(each), each])).values()];
  const known = new Set<string>();
  for (const each of nodes) add(compiled, each, known);
  if (compiled.clauses.length === 0 && compiled.conditions.length === 0) {
    throw new PidexError(
      "BAD_QUERY",
      `the query only excludes: ${query.trim()}`,
      'Add a word or field to search for. To search for a word with a dash, quote it: "-v"',
    );
  }
  compiled.proximity = closeness(nodes);
  return compiled;
}

/** A compiled query that may be relaxed. */
export interface LenientQuery extends CompiledQuery {
  /** Whether it is pasted text. Closest matches may then contain words that it excludes. */
  isPaste: boolean;
  /** The syntax error because of which the query was searched as plain words. */
  notAQuery?: string;
}

/** A query with more words, or with several lines, is pasted text. */
const PASTE_WORDS = 20;
/** Error messages such as `TypeError: …` or `error[E0382]: …`. */
const MESSAGE = /(?:error|exception|fail|fatal|panic|warn|invalid|denied|abort)\S{0,60}:\s\S/i;
/** Number of characters at the start of a query that are checked for an error message. */
const CHECKED_LENGTH = 4_000;
const MESSAGE_WORDS = 6;
/** Invalid queries with at least this many words are searched as plain words. */
const PLAIN_WORDS = 8;

/**
 * Compiles a query that may be pasted text, such as an error message or a stack trace. A valid query means what the language
 * defines; a longer invalid one is searched as plain words, up to the first few hundred. In pasted text, closest matches ignore
 * the meaning of quotes and dashes.
 *
 * @throws PidexError `BAD_QUERY` for a short invalid query, or one without words
 */
export function compileQueryLeniently(query: string, frequent: PrefixExpansions = NONE): LenientQuery {
  const words = query.trim().split(/\s+/, PASTE_WORDS + 1).length;
  const isPaste =
    words > PASTE_WORDS ||
    /\n\s*\S/.test(query.trim()) ||
    (words >= MESSAGE_WORDS && MESSAGE.test(query.slice(0, CHECKED_LENGTH)));
  try {
    const compiled = compileQuery(query, frequent);
    if (!isPaste) return { ...compiled, isPaste };
    const fixed = compiled.required.filter((part) => part.kind === "condition");
    return { ...compiled, relaxable: compiled.texts, required: fixed, isPaste };
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "BAD_QUERY") throw error;
    if (!isPaste && words < PLAIN_WORDS && !(error instanceof UnmatchedParenthesisError)) throw error;
    return { ...compile(toPlainWords(query), query, frequent), isPaste: true, notAQuery: error.message };
  }
}

/** Parses a text as plain words, up to the maximum number of words of a query. */
function toPlainWords(text: string): QueryNode | undefined {
  const span = { start: 0, end: text.length };
  const nodes: QueryNode[] = [];
  let words = 0;
  for (const each of new Set(text.replaceAll("\0", " ").slice(0, MAX_QUERY_LENGTH).split(/\s+/))) {
    words += countWords(each);
    if (words > MAX_QUERY_WORDS) break;
    nodes.push({ kind: "text", text: each, prefix: false, ...span });
  }
  return nodes.length > 1 ? { kind: "and", nodes, ...span } : nodes[0];
}

/** What a text contains that satisfies a node; undefined for fields, which are not about texts. */
export function toTextExpression(node: QueryNode): TextExpression | undefined {
  switch (node.kind) {
    case "text": {
      const phrase = prepareQuery(node.text);
      if (!phrase || !node.expansions) return phrase && toPhrase(phrase.words, phrase.prefix || node.prefix);
      const before = phrase.words.slice(0, phrase.words.lastIndexOf(" ") + 1);
      return combined(
        "any",
        node.expansions.map((word) => toPhrase(before + word, false)),
      );
    }
    case "or":
      return combined("any", node.nodes.map(toTextExpression));
    case "and": {
      const included = node.nodes.filter(({ kind }) => kind !== "not").map(toTextExpression);
      const text = combined("all", included);
      const excludedNodes = node.nodes.flatMap((each) =>
        each.kind === "not" ? [toTextExpression(each.node)] : [],
      );
      if (text === undefined || excludedNodes.length === 0) return text;
      const excluded = combined("any", excludedNodes);
      return excluded && { kind: "without", text, excluded };
    }
    default:
      return undefined;
  }
}

function combined(
  kind: "all" | "any",
  expressions: readonly (TextExpression | undefined)[],
): TextExpression | undefined {
  if (expressions.length === 0 || expressions.includes(undefined)) return undefined;
  const of = distinct(expressions as readonly TextExpression[]);
  return of.length === 1 ? of[0] : { kind, of };
}

function distinct<Text extends TextExpression>(expressions: readonly Text[]): Text[] {
  return [...new Map(expressions.map((each) => [toTextKey(each), each])).values()];
}

/** The operands of nested ANDs: `(a b) c` has three. */
function conjuncts(node: QueryNode): QueryNode[] {
  return node.kind === "and" ? node.nodes.flatMap(conjuncts) : [node];
}

/** @param known keys of the expressions of the clauses so far */
function add(compiled: CompiledQuery, node: QueryNode, known: Set<string>): void {
  const expression = toTextExpression(node);
  if (expression !== undefined) {
    const key = toTextKey(expression);
    if (known.has(key)) return; // `tax` and `TAX` are different nodes
    known.add(key);
    const bounds = (node.kind === "text" && toBounds(node.text, node.prefix)) || [expression];
    const alternatives = node.kind === "or" ? node.nodes.flatMap((each) => toTextExpression(each) ?? []) : [];
    addPart(compiled, node, {
      ...{ kind: "words", expression, bounds },
      ...(node.kind === "text" && { text: node.text }),
      ...(alternatives.length > 1 && { alternatives }),
    });
    return;
  }
  const excluded = node.kind === "not" ? toTextExpression(node.node) : undefined;
  if (excluded !== undefined) compiled.excluded.push(excluded);
  else if (isFindable(node)) addPart(compiled, node, { kind: "condition", node });
  else compiled.conditions.push(node);
}

function addPart(compiled: CompiledQuery, node: QueryNode, part: Clause): void {
  compiled.clauses.push(part);
  if (isRelaxable(node)) compiled.relaxable.push(node);
  else compiled.required.push(part);
}

/** Whether a node consists of unquoted words only. */
function isRelaxable(node: QueryNode): boolean {
  return extractTerms(node).every(({ term, excluded }) => term.kind === "text" && !term.quoted && !excluded);
}

/** A key that is equal for nodes with the same meaning, regardless of position and quotes. */
function nodeKey(node: QueryNode): string {
  if (node.kind === "text") return JSON.stringify([node.text, node.prefix]);
  if (node.kind === "field") return JSON.stringify([node.field, ...node.values.map(({ value }) => value)]);
  return `${node.kind}(${(node.kind === "not" ? [node.node] : node.nodes).map(nodeKey).join()})`;
}

/** Number of words of a phrase that are counted instead of it: the longest, which tend to be the rarest. */
const MAX_BOUNDS = 4;

/** Words of a phrase. Counting the phrase itself would read every entry that has all of its words. */
function toBounds(text: string, prefix: boolean): TextExpression[] | undefined {
  const phrase = prepareQuery(text);
  const words = phrase?.words.split(" ") ?? [];
  if (words.length < 2) return undefined;
  const whole = phrase?.prefix || prefix ? words.slice(0, -1) : words; // the last word is only a prefix
  const longest = [...new Set(whole)].sort((a, b) => b.length - a.length).slice(0, MAX_BOUNDS);
  return longest.map((word) => toPhrase(word, false));
}

/** Whether a node can be satisfied by another entry than the hit: it contains words, files or labels. */
function isFindable(node: QueryNode): boolean {
  return extractTerms(node).some(
    ({ term, excluded }) => !excluded && (term.kind === "text" || getFieldLevel(term.field) === "findable"),
  );
}

/**
 * Removes words that consist of punctuation only, which the index does not contain, and replaces broad prefixes by their most
 * frequent words, except in exclusions: these apply to all words with the prefix.
 */
function toSearchable(node: QueryNode, frequent: PrefixExpansions): QueryNode | undefined {
  switch (node.kind) {
    case "text": {
      if (!prepareQuery(node.text)) return undefined;
      const begun = frequent.size > 0 && frequent.get(getShortPrefix(node.text, node.prefix) ?? "");
      return begun ? { ...node, expansions: begun } : node;
    }
    case "not": {
      const inner = toSearchable(node.node, NONE);
      if (inner?.kind === "not") return toSearchable(inner.node, frequent);
      return inner && { ...node, node: inner };
    }
    case "field":
      return node;
    default: {
      const nodes = node.nodes.flatMap((each) => toSearchable(each, frequent) ?? []);
      return nodes.length > 1 ? { ...node, nodes } : nodes[0];
    }
  }
}

/** The words to highlight, without duplicates. */
function termsToMark(node: QueryNode): SearchTerm[] {
  const terms = extractTexts(node, "without excluded").map(
    ({ text, prefix }): SearchTerm => ({
      text,
      prefix: prefix || (prepareQuery(text)?.prefix ?? false),
    }),
  );
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

/** The names of the files that `file:` requires. Patterns have none. */
function fileNames(node: QueryNode): SearchTerm[] {
  return extractTerms(node).flatMap(({ term, excluded }) => {
    if (excluded || term.kind !== "field" || term.field !== "file") return [];
    const names = term.values.map(({ value }) => value.slice(value.search(/[^/\\]*$/)));
    return names.filter((name) => /^[^*?[\]{}]+$/.test(name)).map((text) => ({ text, prefix: false }));
  });
}

/**
 * Maximum number of words for which proximity is computed: longer queries are pasted text, where it is slow and of little
 * use.
 */
const MAX_NEAR_WORDS = 12;

function closeness(nodes: readonly QueryNode[]): CompiledQuery["proximity"] {
  const words = nodes.filter((node) => node.kind === "text");
  if (words.length < 2 || words.length > MAX_NEAR_WORDS) return undefined;
  if (words.some(({ expansions }) => expansions)) return undefined; // as a phrase, all words with the prefix would be searched
  const phrases = words.map(({ text, prefix }) => {
    const phrase = prepareQuery(text);
    return { words: phrase?.words ?? "", prefix: prefix || (phrase?.prefix ?? false) };
  });
  const whole = phrases.map(({ words }) => words).join(" ");
  const each = phrases.map(({ words, prefix }) => toPhrase(words, prefix));
  return {
    phrase: toPhrase(whole, phrases.at(-1)?.prefix ?? false),
    near: { kind: "near", phrases: distinct(each), distance: NEAR_WORDS },
  };
}

function nothingToFind(query: string): PidexError {
  return new PidexError(
    "BAD_QUERY",
    query.trim() === "" ? "the query is empty" : `the query "${query.trim()}" contains no letters or digits`,
    'Enter one or more words, "a phrase", a prefix (conf*) or a field (role:user). To search for punctuation, use --substring.',
  );
}
