import { isPlaceholder } from "./random-looking.ts";
import type { Match, TextRule } from "./text-rule.ts";

/** What the names of secretlint's rules begin with. */
const PREFIX = "@secretlint/secretlint-rule-";

/**
 * The version of the preset that `SIGNS` was read from. A test fails while another one is installed: a sign that its
 * rule has outgrown would hide keys without a word.
 */
export const SIGNS_OF = "13.0.7";

/**
 * What stands in every text that a rule can find something in, as sources of regular expressions. All rules on all
 * texts make 8 MB/s, one look for all signs 90. A rule without signs looks at every text.
 */
const SIGNS: Readonly<Record<string, string>> = {
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
 * Rules that are not for texts out of sessions: one takes what a file says for its owner's wish that secrets in it be
 * ignored, one goes by the extension of a file, and the key that it is after is found by `privatekey`.
 */
const NOT_FOR_TEXTS = new Set(["filter-comments", "gcp"]);

/** What a rule reports that is no secret: twelve digits that every bill shows. */
const NO_SECRETS = new Set(["AWSAccountID"]);

/** A message of a rule: which one, and the texts that it is about, the secret among them. */
interface Message {
  id: string;
  name: string;
  data: Record<string, unknown>;
}

/** The little of secretlint's interface for rules that its rules make use of. */
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

/** The rules of secretlint's recommended preset. Loaded when asked for: few commands look for secrets. */
export async function libraryRules(): Promise<TextRule[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return (rules as unknown as Rule[]).flatMap((rule) => {
    const kind = rule.meta.id.replace(PREFIX, "");
    return NOT_FOR_TEXTS.has(kind) ? [] : [textRule(kind, rule)];
  });
}

/** Makes of a rule, which is made for files, one for texts. */
function textRule(kind: string, rule: Rule): TextRule {
  let text = "";
  let found: Match[] = [];
  const context: RuleContext = {
    createTranslator:
      (messages) =>
      (id, data = {}) => ({ message: { id, name: nameOf(messages, id), data } }),
    report({ message: { message }, range }) {
      const secret = NO_SECRETS.has(message.id)
        ? undefined
        : secretRange(text, range, Object.values(message.data));
      if (secret) found.push({ kind, name: message.name, ...secret });
    },
  };
  const { file } = rule.create(context, kind === "aws" ? { enableIDScanRule: true } : {});
  // Where there is no path, the npm rule looks for what package.json may hold, and not for the tokens of .npmrc.
  const paths = kind === "npm" ? [undefined, ".npmrc"] : [undefined];
  return {
    kind,
    sign: SIGNS[kind],
    find(asked) {
      text = asked;
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
 * Where the secret itself stands. The range is that of all that matched, or, for AWS and npmrc, begins there but is as
 * long as the secret: so what the message names is looked for. Of a URL the password is the secret, of npmrc what stands
 * before the next blank or quote: what follows may be anything, up to the end of the line.
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
  if (secret.startsWith("-----")) return { start: from, end: from + last }; // a private key has blanks
  const length = secret.search(/[\s"'`]|$/);
  // Tokens have a form of their own; these two may be any text, and then often stand for one.
  const isAnyText = last < whole.length || text.endsWith("_authToken=", from);
  if (length < 4 || (isAnyText && isPlaceholder(secret.slice(0, length)))) return undefined;
  return { start: from + first, end: from + first + length };
}

/** What a message calls a secret, without the secret: "found GitHub Token(…): ghp_…" is a GitHub Token. */
function nameOf(messages: Messages, id: string): string {
  const blank = new Proxy({}, { get: () => "" });
  const said = messages[id]?.en(blank) ?? id;
  const name = said.replace(/^found /, "").replace(/\(\)|:\s*$/g, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
