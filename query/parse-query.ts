import { PidexError } from "../src/errors.ts";
import { FIELDS, type FieldName, isClosed, isSlipOf, readValue } from "./fields.ts";

/** A query as it was written: what stands in it and how it hangs together, not yet what it means to SQLite. */
export type QueryNode =
  /** `begun` are the words to look for in place of the last one, where that only begins words and too many of them. */
  | { kind: "text"; text: string; prefix: boolean; quoted?: true; begun?: readonly string[] }
  | { kind: "field"; field: FieldName; values: string[] }
  | { kind: "not"; node: QueryNode }
  | { kind: "and" | "or"; nodes: QueryNode[] };

/** More than this is no query but a paste, and what each word costs adds up. */
const MAX_TERMS = 300;
export const MAX_LENGTH = 100_000;
/** Deeper groups are nobody's; SQLite itself gives up at 256. */
const MAX_DEPTH = 50;

const QUOTED = /"([^"]*)"?|“([^”"]*)[”"]?/y;

/**
 * Parses a query: words, `"phrases"`, `begin*`, `OR`, parentheses, `-not`, and fields with values (`role:user`,
 * `tool:bash,edit`, `name:"the till"`). Signs in words are just signs: `a.b()` and `--no-sync` are words.
 *
 * @returns undefined for a query in which nothing stands
 * @throws PidexError `BAD_QUERY` that says at which character it is wrong, and what to write instead
 */
export function parseQuery(query: string): QueryNode | undefined {
  if (query.length > MAX_LENGTH) {
    throw new PidexError("BAD_QUERY", `the query has ${query.length} characters`, "Give a few words of it.");
  }
  return new Parser(query.replaceAll("\0", " ")).parse();
}

/** What is wrong with a query whose parentheses do not match, as those of code that is pasted often don't. */
export class UnmatchedParenthesis extends PidexError {}

class Parser {
  readonly #query: string;
  /** Where the next character to read stands. */
  #at = 0;
  #terms = 0;
  /** Where the groups that are open began. */
  readonly #open: number[] = [];

  constructor(query: string) {
    this.#query = query;
  }

  parse(): QueryNode | undefined {
    const node = this.#alternatives();
    if (this.#at < this.#query.length) {
      throw this.#unmatched(this.#at, '")" closes nothing', 'Leave it out, or quote it: ")"');
    }
    return node;
  }

  /** `a b OR c d`: up to the end, or to the parenthesis that closes the group. */
  #alternatives(): QueryNode | undefined {
    const nodes: QueryNode[] = [];
    let orAt: number | undefined;
    for (;;) {
      const node = this.#conjunction();
      if (!node && orAt !== undefined) throw this.#lonelyOr(orAt, "after");
      if (node) nodes.push(node);
      if (!this.#word("OR")) return nodes.length > 1 ? { kind: "or", nodes } : nodes[0];
      if (!node) throw this.#lonelyOr(this.#at, "before");
      orAt = this.#at;
      this.#at += 2;
    }
  }

  /** `a b -c`: all that stands beside each other. */
  #conjunction(): QueryNode | undefined {
    const nodes: QueryNode[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#query.length || this.#closes() || this.#word("OR")) break;
      // Other tools want an AND between words. Here it says nothing new.
      if (nodes.length > 0 && this.#word("AND") && /^AND\s+[^\s)]/.test(this.#rest(200))) {
        this.#at += 3;
        continue;
      }
      const node = this.#term();
      if (node) nodes.push(node);
    }
    return nodes.length > 1 ? { kind: "and", nodes } : nodes[0];
  }

  #term(): QueryNode | undefined {
    // `--no-sync` is a word, and so is a dash that stands alone.
    if (/^-[^\s-]/.test(this.#rest(2))) {
      this.#at++;
      const node = this.#term();
      return node && { kind: "not", node };
    }
    if (this.#rest(2) === "()") {
      this.#at += 2;
      return undefined;
    }
    if (this.#query[this.#at] === "(") return this.#group();
    if (++this.#terms > MAX_TERMS) {
      const hint = `Give at most ${MAX_TERMS}.`;
      throw this.#bad(this.#at, `the query has more than ${MAX_TERMS} words`, hint);
    }
    const quoted = this.#quoted();
    if (quoted !== undefined) return { kind: "text", text: quoted, prefix: this.#stars(), quoted: true };
    return this.#field() ?? this.#plainWord();
  }

  #group(): QueryNode | undefined {
    const start = this.#at++;
    if (this.#open.length >= MAX_DEPTH) {
      throw this.#bad(
        start,
        `more than ${MAX_DEPTH} groups in each other`,
        "Write it with fewer parentheses.",
      );
    }
    this.#open.push(start);
    const node = this.#alternatives();
    if (this.#query[this.#at] !== ")") {
      throw this.#unmatched(start, '"(" is never closed', 'Write ")" where it ends, or quote it: "("');
    }
    this.#at++;
    this.#open.pop();
    return node;
  }

  /** The text between quotes; without a closing one, all the rest. */
  #quoted(): string | undefined {
    QUOTED.lastIndex = this.#at;
    const found = QUOTED.exec(this.#query);
    if (!found) return undefined;
    this.#at += found[0].length;
    return found[1] ?? found[2];
  }

  #stars(): boolean {
    const start = this.#at;
    while (this.#query[this.#at] === "*") this.#at++;
    return this.#at > start;
  }

  #field(): QueryNode | undefined {
    // In small letters only: `Name:` and `File:` stand in what people paste.
    const [whole = "", name = ""] = /^([a-z]{2,12}):/.exec(this.#rest(13)) ?? [];
    const field = FIELDS.find((each) => each === name);
    if (!field) return this.#refuseSlip(name, whole);
    const start = this.#at;
    if (/^\s|^$/.test(this.#query.slice(start + whole.length, start + whole.length + 1))) {
      this.#refuseSpace(field, whole);
      return undefined;
    }
    this.#at += whole.length;
    const values: string[] = [];
    do values.push(this.#value(field, values.length === 0));
    while (this.#query[this.#at] === "," && this.#at++);
    if (values.length > 1 && (field === "since" || field === "until")) {
      throw this.#bad(start, `${field}: takes one time`, `Write one: ${field}:7d`);
    }
    return { kind: "field", field, values };
  }

  #value(field: FieldName, first: boolean): string {
    const at = this.#at;
    const text = this.#quoted() ?? this.#run(/[\s,"“]/, field === "file");
    if (text.trim() === "") {
      const message = `${field}: has nothing behind its ${first ? "colon" : "comma"}`;
      throw this.#bad(at, message, `Write ${field}:value; to search for the word, quote it: "${field}:"`);
    }
    const read = readValue(field, text);
    if ("wrong" in read) throw this.#bad(at, read.wrong, read.hint);
    return read.value;
  }

  /** `role: user` is a slip; in `the cause is: nobody knows` and in pasted YAML they are words. */
  #refuseSpace(field: FieldName, whole: string): void {
    const [, value] = /^\s+([\w-]+)/.exec(this.#query.slice(this.#at + whole.length)) ?? [];
    if (value === undefined || !isClosed(field, value)) return;
    const hint = `Write ${field}:${value}; to search for the words, quote them: "${field}: ${value}"`;
    throw this.#bad(this.#at, `${field}: has a space behind its colon`, hint);
  }

  /** `rol:user` is a slip; `https://…`, `node:fs` and `a::b` are words. */
  #refuseSlip(name: string, whole: string): undefined {
    if (!/^[a-z]{3,}:[\p{L}\p{N}"]/u.test(this.#rest(14)) || whole === "") return undefined;
    const meant = FIELDS.find((field) => isSlipOf(name, field));
    if (!meant) return undefined;
    const quoted = `"${this.#rest(200).split(/[\s"]/, 1)[0]}"`;
    const hint = `Did you mean ${meant}: there? To search for the words, quote them: ${quoted}`;
    throw this.#bad(this.#at, `there is no field ${name}:`, hint);
  }

  #plainWord(): QueryNode {
    const text = this.#run(/[\s"“]/);
    const bare = text.replace(/\*+$/, "");
    return { kind: "text", text: bare, prefix: bare !== text };
  }

  /**
   * All up to a character that ends it, or to a parenthesis that closes a group: `(a OR b())`.
   *
   * @param isGlob whether commas in braces and brackets belong to it: `*.{ts,rs}`
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

  #closes(): boolean {
    return this.#query[this.#at] === ")";
  }

  /** Whether a word of the language stands here, by itself. */
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

  #lonelyOr(at: number, side: "before" | "after"): PidexError {
    return this.#bad(at, `nothing stands ${side} OR`, 'Write a OR b; to search for the word, quote it: "OR"');
  }

  #bad(at: number, message: string, hint: string): PidexError {
    return new PidexError("BAD_QUERY", placed(message, at), hint);
  }

  #unmatched(at: number, message: string, hint: string): PidexError {
    return new UnmatchedParenthesis("BAD_QUERY", placed(message, at), hint);
  }
}

function placed(message: string, at: number): string {
  return `${message} (at character ${at + 1} of the query)`;
}
