/**
 * Sessions that answer no question: about similar topics, mostly newer, with the same words scattered, in passing or in another
 * sense, and the same file names in listings.
 */

import { otherLanguages, otherMeanings, partialMatches } from "./decoys-shared-words.ts";
import { parseStory } from "./parse-story.ts";
import type { CreateStory, StorySession } from "./story-session.ts";

export const createDecoys = (createStory: CreateStory): StorySession[] => [
  ...digests(createStory),
  ...webDecoys(createStory),
  ...errorDecoys(createStory),
  ...partialMatches(createStory),
  ...otherMeanings(createStory),
  ...otherLanguages(createStory),
];

/** Summaries of many topics. */
const digests = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-release-notes", "shop", "2026-11-10T09:00:00", [
    "> Write the release notes of the last twelve months from our commit titles.",
    "$ git log --format=%s --since=2025-11 => Drop outdated suggestions with an AbortController\nLabels and prices agree: resolveTenantLocale\nCredentials header for next. (CORS policy)\nSplit the map out of vendors\nHero image first\nCount cents\nThird VAT rate in the enum\nonceInFlight for prices\nPay button keeps its place (flake)",
    "## Faster\nThe start page shows its largest picture earlier. Prices are fetched once, whoever asks. Search suggestions no longer flicker.\n\n## Fixed\nBaskets add up to the cent: no floats any more, rounding happens once. Swiss tenants get one language. Login from the new subdomain works under the stricter CORS policy. Payment no longer fails in the pipeline.\n\n## New\nA third VAT rate.",
    "~ 2",
    "> shorter, nobody reads this",
    "Faster start page, right totals, a third VAT rate.",
  ]),
  parseStory(createStory, "d-standup", "ledger", "2026-11-03T08:00:00", [
    "> What did I do in spring? I need it for the review, one line each.",
    "- exports page by cursor now, with a codec of their own for the position\n- imports ignore the byte order mark in parseLedgerLine\n- an index was added without a lock, after one had kept orders waiting\n- invoices are cut at midnight in the timezone of the customer\n- the orders page loads customers at once (dataloader)\n- closing run, small exports overtake large ones in the ExportQueueWorker",
    "~ 3",
    "> thanks. And in summer?",
    "- refunds carry an idempotency key, none goes out twice\n- connection pool sized for the sale, p(99) well below half a second",
  ]),
  parseStory(createStory, "d-stat", "shop", "2026-11-15T18:00:00", [
    "> Who owns which file? Make a CODEOWNERS from the history.",
    "$ git log --stat --format=%an | head -40 => mina\n src/cart/rounding.ts | 4 +-\n src/cart/totals.ts | 9 +-\n src/i18n/tenant.ts | 6 +-\nben\n docker-compose.override.yml | 5 +++\n docker-compose.yml | 2 +-\n prisma/schema.prisma | 1 +\nmina\n src/search/useDebouncedQuery.ts | 7 ++-\n src/checkout/PayButton.tsx | 2 +-",
    "Three owners, and `src/cart` is mostly yours.",
    "$ git shortlog -sn -- src/cart => 41 mina\n 3 ben",
    "Written to CODEOWNERS.",
  ]),
  parseStory(createStory, "d-rename", "field", "2026-10-29T10:00:00", [
    "> Move all hooks into src/hooks.",
    "$ git mv src/activity/useInfiniteFeed.tsx src/forms/useDraft.tsx src/map/useTiles.tsx src/hooks/ => ",
    "$ npx tsc --noEmit => src/activity/List.tsx(3,33): error TS2307: Cannot find module './useInfiniteFeed.tsx'",
    "~ 3",
    "All imports follow.",
  ]),
  parseStory(createStory, "d-ls-migrations", "ledger", "2026-09-28T07:30:00", [
    "> Squash the first forty migrations, they take a minute in each test run.",
    "$ ls migrations | tail -5 => 0040_payouts.sql\n0041_payout_state.sql\n0042_add_order_index.sql\n0043_customer_zone.sql\n0044_audit.sql",
    "Up to 0040 in one file; what comes later stays.",
    "~ 4",
    "Test runs start after 3 s.",
  ]),
  parseStory(createStory, "d-carrier", "pipeline", "2026-08-26T09:20:00", [
    "> Add a second carrier beside the first.",
    "$ ls src/carrier => client.ts\nretry-policy.ts\nlabels.ts\nrates.ts",
    "The client is the only one that knows the carrier; it gets an interface, and labels and rates stay.",
    "~ 5",
    "Both carriers pass the same tests.",
  ]),
];

