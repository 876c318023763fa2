/**
 * Rules for secrets that secretlint doesn't cover but that occur in sessions: credentials of agents, tokens with a
 * distinctive format, and values of fields with a secret's name.
 */
import { isPlaceholder, looksRandom } from "./random-looking.ts";
import type { Match, TextRule } from "./text-rule.ts";

interface OwnRule {
  kind: string;
  name: string;
  marker: string;
  /** Has the flag `g`. The secret is the group `secret`, otherwise the whole match. Every repetition is bounded. */
  pattern: RegExp;
  accepts?: (secret: string, match: RegExpExecArray) => boolean;
}

const SECRET_NAME =
  "(?:(?:api|secret|private|access|auth|account|signing|encryption|service|master)[ _.-]?key|secret|token|password|passwd|passphrase|credentials?)";

const RULES: readonly OwnRule[] = [
  {
    kind: "privatekey",
    name: "Private key",
    marker: "PRIVATE KEY",
    // Includes encrypted keys, PGP keys and keys truncated by a tool, none of which secretlint finds.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:(?:\s|\\[nr])+[A-Za-z][A-Za-z-]{2,20}: [^\n\\]{0,200}){0,4}(?:\s|\\[nr])+[A-Za-z0-9+/](?:[A-Za-z0-9+/=\s]|\\[nr\n]){62,10000})/g,
    accepts: (secret) => /[A-Z]/.test(secret) && /[a-z]/.test(secret) && /\d/.test(secret),
  },
  {
    kind: "anthropic",
    name: "Anthropic token",
    marker: "sk-ant-",
    pattern: /\bsk-ant-[a-z]{2,10}\d{2}-[A-Za-z0-9_-]{60,400}/g,
  },
  {
    kind: "openai",
    name: "OpenAI API key",
    marker: "sk-(?:proj|svcacct|admin)-",
    pattern: /\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,300}/g,
    accepts: (secret) => /\d/.test(secret) && /[A-Z]/.test(secret),
  },
  {
    kind: "model-provider",
    name: "Key of a model provider",
    marker: "sk-or-v1-|xai-|pplx-|csk-",
    pattern:
      /\b(?:sk-or-v1-[0-9a-f]{64}|xai-[A-Za-z0-9]{70,100}|pplx-[A-Za-z0-9]{40,64}|csk-[a-z0-9]{48})(?![A-Za-z0-9])/g,
  },
  {
    kind: "google",
    name: "Google API key",
    marker: "AIza",
    pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
  },
  {
    kind: "google",
    name: "Google OAuth client secret or token",
    marker: "GOCSPX-|ya29\\.",
    pattern: /\b(?:GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])|ya29\.[A-Za-z0-9_-]{40,2000})/g,
  },
  {
    kind: "azure",
    name: "Azure account key",
    marker: "(?:Account|SharedAccess)Key=",
    pattern: /(?:Account|SharedAccess)Key=(?<secret>[A-Za-z0-9+/]{43,86}={1,2})/g,
  },
  {
    kind: "azure",
    name: "Azure client secret",
    marker: "\\dQ~",
    pattern: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g,
  },
  {
    kind: "gitlab",
    name: "GitLab token",
    marker: "gl(?:rt|dt|cbt|ptt|ft|soat|agent|imt|oas)-",
    pattern: /\bgl(?:rt|dt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_-]{20,300}/g,
    accepts: (secret) => /\d/.test(secret),
  },
  {
    kind: "pypi",
    name: "PyPI token",
    marker: "pypi-AgE",
    pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,1000}/g,
  },
  {
    kind: "jwt",
    name: "JSON Web Token",
    marker: "eyJ",
    pattern:
      /(?<![A-Za-z0-9_-])(?<head>eyJ[A-Za-z0-9_-]{8,1000})\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{10,2000}/g,
    accepts: (_, { groups }) => /"alg"\s*:/.test(Buffer.from(groups?.head ?? "", "base64url").toString()),
  },
  {
    kind: "url-password",
    name: "Password in a URL",
    marker: ":\\/\\/[^\\s:@/\"'`<>\\\\]{0,100}:[^\\s@/\"'`<>\\\\]{3,200}@",
    pattern: /:\/\/(?<user>[^\s:@/"'`<>\\]{0,100}):(?<secret>[^\s@/"'`<>\\]{3,200})@[A-Za-z0-9[]/g,
    accepts: (secret, { groups }) => !isPlaceholder(secret) && secret !== groups?.user,
  },
  {
    // secretlint's rule finds one in a line.
    kind: "npm",
    name: "Npm token",
    marker: "_authToken=",
    pattern: /_authToken=["'\\]{0,33}(?<secret>[^\s"'`\\$<>(){}[\]|;&,]{8,512})/g,
    accepts: (secret) => !isPlaceholder(secret),
  },
  {
    // secretlint's rule does not find one in escaped quotes, as in JSON within JSON.
    kind: "aws",
    name: "AWS secret access key",
    marker: `${anyCase("secret")}_?${anyCase("access")}_?${anyCase("key")}`,
    pattern:
      /secret_?access_?key["'\\]{0,33}[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}["'`\\]{0,33}(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
    accepts: (secret) => !isPlaceholder(secret),
  },
  {
    kind: "authorization",
    name: "Authorization header",
    marker: "[Aa]uthorization|AUTHORIZATION|Bearer ",
    pattern:
      /(?:\b[Aa]uthorization["'\\]{0,33}\s{0,3}[:=]\s{0,3}["'\\]{0,33}(?:[Bb]asic|[Tt]oken) |\b[Bb]earer )(?<secret>[A-Za-z0-9._~+/-]{20,2000}={0,2})/g,
    accepts: looksRandom,
  },
  {
    kind: "named",
    name: "Value named like a secret",
    marker: `${anyCase(SECRET_NAME)}["'\\\\]{0,33}[ \\t]{0,3}(?:=>|:=|[:=])`,
    pattern: new RegExp(
      `${SECRET_NAME}["'\\\\]{0,33}[ \\t]{0,3}(?:=>|:=|[:=])[ \\t]{0,3}["'\`\\\\]{0,33}(?<secret>[^\\s"'\`\\\\,;&<>(){}\\[\\]|]{12,512})`,
      "gi",
    ),
    accepts: looksRandom,
  },
  {
    kind: "named",
    name: "Secret environment variable",
    marker: "(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY)=",
    // As in a .env file or shell: the name is so specific that a value with a letter and a digit is enough.
    pattern:
      /(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]{0,30}_){0,6}(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY)=["'\\]{0,33}(?<secret>[^\s"'`\\$<>(){}[\]|;&,]{8,256})/g,
    accepts: (secret) => /[A-Za-z]/.test(secret) && /\d/.test(secret) && !isPlaceholder(secret),
  },
];

export function createPidexRules(): TextRule[] {
  return RULES.map(({ kind, name, marker, pattern, accepts }) => ({
    kind,
    marker,
    find(text) {
      const found: Match[] = [];
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const secret = match.groups?.secret ?? match[0];
        if (accepts && !accepts(secret, match)) continue;
        const start = match.index + match[0].lastIndexOf(secret);
        found.push({ kind, name, start, end: start + secret.length });
      }
      return found;
    },
  }));
}

const ENDS_IN_SECRET_NAME = new RegExp(`(?:^|[^a-z]|[a-z](?=[A-Z]))${SECRET_NAME}$`, "i");

/** A match of the whole text if its field has a secret's name, as in `{"apiKey": "…"}`. */
export function matchNamedField(field: string, text: string): Match | undefined {
  if (text.length < 12 || text.length > 512 || !ENDS_IN_SECRET_NAME.test(field)) return undefined;
  if (/\s/.test(text) || !looksRandom(text)) return undefined;
  return { kind: "named", name: "Value named like a secret", start: 0, end: text.length };
}

/** A pattern that matches letters in either case: markers are joined to one pattern, so the flag `i` would apply to all. */
function anyCase(source: string): string {
  return source.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}
