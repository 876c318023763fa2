/**
 * Secrets of every kind in their documented format, assembled at run time so that no secret scanner takes this file for
 * a leak.
 */
import fc from "fast-check";

/** A secret, and a text that contains it. */
export interface Sample {
  secret: string;
  text: string;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const ALNUM = UPPER + LOWER + DIGITS;
const URL64 = `${ALNUM}_-`;
const HEX = `${DIGITS}abcdef`;

const from = (signs: string, length: number, most = length): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...signs), { minLength: length, maxLength: most })
    .map((characters) => characters.join(""));

/** Mixes character classes so that it looks random: pure chance sometimes produces words. */
const mixed = (length: number): fc.Arbitrary<string> =>
  from(ALNUM, length).map((text) => text.replace(/./g, (sign, n) => (n % 3 === 2 ? String(n % 10) : sign)));

const joined = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((all) => all.join(""));

const token = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<Sample> =>
  joined(...parts).map((secret) => ({ secret, text: secret }));

const within = (before: string, secret: fc.Arbitrary<string>, after = ""): fc.Arbitrary<Sample> =>
  secret.map((each) => ({ secret: each, text: `${before}${each}${after}` }));

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const pem = (label: string, start: string): fc.Arbitrary<Sample> =>
  from(ALNUM, 640).map((body) => {
    const lines = `${start}${body.replace(/.{7}/g, "$&aZ9")}`.match(/.{1,64}/g) ?? [];
    const secret = lines.join("\n");
    return { secret, text: `-----BEGIN ${label}-----\n${secret}\n-----END ${label}-----` };
  });

