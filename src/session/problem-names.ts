import type { ProblemCode } from "./problems.ts";

const NAMES: Readonly<Record<ProblemCode, string>> = {
  malformed_line: "not JSON",
  torn_line: "incomplete last line",
  not_an_entry: "not an entry",
  invalid_field: "invalid field",
  missing_figure: "missing usage",
  invalid_utf8: "invalid UTF-8",
  long_line: "line too long",
  byte_order_mark: "byte order mark",
  second_header: "second header",
  late_header: "late header",
  no_header: "no header",
  unreadable: "unreadable",
  not_a_file: "not a file",
  outside_roots: "outside the session folders",
};
const BY_CODE: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));

/** The name of a kind of problem for people: "incomplete last line". */
export function getProblemName(code: string): string {
  return BY_CODE.get(code) ?? code;
}