/** Similar browser problems. */
const webDecoys = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-autosave", "field", "2026-09-15T12:00:00", [
    "> Saving the form at each key is too much.",
    "I make a hook `useDebouncedSave` that waits for a pause of a second.",
    "~ 2",
    "> and when the page is closed?",
    "Then it saves at once, with `sendBeacon`. An AbortController would not help there, the page is gone.",
  ]),
  parseStory(createStory, "d-suggestion-rank", "shop", "2026-10-20T13:00:00", [
    "> The search suggestions are bad: typing 'sho' suggests 'shoehorn' first.",
    "They are sorted by the alphabet. I would sort suggestions by how often people searched for them in the last month.",
    "~ 4",
    "> do that for categories, too",
    "Done: search suggestions for products and categories are sorted by demand.",
  ]),
  parseStory(createStory, "d-cors-fonts", "shop", "2026-09-08T09:00:00", [
    "> Icons are squares: Access to font at 'https://cdn.storefront.test/icons.woff2' from origin 'https://www.storefront.test' has been blocked by CORS policy: No 'Access-Control-Allow-Origin' header is present on the requested resource.",
    "The CDN drops the header on cached answers. Vary: Origin, and the CORS policy of the bucket has to name our origin.",
    "~ 2",
    "Icons are back. The CORS policy is in Terraform now.",
  ]),
  parseStory(createStory, "d-cors-talk", "infra", "2026-10-12T15:00:00", [
    "> Explain Access-Control-Allow-Credentials to a new colleague in three sentences.",
    "A browser sends cookies to another origin only if asked to. The other origin then has to say that it wants them, with Access-Control-Allow-Credentials. If it does not, the answer is kept from the script.",
  ]),
  parseStory(createStory, "d-nginx-upload", "infra", "2026-09-19T11:00:00", [
    "> Uploads show progress 100 % at once and then hang for a minute.",
    "nginx takes the whole upload before it passes it on: request buffering. With proxy_request_buffering off the progress is real, and nginx holds nothing back.",
    "~ 2",
    "Checked with a 2 GB file.",
  ]),
  parseStory(createStory, "d-cli-progress", "kit", "2026-08-30T17:00:00", [
    "> The progress bar of the command line flickers on Windows.",
    "It clears the line before it writes it. Writing over it, then clearing to the end, leaves nothing to flicker.",
    "~ 3",
    "> the bar also wraps in narrow windows",
    "It asks for the width each time now. The progress bar stays on one line.",
  ]),
  parseStory(createStory, "d-sidebar", "field", "2026-07-20T08:30:00", [
    "> Let me collapse the sidebar, and remember it.",
    "A button in the sidebar, and the state in localStorage under the name `sidebar`.",
    "~ 2",
    "> long texts in the collapsed sidebar stick out",
    "Hidden below 60 pixels.",
  ]),
  parseStory(createStory, "d-minmax", "pipeline", "2026-09-04T08:30:00", [
    "> The histogram needs the minmax of each column before it can draw.",
    "One pass computes it: minmax(column) gives both ends, NaN left out. It is called with the name of the column, which can be long for nested ones.",
    "~ 3",
  ]),
  parseStory(createStory, "d-lighthouse", "shop", "2026-10-05T08:08:00", [
    "> Measure the product page before we change the gallery.",
    "$ npx lighthouse https://www.storefront.test/p/881 => Performance 62\n  First Contentful Paint     1.8 s\n  Largest Contentful Paint   3.9 s   <img src=boot-side.avif>\n  Total Blocking Time        620 ms",
    "3.9 s, and the gallery's script is in the way.",
    "~ 2",
    "$ npx lighthouse https://www.storefront.test/p/881 => Performance 74\n  Largest Contentful Paint   2.9 s",
  ]),
  parseStory(createStory, "d-bundle", "field", "2026-08-12T10:00:00", [
    "> What is in our bundle?",
    "$ npx webpack-bundle-analyzer stats.json --mode json => main.js  1.4 MiB\n  node_modules/moment/locale   320 KiB  (64 modules)\n  node_modules/leaflet   148 KiB",
    "Mostly our own code.",
    "~ 1",
  ]),
  parseStory(createStory, "d-chunk-blocker", "shop", "2026-10-22T10:30:00", [
    "> Sentry: ChunkLoadError: Loading chunk 88 failed. Only Firefox, only a few.",
    "The chunk is called `ads-banner.js`, and blockers block it. Renamed to what it is: `teaser.js`.",
    "~ 2",
  ]),
  parseStory(createStory, "d-dashboard-1", "pipeline", "2026-10-16T09:00:00", [
    "> The dashboard for the warehouse should refresh by itself.",
    "The dashboard polls every minute while its tab is visible.",
    "~ 3",
    "The dashboard shows when it was refreshed.",
  ]),
  parseStory(createStory, "d-dashboard-2", "pipeline", "2026-06-18T09:00:00", [
    "> Colours in the sales dashboard mean nothing to me. Slow days should stand out.",
    "Days below the mean are grey in the dashboard now.",
    "~ 2",
  ]),
  parseStory(createStory, "d-reconnect-toast", "field", "2026-09-30T09:00:00", [
    "> When the network comes back after a storm, show tablets a toast.",
    "`online` fires on tablets before there is a route; I wait for the first answer, then the toast comes.",
    "~ 2",
  ]),
];

