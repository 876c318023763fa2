/** The syntax tree of a query, with positions. Free of Node and the database, so that the page can load it. */
import type { FieldName } from "./fields.ts";

/** Offsets in the query, in UTF-16 units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A word or a phrase. */
export interface TextTerm extends Span {
  kind: "text";
  /** Without quotes and star. */
  text: string;
  /** Whether it also matches words that begin with it: `conf*`. */
  prefix: boolean;
  quoted?: true;
  /** Whether it may continue: an unclosed quote, a single dash, a trailing colon. */
  incomplete?: true;
  /** Set by a search: the words to search for in place of a prefix that matches too many words. */
  expansions?: readonly string[];
}

/** One value of a field. */
export interface FieldValue extends Span {
  /** The canonical value: `user` for `USER`, milliseconds for a time. */
  value: string;
  /** As written, without quotes. */
  text: string;
}

/** A field with its values, any of which may match: `role:user,assistant`. */
export interface FieldTerm extends Span {
  kind: "field";
  field: FieldName;
  values: FieldValue[];
  /** Whether its last value is missing, unclosed or invalid. */
  incomplete?: true;
}

export interface NotNode extends Span {
  kind: "not";
  node: QueryNode;
}

export interface GroupNode extends Span {
  kind: "and" | "or";
  nodes: QueryNode[];
}

/** A parsed query, independent of the index. */
export type QueryNode = TextTerm | FieldTerm | NotNode | GroupNode;

/** A word, phrase or field of a query. */
export interface QueryTerm {
  term: TextTerm | FieldTerm;
  /** Whether a dash before it, or before a group around it, excludes it. */
  excluded: boolean;
  /** Where it starts, including a dash directly before it. */
  start: number;
}

/** The words, phrases and fields of a query, from left to right. */
export function extractTerms(node: QueryNode | undefined, excluded = false): QueryTerm[] {
  if (!node) return [];
  switch (node.kind) {
    case "text":
    case "field":
      return [{ term: node, excluded, start: node.start }];
    case "not": {
      const terms = extractTerms(node.node, true);
      const [first] = terms;
      if (first?.term === node.node) first.start = node.start;
      return terms;
    }
    default:
      return node.nodes.flatMap((each) => extractTerms(each, excluded));
  }
}

/** The words and phrases of a query, with or without the excluded ones. */
export function extractTexts(node: QueryNode, excluded: "with excluded" | "without excluded"): TextTerm[] {
  return extractTerms(node).flatMap((each) =>
    each.term.kind === "text" && (excluded === "with excluded" || !each.excluded) ? [each.term] : [],
  );
}

/** The canonical values of one field of a query, or of all. */
export function extractFieldValues(node: QueryNode, field?: FieldName): string[] {
  return extractTerms(node).flatMap(({ term }) =>
    term.kind === "field" && (field === undefined || term.field === field)
      ? term.values.map(({ value }) => value)
      : [],
  );
}
