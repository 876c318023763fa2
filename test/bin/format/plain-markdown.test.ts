import { expect, test } from "vitest";
import type { Segment } from "../../../bin/format/hits.ts";
import { toPlainSegments } from "../../../bin/format/plain-markdown.ts";

/** Segments of a text with its matches in angle quotes, and back. */
function parse(text: string): Segment[] {
  return text.split(/[«»]/).map((each, n) => ({ text: each, isMatch: n % 2 === 1 }));
}
const write = (segments: readonly Segment[]) =>
  segments.map(({ text, isMatch }) => (isMatch ? `«${text}»` : text)).join("");

test.each([
  ["**bold** and *light* and ~~gone~~", "bold and light and gone"],
  ["a **bold «match»** here", "a bold «match» here"],
  ["**«whole»**: the cause", "«whole»: the cause"],
  ["## Head of «it»", "Head of «it»"],
  ["Done. ## What changed **now**", "Done. What changed now"],
  ["run `npm «test»` now", "run npm «test» now"],
  ["**`«code»`** is bold", "«code» is bold"],
  // These are not marks.
  ["`a*b*c` and `**kwargs`", "a*b*c and **kwargs"],
  ["src/**/*.ts and lib/**/*.js", "src/**/*.ts and lib/**/*.js"],
  ["2 * 3 * 4 = 24", "2 * 3 * 4 = 24"],
  ["f(*args, **kwargs)", "f(*args, **kwargs)"],
  ["*.ts and *.js", "*.ts and *.js"],
  ["fix __init__ and snake_case_name", "fix __init__ and snake_case_name"],
  ["make # a comment", "make # a comment"],
  ["cut **off", "cut **off"],
  ["a lone ` stays", "a lone ` stays"],
  ["see ```js **not bold** ## not a head", "see ```js **not bold** ## not a head"],
  ["~~~ and ~/home", "~~~ and ~/home"],
])("%s", (markdown, plain) => {
  expect(write(toPlainSegments(parse(markdown)))).toBe(plain);
});

test("marks that are matches stay", () => {
  expect(write(toPlainSegments(parse("«**bold**» text")))).toBe("«**bold**» text");
});