/** Similar errors, and lists of errors. */
const errorDecoys = (createStory: CreateStory): StorySession[] => [
  parseStory(createStory, "d-retryable", "kit", "2026-10-01T10:00:00", [
    "> Which errors should our retry helper treat as temporary?",
    "ECONNRESET, ETIMEDOUT, EAI_AGAIN, HTTP 429 and 503, Postgres 40001 (serialization) and 55P03 (lock timeout), SQLITE_BUSY and SQLITE_LOCKED, ENOSPC not. With exponential backoff, five times at most.",
    "~ 2",
    "> and what about animation frames, they jitter",
    "That is something else: jitter there comes from layout, not from the network.",
  ]),
  parseStory(createStory, "d-locked-account", "ledger", "2026-10-09T10:00:00", [
    "> Support: a customer's account is locked and the database says it is not.",
    "The flag in the cache is older than the row. The lock is cleared in the database, and the cache keeps saying locked for an hour.",
    "~ 2",
  ]),
  parseStory(createStory, "d-statement-timeout", "ledger", "2026-09-17T10:00:00", [
    "> The yearly report fails: ERROR:  canceling statement due to statement timeout",
    "It runs for six minutes and two are allowed. The report gets a role of its own with a timeout of fifteen.",
    "~ 2",
    "It takes no lock that orders would wait for.",
  ]),
  parseStory(createStory, "d-glyph-emoji", "field", "2026-10-27T12:00:00", [
    "> Printing crashes on emoji.",
    "! node scripts/print.js report-4001 => RangeError: Offset is outside the bounds of the DataView\n    at Object.renderGlyphRun (src/pdf/glyphs.ts:230:9)\n    at layoutLine (src/pdf/lines.ts:88:5)",
    "Colour glyphs have no outline. They are drawn as pictures now.",
    "~ 2",
    "$ node scripts/print.js report-4001 => report-4001.pdf, 2 pages",
  ]),
  parseStory(createStory, "d-union", "kit", "2026-09-25T20:00:00", [
    "! npx tsc --noEmit => src/form/fields.ts(44,3): error TS2590: Expression produces a union type that is too complex to represent.",
    "> Type trouble again, after a deep import.",
    "612 icons times 40 colours is a union of 24,480. Take two properties instead of one.",
    "~ 2",
  ]),
  parseStory(createStory, "d-137-build", "infra", "2026-09-11T06:00:00", [
    "> The build stops with exit code 137 on the small runner.",
    "137 is 128 + 9: killed. The bundler needs 3 GB, the runner has 2. With two instead of eight workers it fits.",
    "~ 2",
    "$ npm run build => done in 212 s",
  ]),
  parseStory(createStory, "d-runbook", "infra", "2026-11-12T06:00:00", [
    "> Write a runbook for whoever is on call: what to look at first.",
    "1. Restarts: `kubectl get pods`. CrashLoopBackOff is mostly a missing secret, OOMKilled (exit code 137) a limit that is too low, Evicted a full disk.\n2. 502 from the balancer: keep-alive, or a deploy.\n3. Certificates: `openssl s_client`, and see that the chain is whole; Node says it is unable to verify.\n4. Queue: is the worker alive, does its memory grow?\n5. State locks of Terraform: ask who holds it first.",
    "~ 1",
    "> good",
  ]),
  parseStory(createStory, "d-self-signed", "infra", "2026-08-21T07:00:00", [
    "> npm install behind the customer's proxy: SELF_SIGNED_CERT_IN_CHAIN",
    "Their proxy signs with its own certificate. NODE_EXTRA_CA_CERTS names the file with it; don't turn the check off. The first thing is to verify who issued it.",
    "~ 2",
  ]),
  parseStory(createStory, "d-npm-reset", "kit", "2026-10-30T19:00:00", [
    "> npm ci dies with read ECONNRESET in one of three runs",
    "The mirror drops connections when more than ten come at once: maxsockets=8 in .npmrc.",
    "~ 2",
  ]),
  parseStory(createStory, "d-etag", "field", "2026-10-08T18:00:00", [
    "> Use ETags for the map tiles, so that tablets don't load them again.",
    "The ETag is a hash of the tile. For each part of the map 304 is the usual answer now.",
    "~ 3",
    "> and the upload of new tiles?",
    "The upload sends If-Match with the etag it knows, so that nobody overwrites another's.",
  ]),
  parseStory(createStory, "d-k6-spring", "ledger", "2026-10-14T16:00:00", [
    "> Repeat the load test from before the sale.",
    "$ k6 run sale.js => checks.........................: 99.98%\nhttp_req_duration..............: avg=99ms p(99)=251ms",
    "~ 1",
    "As good as then.",
    "$ k6 run exports.js => checks.........................: 97.10%\nhttp_req_duration..............: avg=840ms p(99)=1910ms",
  ]),
  parseStory(createStory, "d-dmarc", "infra", "2026-09-21T10:00:00", [
    "> Set up mail for the second domain: spf, dkim, dmarc.",
    "$ swaks --to check@auth.example | grep -i results => spf=pass; dkim=pass header.d=ledger.test; dmarc=pass",
    "Three records, all pass. The body of the mail is signed as a whole, by a hash.",
    "~ 2",
  ]),
];
