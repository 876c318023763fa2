/** A secret's location in a text. */
export interface Match {
  /** The id of the rule that matched: `github`, `aws`, `named`. */
  kind: string;
  /** The name of this kind of secret, for people. */
  name: string;
  /** In UTF-16 units. */
  start: number;
  end: number;
}

/** Finds one kind of secret in a text. */
export interface TextRule {
  kind: string;
  /** Source of a regular expression that matches every text in which the rule can match. Undefined: any text. */
  marker: string | undefined;
  find(text: string): Match[];
}
