import fc from "fast-check";
import { expect, it } from "vitest";
import { loadRedactor } from "../../../query/secrets/redact.ts";
import { anySample, ESCAPES } from "./samples.ts";

const GITHUB = `gh${"p_"}${"aB3".repeat(12)}`;

it("secrets are replaced by marks with their kind, and counted", async () => {
  const redactor = await loadRedactor();
  expect(redactor.redactText(`a ${GITHUB}, redis://:${"8fj3kd92"}@cache b`)).toBe(
    "a [redacted github], redis://:[redacted url-password]@cache b",
  );
  expect(redactor.redactText("nothing")).toBe("nothing");
  expect(redactor.count).toBe(2);
});

it("every token of a line, and values in any depth of quotes, are replaced", async () => {
  const redactor = await loadRedactor();
  const npm = `//registry.npmjs.org/:_auth${"Token="}95e0cf46-155a-4e9f-8000-0013957902e3`;
  expect(redactor.redactText(`${npm} ; echo ${npm}`)).not.toContain("95e0");
  const secret = "zr2q952c80j1ry44z7sx0t63su6qx91f";
  for (let text = `client_secret: "${secret}"`, depth = 0; depth < 5; depth++) {
    expect([depth, redactor.redactText(text)]).toEqual([depth, expect.not.stringContaining(secret)]);
    text = JSON.stringify(text);
  }
});

it("no secret is left in a value, and the rest is unchanged", async () => {
  const redactor = await loadRedactor();
  const words = fc.constantFrom("said", "a b", "__proto__", "toString", "", "é");
  fc.assert(
    fc.property(
      fc.array(anySample, { minLength: 1, maxLength: 3 }),
      fc.array(words, { maxLength: 5 }),
      fc.constantFrom("", ...ESCAPES),
      (samples, path, sequence) => {
        let value: unknown = samples.map(({ text }) => `see ${sequence}${text}${sequence}\n`);
        const [first] = samples;
        value = { value, [`key ${first?.text}`]: 1, when: null, ok: true };
        for (const step of path)
          value = step === "" ? [value] : JSON.parse(`{${JSON.stringify(step)}: ${JSON.stringify(value)}}`);
        const redacted = JSON.stringify(redactor.redactValue(value));
        for (const { secret } of samples) {
          for (const line of secret.split("\n")) expect(redacted).not.toContain(line);
        }
        const shape = (text: string) =>
          text.replace(/"(?:[^"\\]|\\.)*"/g, (each) =>
            each.includes("see ") || each.includes("key ") ? '""' : each,
          );
        expect(shape(redacted)).toBe(shape(JSON.stringify(value)));
        expect(JSON.stringify(redactor.redactValue(JSON.parse(redacted)))).toBe(redacted); // marks are not secrets
      },
    ),
    { numRuns: 60 },
  );
});

it("two fields named by secrets of one kind are both kept", async () => {
  const other = GITHUB.replaceAll("a", "b");
  expect((await loadRedactor()).redactValue({ [GITHUB]: 1, [other]: 2 })).toEqual({
    "[redacted github]": 1,
    "[redacted github] 2": 2,
  });
});

it("dates are kept, and nesting 100,000 levels deep works", async () => {
  const redactor = await loadRedactor();
  const date = new Date();
  expect(redactor.redactValue({ date })).toEqual({ date });
  let deep: unknown = GITHUB;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  let inner = redactor.redactValue(deep);
  while (Array.isArray(inner)) [inner] = inner;
  expect(inner).toBe("[redacted github]");
});
