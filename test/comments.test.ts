import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Words with a capital letter inside that are not identifiers. */
const WORDS = ["camelCase", "macOS"];
/** Identifiers of other programs that comments and pages name. */
const FOREIGN = ["fileEntries", "maxEditLength", "modifyOtherKeys", "piConfig"];

/** British spellings: code, comments and pages are written in American English. */
const BRITISH = new RegExp(
  [
    /(?:behavi|col|fav|hon|lab|neighb)our/,
    /(?<!aria-)labell/,
    /(?:capital|custom|initial|normal|optim|organ|recogn|serial|summar|synchron|token)is(?:e[ds]?|er|ing|ation)(?![a-z])/,
    /(?:analyse|artefact|catalogue|defence|licence|modelled)/,
    /(?<![a-z])(?:centre|grey)(?![a-z])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** A source file, separated into comments and code. */
interface Source {
  file: string;
  comments: string[];
  code: string;
}

function readSource(file: string): Source {
  const text = readFileSync(join(ROOT, file), "utf8");
  const { comments, errors } = parseSync(file, text);
  expect(errors).toEqual([]);
  let code = text;
  for (const { start, end } of comments.toReversed()) code = code.slice(0, start) + code.slice(end);
  return { file, comments: comments.map(({ value }) => value), code };
}

const list = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules", "**/dist"] }).map((file) =>
    file.split(sep).join("/"),
  );

const product = list("{migrations,src,indexer,query,library,bin,build}/**/*.{ts,tsx}").map(readSource);
const others = list("{test,fixtures,bench,docs}/**/*.{ts,tsx}").map(readSource);
const pages = list("{*.md,docs/**/*.md,skills/**/*.md}").map((file) => ({
  file,
  text: readFileSync(join(ROOT, file), "utf8"),
}));
/** Sessions that are searched for their words. */
const isContent = (file: string) => /^(?:bench\/search|fixtures\/stories)\//.test(file);

/** Every word of the code, of strings too. */
const known = new Set([...product, ...others].flatMap(({ code }) => code.match(/[\w$]+/g) ?? []));

/** A text without code blocks and what is in backticks. */
function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```|`[^`]*`/g, "");
}

/** The prose of a comment: without code in backticks, examples, parameter names and the names of lint rules. */
function toProse(comment: string): string {
  return withoutCode(comment.replace(/@example[\s\S]*?(?=\n\s*\* @(?!example)|$)/g, ""))
    .replace(/@param \w+/g, "")
    .replace(/biome-ignore [\w/]+/g, "");
}

/** The words of a text that are written as identifiers are: `isMissing`. */
function findIdentifiers(text: string): string[] {
  return [...text.matchAll(/(?<![\w$./-])[a-z]+[A-Z]\w*/g)].map(([word]) => word);
}

/** The identifiers that a text quotes in backticks: `isMissing`, `entry.id` or `close()`. */
function findQuotedNames(text: string): string[] {
  const quoted = [...text.matchAll(/`([A-Za-z_][\w.]*)(?:\(\))?`/g)].map(([, name]) => name as string);
  return quoted.flatMap((name) => name.split(".")).flatMap(findIdentifiers);
}

test("the prose of comments contains no identifiers outside backticks", () => {
  const found = product.flatMap(({ file, comments }) =>
    comments
      .flatMap((comment) => findIdentifiers(toProse(comment)))
      .filter((word) => !WORDS.includes(word))
      .map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

test("names in backticks exist in the code", () => {
  const isUnknown = (name: string) => !known.has(name) && !FOREIGN.includes(name);
  const found = [...product, ...others].flatMap(({ file, comments }) =>
    findQuotedNames(comments.join("\n"))
      .filter(isUnknown)
      .map((name) => `${file}: ${name}`),
  );
  for (const { file, text } of pages)
    for (const name of findQuotedNames(text)) if (isUnknown(name)) found.push(`${file}: ${name}`);
  expect(found).toEqual([]);
});

test("files that the guides name exist", () => {
  const files = list("**/*.{ts,tsx,css,json,md}");
  const guides = pages.filter(({ file }) => /^(?:AGENTS|CONTRIBUTING)\.md$|^docs\/decisions\//.test(file));
  const found = guides.flatMap(({ file, text }) =>
    [...text.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.tsx?)`|\b(docs\/[\w/-]+\.md)/g)]
      .map(([, source, page]) => source ?? page)
      .filter((name) => !name?.startsWith("dist/") && !files.some((path) => `/${path}`.endsWith(`/${name}`)))
      .map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("each `@param` names a word of its module", () => {
  const found = product.flatMap(({ file, comments, code }) =>
    [...comments.join("\n").matchAll(/@param (?:options\.)?(\w+)/g)]
      .filter(([, name]) => name !== "options" && !new RegExp(`\\b${name}\\b`).test(code))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("spelling is American", () => {
  const texts = [
    ...[...product, ...others].map(({ file, comments, code }) => ({
      file,
      text: comments.join("\n") + code,
    })),
    ...pages.map(({ file, text }) => ({ file, text: withoutCode(text) })),
  ].filter(({ file }) => !isContent(file) && file !== "test/comments.test.ts");
  const found = texts.flatMap(({ file, text }) =>
    (text.match(BRITISH) ?? []).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

test("an id is not an ID", () => {
  const prose = [
    ...product.map(({ file, comments }) => ({ file, text: comments.map(toProse).join("\n") })),
    ...pages.map(({ file, text }) => ({ file, text: withoutCode(text) })),
  ];
  expect(prose.filter(({ text }) => /\bIDs?\b/.test(text)).map(({ file }) => file)).toEqual([]);
});

test.each([
  ["joinLines by one space", ["joinLines"]],
  ["A isMissing folder", ["isMissing"]],
  ["`isMissing` is code", []],
  ["@param leafId the last entry", []],
  ["@example toPath(leafId)\n * more(leafId)", []],
  ["biome-ignore lint/suspicious/noExplicitAny: as in pi", []],
  ["JavaScript and GitHub on Windows", []],
])("the identifiers in the prose of %j are %j", (comment, expected) => {
  expect(findIdentifiers(toProse(comment))).toEqual(expected);
});
