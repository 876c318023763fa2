import { PidexError } from "../src/errors.ts";
import {
  describeValues,
  FIELDS,
  type FieldName,
  findField,
  isLikelyValue,
  isTypoOf,
  parseFieldValue,
} from "./fields.ts";
import { isHalfTypedValue } from "./half-typed-value.ts";
import {
  extractTerms,
  type FieldTerm,
  type FieldValue,
  type QueryNode,
  type QueryTerm,
  type TextTerm,
} from "./query-tree.ts";

/** Shorter beginnings of `yesterday` and others are those of many words. */
const MIN_MOMENT_START = 4;
/** Maximum number of terms; longer queries are pasted text, and each word costs time. */
const MAX_TERMS = 300;
export const MAX_QUERY_LENGTH = 100_000;
/** Maximum nesting of groups. SQLite's own limit is 256. */
const MAX_DEPTH = 50;

const QUOTED = /"([^"]*(?:""[^"]*)*)("?)|“([^”"]*)([”"]?)/y;

/** A parsed query. */
export interface ParsedQuery {
  /** Undefined for a query without terms. */
  root: QueryNode | undefined;
  /** The words, phrases and fields, from left to right. */
  terms: readonly QueryTerm[];
  /** Where the last term or closed group ends. Only spaces and incomplete operators follow. */
  contentEnd: number;
  /** Offsets of unclosed parentheses; only in lenient mode. */
  openGroups: readonly number[];
}

/**
 * Parses a query: words, `"phrases"`, `prefix*`, `OR`, parentheses, `-exclusions`, and fields with values (`role:user`,
 * `tool:bash,edit`, `name:"the till"`). Punctuation in words is allowed: `a.b()` and `--no-sync` are words. Within quotes,
 * `""` is a quote.
 *
 * @param options.lenient for a query that is still being typed: never throws. Terms without a value or closing quote are
 *   `incomplete`, and operators without an operand are dropped.
 * @throws PidexError `BAD_QUERY` with the position of the error and a correction, unless lenient
 *
 * @example
 * const { root, terms } = parseQuery("tax -role:user");
 * terms.map(({ term, excluded, start }) => [term.kind, excluded, start]); // [["text", false, 0], ["field", true, 4]]
 */
export function parseQuery(query: string, { lenient = false }: { lenient?: boolean } = {}): ParsedQuery {
  if (query.length > MAX_QUERY_LENGTH && !lenient) {
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${query.length} characters, more than ${MAX_QUERY_LENGTH}`,
      "Search for a few words of it.",
    );
  }
  return new Parser(query.replaceAll("\0", " "), lenient).parse();
}

/** Thrown for unmatched parentheses, which are common in pasted code. */
export class UnmatchedParenthesisError extends PidexError {}

class Parser {
  readonly #query: string;
  readonly #lenient: boolean;
  /** Position of the next character to read. */
  #at = 0;
  #terms = 0;
  #contentEnd = 0;
  /** Offsets of the open groups. */
  readonly #open: number[] = [];

  constructor(query: string, lenient: boolean) {
    this.#query = query;
    this.#lenient = lenient;
  }

  parse(): ParsedQuery {
    const nodes: QueryNode[] = [];
    for (;;) {
      const node = this.#alternatives();
      if (node) nodes.push(node);
      if (this.#at >= this.#query.length) break;
      if (!this.#lenient) {
        throw this.#unmatched(this.#at, '")" has no matching "("', 'Remove it, or quote it: ")"');
      }
      this.#contentEnd = ++this.#at;
    }
    const root = inOne("and", nodes);
    return { root, terms: extractTerms(root), contentEnd: this.#contentEnd, openGroups: this.#open };
  }

  /** `a b OR c d`, up to the end or to the parenthesis that closes the group. */
  #alternatives(): QueryNode | undefined {
    const nodes: QueryNode[] = [];
    let orAt: number | undefined;
    for (;;) {
      const node = this.#conjunction();
      if (!node && orAt !== undefined && !this.#lenient) throw this.#orWithoutOperand(orAt, "after");
      if (node) nodes.push(node);
      if (!this.#word("OR")) return inOne("or", nodes);
      if (!node && !this.#lenient) throw this.#orWithoutOperand(this.#at, "before");
      orAt = this.#at;
      this.#at += 2;
    }
  }

  /** `a b -c`: terms joined by an implicit AND. */
  #conjunction(): QueryNode | undefined {
    const nodes: QueryNode[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#query.length || this.#query[this.#at] === ")" || this.#word("OR")) break;
      // Other search languages have an AND between words. Here it is accepted and changes nothing.
      if (nodes.length > 0 && this.#word("AND") && /^AND\s+[^\s)]/.test(this.#rest(200))) {
        this.#at += 3;
        continue;
      }
      const node = this.#term();
      if (node) nodes.push(node);
    }
    return inOne("and", nodes);
  }

  #term(): QueryNode | undefined {
    const start = this.#at;
    // `--no-sync` is a word, and so is a single dash.
    if (/^-[^\s-]/.test(this.#rest(2))) {
      this.#at++;
      const node = this.#term();
      return node && { kind: "not", node, start, end: this.#at };
    }
    if (this.#rest(2) === "()") {
      this.#contentEnd = this.#at += 2;
      return undefined;
    }
    if (this.#query[start] === "(" && !(this.#lenient && this.#open.length >= MAX_DEPTH))
      return this.#group();
    if (++this.#terms > MAX_TERMS && !this.#lenient) {
      const hint = `Use at most ${MAX_TERMS}.`;
      throw this.#bad(start, `the query has more than ${MAX_TERMS} words`, hint);
    }
    const term = this.#phrase() ?? this.#field() ?? this.#plainWord();
    this.#contentEnd = this.#at;
    return term;
  }

  #phrase(): TextTerm | undefined {
    const start = this.#at;
    const quoted = this.#quoted();
    if (!quoted) return undefined;
    const prefix = this.#stars();
    const term = { kind: "text", text: quoted.text, prefix, quoted: true, start, end: this.#at } as const;
    return quoted.isOpen ? { ...term, incomplete: true } : term;
  }

  #group(): QueryNode | undefined {
    const start = this.#at++;
    if (this.#open.length >= MAX_DEPTH) {
      const message = `groups are nested more than ${MAX_DEPTH} deep`;
      throw this.#bad(start, message, "Use fewer parentheses.");
    }
    this.#open.push(start);
    const node = this.#alternatives();
    if (this.#query[this.#at] === ")") {
      this.#contentEnd = ++this.#at;
      this.#open.pop();
    } else if (!this.#lenient) {
      throw this.#unmatched(start, '"(" has no matching ")"', 'Add ")" at its end, or quote it: "("');
    }
    return node && (node.kind === "and" || node.kind === "or") ? { ...node, start, end: this.#at } : node;
  }

  /** The text between quotes, or to the end of the query if there is no closing quote. */
  #quoted(): { text: string; isOpen: boolean } | undefined {
    QUOTED.lastIndex = this.#at;
    const [whole, straight, end, curly = "", curlyEnd] = QUOTED.exec(this.#query) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    return { text: straight?.replaceAll('""', '"') ?? curly, isOpen: (end ?? curlyEnd) === "" };
  }

  #stars(): boolean {
    const start = this.#at;
    while (this.#query[this.#at] === "*") this.#at++;
    return this.#at > start;
  }

  #field(): FieldTerm | undefined {
    // Lowercase only: `Name:` and `File:` are common in pasted text.
    const [whole = "", name = ""] = /^([a-z]{2,12}):/.exec(this.#rest(13)) ?? [];
    const field = findField(name);
    const isTime = field === "since" || field === "until";
    if (isTime && field !== name && !this.#isTime(whole)) return undefined; // `before:all` is a word
    if (!field) return this.#lenient ? undefined : this.#rejectTypo(name, whole);
    const start = this.#at;
    const isLast = start + whole.length === this.#query.length;
    if (/^\s|^$/.test(this.#query.slice(start + whole.length, start + whole.length + 1))) {
      // After words it is the end of pasted text: `error: missing name:`.
      const before = this.#query.slice(0, start).split(/[\s()]+/);
      const isMeant = isLast && before.every((each) => /^(?:-|$|-?[a-z]{2,12}:)/.test(each));
      if (!this.#lenient && isMeant) throw this.#withoutValue(name, start + whole.length, "colon");
      if (!this.#lenient) this.#rejectSpace(field, whole);
      if (!this.#lenient || !isLast) return undefined;
    }
    this.#at += whole.length;
    const values: FieldValue[] = [];
    let incomplete = false;
    do {
      const value = this.#value(field, values.length === 0);
      incomplete ||= value.incomplete;
      values.push(value.parsed);
    } while (this.#query[this.#at] === "," && this.#at++);
    if (values.length > 1 && isTime && !this.#lenient) {
      throw this.#bad(start, `${field}: accepts only one time`, `Write one: ${field}:7d`);
    }
    const term: FieldTerm = { kind: "field", field, values, start, end: this.#at };
    return incomplete ? { ...term, incomplete } : term;
  }

  /** Whether a time follows the name of a field, or what looks like one: `2026-13-45`, `last` of `last week`. */
  #isTime(name: string): boolean {
    const start = this.#at;
    this.#at += name.length;
    const text = this.#quoted()?.text ?? this.#run(/[\s,"“]/);
    this.#at = start;
    if ("value" in parseFieldValue("since", text) || /^\d/.test(text)) return true;
    return text.length >= MIN_MOMENT_START && isHalfTypedValue("since", text);
  }

  #value(field: FieldName, first: boolean): { parsed: FieldValue; incomplete: boolean } {
    const start = this.#at;
    const quoted = this.#quoted();
    const text = quoted?.text ?? this.#run(/[\s,"“]/, field === "file");
    const span = { text, start, end: this.#at };
    const result = parseFieldValue(field, text);
    if (text.trim() !== "" && "value" in result) {
      return { parsed: { value: result.value, ...span }, incomplete: quoted?.isOpen ?? false };
    }
    if (this.#lenient) return { parsed: { value: text, ...span }, incomplete: true };
    if ("message" in result && text.trim() !== "") throw this.#bad(start, result.message, result.hint);
    throw this.#withoutValue(field, start, first ? "colon" : "comma");
  }

  #withoutValue(name: string, at: number, after: "colon" | "comma"): PidexError {
    const field = findField(name);
    const values = field ? describeValues(field, name) : `${name}:value`;
    const hint = `Write ${values}; to search for the word, quote it: "${name}:"`;
    return this.#bad(at, `${name}: has no value after its ${after}`, hint);
  }

  /** `role: user` is a typo; in `the cause is: unknown` and in pasted YAML, `is:` and `role:` are words. */
  #rejectSpace(field: FieldName, whole: string): void {
    const [, value] = /^\s+([^\s"]+)/.exec(this.#query.slice(this.#at + whole.length)) ?? [];
    if (value === undefined || !isLikelyValue(field, value)) return;
    const hint = `Write ${field}:${value}; to search for the words, quote them: "${field}: ${value}"`;
    throw this.#bad(this.#at, `${field}: has a space after its colon`, hint);
  }

  /** `rol:user` is a typo; `https://…`, `node:fs` and `a::b` are words. */
  #rejectTypo(name: string, whole: string): undefined {
    if (!/^[a-z]{3,}:(?:[\p{L}\p{N}"]|[<>]=?\$?\d)/u.test(this.#rest(16)) || whole === "") return undefined;
    const meant = FIELDS.find((field) => isTypoOf(name, field));
    if (!meant) return undefined;
    const quoted = `"${this.#rest(200).split(/[\s"]/, 1)[0]}"`;
    const hint = `Did you mean ${meant}:? To search for the words, quote them: ${quoted}`;
    throw this.#bad(this.#at, `unknown field ${name}:`, hint);
  }

  #plainWord(): TextTerm {
    const start = this.#at;
    const text = this.#run(/[\s"“]/);
    const bare = text.replace(/\*+$/, "");
    const term = { kind: "text", text: bare, prefix: bare !== text, start, end: this.#at } as const;
    const isLast = this.#at === this.#query.length;
    return isLast && /^(?:-|AND|[a-z]{2,12}:)$/.test(text) ? { ...term, incomplete: true } : term;
  }

  /**
   * Reads up to a character that ends the word, or to a parenthesis that closes a group: `(a OR b())`.
   *
   * @param isGlob whether commas in braces and brackets belong to the word: `*.{ts,rs}`
   */
  #run(end: RegExp, isGlob = false): string {
    const start = this.#at;
    let parentheses = 0;
    let braces = 0;
    for (; this.#at < this.#query.length; this.#at++) {
      const character = this.#query[this.#at] as string;
      if (end.test(character) && !(braces > 0 && character === ",")) break;
      if (character === "(") parentheses++;
      else if (character === ")" && --parentheses < 0 && this.#open.length > 0) break;
      if (isGlob && /[{[]/.test(character)) braces++;
      else if (isGlob && /[}\]]/.test(character)) braces--;
    }
    return this.#query.slice(start, this.#at);
  }

  /** Whether an operator follows, as a word of its own. */
  #word(word: string): boolean {
    this.#skipSpace();
    if (!this.#query.startsWith(word, this.#at)) return false;
    return /^(?:[\s()"“]|$)/.test(this.#query.slice(this.#at + word.length, this.#at + word.length + 1));
  }

  #rest(length: number): string {
    return this.#query.slice(this.#at, this.#at + length);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#query[this.#at] ?? "")) this.#at++;
  }

  #orWithoutOperand(at: number, side: "before" | "after"): PidexError {
    return this.#bad(at, `OR has no term ${side} it`, 'Write a OR b; to search for the word, quote it: "OR"');
  }

  #bad(at: number, message: string, hint: string): PidexError {
    return new PidexError("BAD_QUERY", withPosition(message, at), hint);
  }

  #unmatched(at: number, message: string, hint: string): PidexError {
    return new UnmatchedParenthesisError("BAD_QUERY", withPosition(message, at), hint);
  }
}

function withPosition(message: string, at: number): string {
  return `${message} (at character ${at + 1} of the query)`;
}

/** Combines nodes into one; undefined if there are none. */
function inOne(kind: "and" | "or", nodes: QueryNode[]): QueryNode | undefined {
  const [first] = nodes;
  if (!first || nodes.length === 1) return first;
  return { kind, nodes, start: first.start, end: (nodes.at(-1) as QueryNode).end };
}
