/** Questions about the planted sessions, written before any search was run on them: don't adapt them to one. */

/** `half-remembered`: no entry contains all words. `remembered words`: one does, in real sessions only. */
export const KINDS = [
  "identifier",
  "error message",
  "half-remembered",
  "remembered words",
  "exact phrase",
  "Chinese",
  "Japanese",
  "other scripts, emoji",
  "file",
  "tool output",
  "session name",
  "label",
  "signs",
  "fork",
  "query language",
] as const;

export type Kind = (typeof KINDS)[number];

export interface Question {
  kind: Kind;
  /** The query, as a person would type it. */
  query: string;
  /** Keys of the right sessions; finding any of them is enough. */
  expect: readonly string[];
}

const questions = (kind: Kind, expectedByQuery: Record<string, string | readonly string[]>): Question[] =>
  Object.entries(expectedByQuery).map(([query, expect]) => ({ kind, query, expect: [expect].flat() }));

export const QUESTIONS: readonly Question[] = [
  ...questions("identifier", {
    resolveTenantLocale: "tenant-locale",
    parseledgerline: "ledger-lines",
    "backoff jitter": "backoff",
    "cursor codec": "cursors",
    upload_part_etag: "multipart",
    exportqueueworker: "export-queue",
    "useDebounced* AbortController": "suggestions",
    "once in flight": "stampede",
  }),
  ...questions("error message", {
    "SqliteError: database is locked SQLITE_BUSY": "busy",
    "TS2589: Type instantiation is excessively deep and possibly infinite": "deep-types",
    "canceling statement due to lock timeout": "order-index",
    "at Object.renderGlyphRun (src/pdf/glyphs.ts:212:17)": "glyphs",
    "blocked by CORS policy Access-Control-Allow-Credentials": "credentials",
    "OOMKilled 137": "oom-killed",
    "unable to verify the first certificate": "certificates",
    "ChunkLoadError: Loading chunk 417 failed": "chunks",
  }),
  // The session contains all words, but no single entry does.
  ...questions("half-remembered", {
    "invoices lisbon midnight timezone": "invoices",
    "search suggestions abortcontroller": "suggestions",
    "progress bar nginx buffering": "events-in-bursts",
    "sidebar long name minmax": "grid",
    "rebase commits gone reflog": "lost-commits",
    "orders page slow dataloader": "orders-page",
    "worker evening dies removeListener": "leak",
    "report twice sunday cron": "nightly-report",
    "address validator hangs nested quantifiers": "validator",
  }),
  ...questions("exact phrase", {
    '"count cents, not floats"': "cents",
    '"rotate the refresh token"': "refresh",
    '"one of eight pipeline runs"': "flake",
  }),
  ...questions("Chinese", {
    乱码: "zh-bom",
    "繁体 回退": "zh-fallback",
    闪: "zh-crash",
    "锁 超时 订单": "zh-lock",
  }),
  ...questions("Japanese", {
    文字化け: "ja-mojibake",
    "締め処理 二重": "ja-closing",
    ファイルを開けませんでした: "ja-permission",
  }),
  ...questions("other scripts, emoji", {
    "утечка памяти воркер": "voron",
    "καφες τόνους": "tonos",
    "🐌 dashboard": "slow-dashboard",
  }),
  ...questions("file", {
    "src/cart/rounding.ts": "cents",
    "retry-policy.ts": "backoff",
    "docker-compose.override.yml": "override",
    "useInfiniteFeed.tsx": "feed",
    "0042_add_order_index": "order-index",
  }),
  ...questions("tool output", {
    "p(99)=1840ms": "pool",
    "dkim=fail body hash": "dkim",
    "Largest Contentful Paint 6.2 s": "hero-image",
    "moment/locale 612 KiB": "chunks",
    "Who: ben@thinkpad": "state-lock",
  }),
  ...questions("session name", {
    "flake hunt": "flake",
    "grand font cleanup": "glyphs",
    "tablets storm": "reconnects",
  }),
  ...questions("label", { "known good revert": "leak" }),
  ...questions("signs", {
    "C++": "addon",
    "--no-cache": "docker-cache",
    "feed.flush()": "flush",
  }),
  ...questions("fork", {
    "signature raw bytes stringify": ["webhooks", "webhooks-fork"],
    "exif orientation resizer": ["photos", "photos-fork"],
  }),
  ...questions("query language", {
    "role:user refund twice": "refunds",
    "is:error tool:bash state lock": "state-lock",
    "file:schema.prisma since:2026-03 enum": "vat-enum",
  }),
];
