import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Detector, loadDetector } from "../../../query/secrets/detector.ts";
import { createPidexRules } from "../../../query/secrets/pidex-rules.ts";
import { loadSecretlintRules, MARKERS_VERSION } from "../../../query/secrets/secretlint-rules.ts";
import { anySample, ESCAPES, SAMPLES } from "./samples.ts";

const detector = await loadDetector();

/** The secrets found in a text. */
const found = (text: string, field?: string) =>
  detector.find(text, field).map(({ kind, start, end }) => ({ kind, secret: text.slice(start, end) }));

it("there is a sample of every kind", () => {
  expect(Object.keys(SAMPLES).sort()).toEqual(detector.kinds);
});

it("the markers belong to the installed preset", () => {
  const preset = join(
    import.meta.dirname,
    "../../../node_modules/@secretlint/secretlint-rule-preset-recommend",
  );
  expect(JSON.parse(readFileSync(join(preset, "package.json"), "utf8")).version).toBe(MARKERS_VERSION);
});

it("every rule of secretlint has a marker, so most texts are tested only once", async () => {
  expect((await loadSecretlintRules()).filter(({ marker }) => marker === undefined)).toEqual([]);
});

describe.each(Object.entries(SAMPLES))("%s", (kind, forms) => {
  it.each(forms.map((form, n) => [n + 1, form] as const))(
    "form %d is found, and only its secret",
    (_, form) => {
      fc.assert(
        fc.property(
          form,
          fc.constantFrom(" ", "\n", '"', "'", "`", "(", "| ", "="),
          ({ secret, text }, around) => {
            const sentence = `It was ${around}${text}${around === "=" ? "" : around} then.`;
            const [first, ...others] = found(sentence);
            expect(others).toEqual([]);
            expect(first?.secret).toContain(secret);
            expect((first?.secret ?? "").length).toBeLessThan(secret.length + 80); // a private key includes two more lines
            expect(first?.kind).toBe(kind);
          },
        ),
        { numRuns: 20 },
      );
    },
  );
});

