/** Where a secret stands in a text. */
export interface Match {
  /** The id of the rule that found it: `github`, `aws`, `named`. */
  kind: string;
  /** What it is, in words. */
  name: string;
  /** In UTF-16 units. */
  start: number;
  end: number;
}

/** A rule that can be asked. */
export interface TextRule {
  kind: string;
  /** What stands in every text that it finds something in, as the source of a regular expression; none: it may be any. */
  sign: string | undefined;
  find(text: string): Match[];
}
