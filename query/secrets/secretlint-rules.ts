import { isPlaceholder } from "./random-looking.ts";
import type { Match, TextRule } from "./text-rule.ts";

/** The common prefix of the names of secretlint's rules. */
const PREFIX = "@secretlint/secretlint-rule-";

/**
 * The version of the preset that `MARKERS` was derived from. A test fails if another version is installed: an outdated
 * marker would silently hide keys.
 */
export const MARKERS_VERSION = "13.0.7";

/**
 * By rule, the source of a regular expression that matches every text in which the rule can match. Running all rules
 * on all texts processes 8 MB/s, one test for all markers 90 MB/s. A rule without a marker runs on every text.
 */
const MARKERS: Readonly<Record<string, string>> = {
  aws: "(?:A3T[A-Z0-9]|A[A-Z]{2}A)[A-Z0-9]{16}|(?:SECRET|[Ss]ecret)_?(?:ACCESS|[Aa]ccess)",
  privatekey: "PRIVATE KEY",
  npm: "npm_|x-oauth-basic|_authToken=",
  basicauth: ":\\/\\/[-\\w]{1,256}:[-\\w]{1,256}@",
  slack: "xox[abopr]-|xapp-|[Hh][Oo][Oo][Kk][Ss]\\.[Ss][Ll][Aa][Cc][Kk]",
  sendgrid: "SG\\.\\w",
  shopify: "shp(?:p|c|at?|ss)a?_",
  stripe: "[sr]k_(?:live|test)_",
  github: "gh[opsur]_|github_pat_",
  gitlab: "glpat-",
  grafana: "glc_|glsa_",
  openai: "T3BlbkFJ",
  anthropic: "sk-ant-api",
  groq: "gsk_",
  huggingface: "hf_",
  linear: "lin_api_",
  notion: "ntn_",
  "1password": "ops_ey",
  "database-connection-string":
    "(?:[Mm][Oo][Nn][Gg][Oo]|[Mm][Yy][Ss][Qq]|[Pp][Oo][Ss][Tt][Gg])[^:\\s]{0,12}:\\/\\/[^\\s:/]{1,100}:",
  "hashicorp-vault": "hv[bsr]\\.",
  vercel: "vc[piark]_",
  databricks: "dapi[A-Fa-f0-9]{32}",
  docker: "dckr_pat_",
  figma: "figd_",
  cloudflare: "cfk_|cfut_|cfat_",
  tailscale: "tskey-",
};

/**
 * Rules that don't fit session text: `filter-comments` lets a file's content disable other rules; `gcp` depends on the
 * file extension, and `privatekey` finds the same keys.
 */
const NOT_FOR_TEXTS = new Set(["filter-comments", "gcp"]);

/** Reports that are not secrets: an account id is twelve digits printed on every bill. */
const NO_SECRETS = new Set(["AWSAccountID"]);

/** A rule's message. `data` contains the texts it reports, including the secret. */
interface Message {
  id: string;
  name: string;
  data: Record<string, unknown>;
}

/** The part of secretlint's rule interface that its rules use. */
interface Rule {
  meta: { id: string };
  create(context: RuleContext, options: object): { file(source: Source): unknown };
}
interface RuleContext {
  createTranslator(messages: Messages): (id: string, data?: Record<string, unknown>) => { message: Message };
  report(report: { message: { message: Message }; range: readonly [number, number] }): void;
}
type Messages = Record<string, { en: (data: object) => string }>;
interface Source {
  content: string;
  filePath?: string;
  contentType: "text";
}

/** The rules of secretlint's recommended preset, loaded on first use because few commands need them. */
export async function loadSecretlintRules(): Promise<TextRule[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return (rules as unknown as Rule[]).flatMap((rule) => {
    const kind = rule.meta.id.replace(PREFIX, "");
    return NOT_FOR_TEXTS.has(kind) ? [] : [textRule(kind, rule)];
  });
}

/** Adapts a rule, which expects a file, to a text. */
function textRule(kind: string, rule: Rule): TextRule {
  let text = "";
  let found: Match[] = [];
  const context: RuleContext = {
    createTranslator:
      (messages) =>
      (id, data = {}) => ({ message: { id, name: toName(messages, id), data } }),
    report({ message: { message }, range }) {
      const secret = NO_SECRETS.has(message.id)
        ? undefined
        : secretRange(text, range, Object.values(message.data));
      if (secret) found.push({ kind, name: message.name, ...secret });
    },
  };
  const { file } = rule.create(context, kind === "aws" ? { enableIDScanRule: true } : {});
  // Without a path, the npm rule expects package.json and ignores the tokens of .npmrc.
  const paths = kind === "npm" ? [undefined, ".npmrc"] : [undefined];
  return {
    kind,
    marker: MARKERS[kind],
    find(input) {
      text = input;
      found = [];
      for (const filePath of paths)
        file({ content: text, contentType: "text", ...(filePath && { filePath }) });
      return found;
    },
  };
}

/** The password in a URL. */
const PASSWORD = /:\/\/[^\s:@/]+:([^\s@/]+)@/d;

/**
 * The range of the secret itself. The reported range covers the whole match, or, for AWS and npmrc, starts with the
 * match but has the length of the secret, so the text from the message is located first. In a URL, the secret is the
 * password. In npmrc it ends before the next space or quote, because the match runs to the end of the line.
 */
function secretRange(
  text: string,
  [start, end]: readonly [number, number],
  named: readonly unknown[],
): { start: number; end: number } | undefined {
  const reach = text.slice(start, end + (end - start) + 100);
  const value = named.find((each) => typeof each === "string" && each.length > 3 && reach.includes(each));
  const from = value === undefined ? start : start + reach.indexOf(value as string);
  const whole = text.slice(from, value === undefined ? end : from + (value as string).length);
  const [first, last] = PASSWORD.exec(whole)?.indices?.[1] ?? [0, whole.length];
  const secret = whole.slice(first, last);
  if (secret.startsWith("-----")) return { start: from, end: from + last }; // a private key contains spaces
  const length = secret.search(/[\s"'`]|$/);
  // Tokens have a distinctive format; these two can be any text, and are often placeholders.
  const isAnyText = last < whole.length || text.endsWith("_authToken=", from);
  if (length < 4 || (isAnyText && isPlaceholder(secret.slice(0, length)))) return undefined;
  return { start: from + first, end: from + first + length };
}

/** The name of a secret in a message, without the secret: "GitHub Token" of "found GitHub Token(…): ghp_…". */
function toName(messages: Messages, id: string): string {
  const blank = new Proxy({}, { get: () => "" });
  const message = messages[id]?.en(blank) ?? id;
  const name = message.replace(/^found /, "").replace(/\(\)|:\s*$/g, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