it("many secrets in one text are all found", () => {
  fc.assert(
    fc.property(fc.array(anySample, { minLength: 1, maxLength: 8 }), (samples) => {
      const text = samples.map((sample) => sample.text).join("\n");
      const all = found(text);
      for (const { secret } of samples) expect(all.some((each) => each.secret.includes(secret))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it.each(ESCAPES.map((sequence) => [JSON.stringify(sequence), sequence]))(
  "a secret of any kind is found between %s and another escape",
  (_, sequence) => {
    for (const [kind, forms] of Object.entries(SAMPLES)) {
      fc.assert(
        fc.property(
          fc.oneof(...forms),
          fc.constantFrom(...ESCAPES),
          fc.boolean(),
          (sample, other, swapped) => {
            const [before, after] = swapped ? [other, sequence] : [sequence, other];
            const text = `word${before}${sample.text}${after}word`;
            const all = found(text);
            expect(all.filter(({ secret }) => secret.includes(sample.secret)).length, text).toBe(1);
            expect(new Set(all.map(({ kind }) => kind))).toContain(kind);
          },
        ),
        { numRuns: 3 },
      );
    }
  },
);

it("an AWS secret access key of letters alone is found where its quotes are escaped", () => {
  const secret = ["scNRipgzxrsqLzwcizDN", "ZfewvZsOBmBzXGpiTEFQ"].join("");
  for (const text of [`aws_secret_access_key = "${secret}"`, JSON.stringify({ SecretAccessKey: secret })]) {
    for (const escaped of [JSON.stringify(text), JSON.stringify(JSON.stringify(text))]) {
      expect(found(escaped)).toEqual([{ kind: "aws", secret }]);
    }
  }
});

it("a color change within a key, or between name and key, does not hide it", () => {
  fc.assert(
    fc.property(anySample, fc.integer({ min: 1, max: 8 }), ({ secret, text }, offset) => {
      const split = text.indexOf(secret) + offset; // as grep highlights a match
      const colored = `${text.slice(0, split)}\x1b[m\x1b[K${text.slice(split)}`;
      const plain = (each: string) => each.replaceAll("\x1b[m\x1b[K", "");
      expect(found(`see ${colored} there`).some((each) => plain(each.secret).includes(secret))).toBe(true);
    }),
    { numRuns: 100 },
  );
  const value = ["9fK2", "mQ7x", "T4bR", "8wLz"].join("");
  const asJq = `\x1b[34;1m"apiKey"\x1b[0m\x1b[39m:\x1b[0m \x1b[0;32m"${value}"\x1b[0m`;
  expect(found(asJq)).toEqual([{ kind: "named", secret: value }]);
});

it("only the secret between escapes is reported", () => {
  const key = ["gh", "p_", "aB3".repeat(12)].join("");
  for (const before of ESCAPES) {
    for (const after of ESCAPES) {
      expect(found(`a${before}${key}${after}b`)).toEqual([{ kind: "github", secret: key }]);
    }
  }
});

it("searching in windows gives the same result as searching at once", async () => {
  const rules = [...(await loadSecretlintRules()), ...createPidexRules()];
  const small = new Detector(rules, { size: 64, margin: 2048 });
  const filler = fc.oneof(
    fc.string({ unit: "grapheme-ascii", maxLength: 200 }),
    fc.array(fc.constantFrom(...ESCAPES), { maxLength: 20 }).map((markers) => markers.join("a")),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(filler, anySample), { maxLength: 6 }), (parts) => {
      const text = parts.map(([fill, { text }]) => `${fill}\n${text}\n`).join("");
      expect(small.find(text)).toEqual(detector.find(text));
    }),
    { numRuns: 60 },
  );
});

it("overlapping matches become one, in windows and at once", async () => {
  const small = new Detector([...(await loadSecretlintRules()), ...createPidexRules()], {
    size: 16,
    margin: 380,
  });
  const torn = `-----BEGIN EC ${"PRIVATE"} KEY-----\n${"MHcCaQ1x".repeat(40)}`;
  const text = `${torn}\n${["nt", "n_", "12345678901", "aB3x9".repeat(7)].join("")}`;
  expect(detector.find(text)).toMatchObject([{ kind: "notion", end: text.length }]);
  expect(small.find(text)).toEqual(detector.find(text));
});

it("a rule without a marker runs on every text", () => {
  const rule = {
    kind: "odd",
    marker: undefined,
    find: () => [{ kind: "odd", name: "Odd", start: 0, end: 4 }],
  };
  expect(new Detector([rule]).find("nothing to see")).toHaveLength(1);
});

it("a field's name marks its value as secret", () => {
  const value = ["9fK2", "mQ7x", "T4bR", "8wLz"].join("");
  expect(found(value, "clientSecret")).toEqual([{ kind: "named", secret: value }]);
  expect(found(value, "api_key")).toHaveLength(1);
  expect(found(value, "id")).toEqual([]);
  expect(found(value)).toEqual([]);
});

it.each([
  ["a git hash", "commit 3f786850e387550fdab836ed7e6dc881de23001b"],
  ["a UUID", "token: 123e4567-e89b-42d3-a456-426614174000"],
  [
    "a checksum",
    "integrity sha512-hfdYra+ZB6RmviEApxeL/YCx4ovBtpj0d9c+uhlCZaCikObjb8Sb8yqBN6g8/9tt7qD7LXGE3k9RtVvGK1fNVw==",
  ],
  ["code", "const token = await getAccessToken(request.headers); const apiKey = process.env.API_KEY_2;"],
  ["a type", "password: string; secret: Uint8Array; accessToken?: OAuth2Token"],
  ["a variable", "PASSWORD=$DB_PASSWORD1 TOKEN=$(cat token1) curl https://$USER:$PASS1@acme.dev"],
  [
    "a placeholder",
    'api_key: "your-api-key-1234", password="changeme123", postgres://user:password@localhost/x',
  ],
  ["AWS's own example", `${"AK"}IAIOSFODNN7EXAMPLE`],
  ["a count", "max_tokens: 128000, totalTokens=12345678901234"],
  ["a URL with a port", "http://localhost:8080/@vite/client https://acme.dev:8443/user@acme.dev"],
  [
    "code with escapes",
    "\\\\bimport\\\\s C:\\\\new\\\\token\\\\1 print('\\x1b[31mtoken:\\x1b[0m', token_2) %20secret%3Dvalue",
  ],
  ["an image", `${Buffer.from("x".repeat(3000)).toString("base64")}`],
])("%s is not a secret", (_, text) => {
  expect(found(text)).toEqual([]);
});

it("a chance match within an image or a signature is not a secret", () => {
  const key = ["AK", "IA", "Q".repeat(8), "7".repeat(8)].join("");
  const image = `${"AbC/".repeat(200)}${key}/${"dEf+".repeat(200)}`;
  expect(found(image)).toEqual([]);
  expect(found(`${image} ${key}`)).toHaveLength(2); // outside it is
});