/** Samples by kind, one per form. */
export const SAMPLES: Readonly<Record<string, readonly fc.Arbitrary<Sample>[]>> = {
  "1password": [
    from(ALNUM, 120).map((key) => {
      const account = { email: "a@b.lcl", secretKey: key, deviceUuid: "x".repeat(3) };
      // The token ends with JSON's two braces, without padding.
      let json = JSON.stringify({ account });
      while (json.length % 3 !== 0) json = json.replace("{", "{ ");
      const secret = `${"ops"}_${Buffer.from(json.replace(/^\{ +/, (blanks) => `{"${"z".repeat(blanks.length + 1)}":1,`)).toString("base64")}`;
      return { secret, text: secret };
    }),
  ],
  anthropic: [
    token("sk-", "ant-api03-", from(URL64, 93), "AA"),
    token("sk-", "ant-oat01-", from(URL64, 86), "AA"),
  ],
  authorization: [
    within("Authorization: Bearer ", mixed(40)),
    within('-H "authorization: Basic ', mixed(32), '"'),
  ],
  aws: [
    token("AK", "IA", from(`${UPPER}234567`, 16)),
    within("AWS_SECRET_ACCESS_KEY=", from(ALNUM, 40)),
    within('aws_secret_access_key = "', from(ALNUM, 40), '"'),
  ],
  azure: [
    within(
      "AccountName=x;Account" + "Key=",
      joined(from(ALNUM, 86), "=="),
      ";EndpointSuffix=core.windows.net",
    ),
    token(from(ALNUM, 3), "8Q", "~", from(ALNUM, 34)),
  ],
  basicauth: [within("https://deploy:", mixed(16), "@git.acme.dev/x")],
  cloudflare: [token("cf", "ut_", from(ALNUM, 40), from(HEX, 8))],
  "database-connection-string": [
    within("postgres://app:", mixed(14), "@db.acme.dev:5432/shop?sslmode=require"),
    within('"mongodb+srv://app:', mixed(14), '@cluster0.acme.dev/shop"'),
    within("mysql://app:", mixed(14), "@db/shop"),
  ],
  databricks: [token("da", "pi", from(HEX, 32))],
  docker: [token("dckr_", "pat_", from(URL64, 27))],
  figma: [token("fi", "gd_", from(ALNUM, 40))],
  github: [
    token("gh", "p_", from(ALNUM, 36)),
    token("gh", "s_", from(ALNUM, 36)),
    token("github_", "pat_", from(ALNUM, 82)),
  ],
  gitlab: [token("gl", "pat-", from(ALNUM, 20)), token("gl", "rt-", from(DIGITS, 1), from(ALNUM, 20))],
  google: [token("AI", "za", from(URL64, 34), "x"), token("GOC", "SPX-", from(ALNUM, 28))],
  grafana: [token("gl", "sa_", from(ALNUM, 32), "_", from(HEX, 8))],
  groq: [token("gs", "k_", from(ALNUM, 52))],
  "hashicorp-vault": [token("hv", "s.", from(ALNUM, 96))],
  huggingface: [token("h", "f_", from(UPPER + LOWER, 34))],
  jwt: [
    from(ALNUM, 43).map((signature) => {
      const secret = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "42", iat: 1_700_000_000 })}.${signature}`;
      return { secret, text: secret };
    }),
  ],
  linear: [token("lin_", "api_", from(ALNUM, 40))],
  "model-provider": [token("sk-", "or-v1-", from(HEX, 64)), token("x", "ai-", from(ALNUM, 80))],
  named: [
    within('client_secret: "', mixed(32), '"'),
    within("DB_PASSWORD=", joined("horse", from(DIGITS, 4))),
    within('{\\"apiKey\\": \\"', mixed(24), '\\"}'),
  ],
  notion: [token("nt", "n_", from(DIGITS, 11), from(ALNUM, 35))],
  npm: [
    token("np", "m_", from(ALNUM, 36)),
    within("//registry.npmjs.org/:_auth" + "Token=", fc.uuid({ version: 4 })),
  ],
  openai: [
    token("sk-", from(ALNUM, 20), "T3Blbk", "FJ", from(ALNUM, 20)),
    token("sk-", "proj-", from(ALNUM, 74), "T3Blbk", "FJ", from(ALNUM, 74)),
  ],
  privatekey: [
    pem(`RSA ${"PRIVATE"} KEY`, "MIIE"),
    pem(`OPENSSH ${"PRIVATE"} KEY`, "b3BlbnNzaC1rZXktdjE"),
    pem(`ENCRYPTED ${"PRIVATE"} KEY`, "MIIF"),
    // Truncated by a tool.
    pem(`EC ${"PRIVATE"} KEY`, "MHcC").map(({ secret, text }) => ({
      secret,
      text: text.slice(0, text.indexOf("\n-----END")),
    })),
  ],
  pypi: [token("pypi-", "AgEIcHlwaS5vcmc", from(ALNUM, 120))],
  sendgrid: [token("S", "G.", from(ALNUM, 22), ".", from(ALNUM, 43))],
  shopify: [token("shp", "at_", from(HEX, 32))],
  slack: [
    token("xo", "xb-", from(DIGITS, 12), "-", from(DIGITS, 12), "-", from(ALNUM, 24)),
    token(
      "https://hooks.",
      "slack.com/services/T",
      from(ALNUM, 8),
      "/B",
      from(ALNUM, 8),
      "/",
      from(ALNUM, 24),
    ),
  ],
  stripe: [token("sk_", "live_", from(ALNUM, 24)), token("rk_", "test_", from(ALNUM, 40))],
  tailscale: [token("ts", "key-auth-", from(ALNUM, 12), "-", from(ALNUM, 32))],
  "url-password": [
    within("redis://:", mixed(16), "@cache:6379/0"),
    within("amqps://app:", mixed(12), "@mq.acme.dev"),
  ],
  vercel: [token("vc", "p_", from(ALNUM, 24))],
};

/** A secret of any kind. */
export const anySample: fc.Arbitrary<Sample & { kind: string }> = fc.oneof(
  ...Object.entries(SAMPLES).flatMap(([kind, forms]) =>
    forms.map((form) => form.map((sample) => ({ kind, ...sample }))),
  ),
);

/** Escapes that end in a letter or digit right before a key, or start with an unusual character right after it. */
export const ESCAPES: readonly string[] = [
  "\x1b[31m",
  "\x1b[01;31m\x1b[K",
  "\x1b[38;2;255;0;10m",
  "\x1b(B\x1b[m",
  "\x1b]8;;https://acme.dev\x1b\\",
  "\x1b]0;title\x07",
  "␛[1m",
  "^[[0m",
  "[0;32m",
  "\\e[31m",
  "\\033[1;31m",
  "\\x1b[0m",
  "\\u001b[31m",
  "\\\\u001B[0m",
  "\\n",
  "\\r\\n",
  "\\t",
  "\\\\n",
  "\\\\\\\\t",
  "\\u003d",
  "\\x3D",
  "%20",
  "%3D",
  "%0A",
  "%2520",
];
