/** Sessions about services, data and libraries. */
import type { CreateStory, StorySession } from "./story-session.ts";

export function backendStories(createStory: CreateStory): StorySession[] {
  return [
    invoices(createStory),
    cents(createStory),
    orderIndex(createStory),
    busy(createStory),
    ordersPage(createStory),
    leak(createStory),
    backoff(createStory),
    multipart(createStory),
    nightlyReport(createStory),
    ledgerLines(createStory),
    glyphs(createStory),
    deepTypes(createStory),
    stampede(createStory),
    validator(createStory),
    exportQueue(createStory),
    refunds(createStory),
    addon(createStory),
    vatEnum(createStory),
  ];
}

const invoices = (createStory: CreateStory) =>
  createStory("invoices", "ledger", "2025-08-05T09:12:40")
    .user(
      "Some invoices of the last evening of July show up in August. Only customers in Lisbon complain, and only in summer.",
    )
    .run(
      'psql -c "select id, booked_at from invoices where id = 88121"',
      "  id   |       booked_at\n-------+------------------------\n 88121 | 2025-07-31 23:40:00+00",
    )
    .think("23:40 in UTC is 00:40 in Lisbon, which has summer time then.")
    .say(
      "The month is cut at midnight of the server's timezone. At 00:40 in Lisbon it is still the 31st in UTC, so our report and their receipt disagree by one day. The cut has to be in the customer's zone.",
    )
    .edit(
      "src/reports/month.ts",
      "date_trunc('month', booked_at)",
      "date_trunc('month', booked_at AT TIME ZONE customer.zone)",
    )
    .chores(3)
    .run("npx vitest run src/reports", "Tests  18 passed (18)")
    .user("ship it");

const cents = (createStory: CreateStory) =>
  createStory("cents", "shop", "2025-06-11T11:02:13")
    .user(
      "A basket of three times 0.10 with 15 % off totals 0.25500000000000006, and the bank refuses the payment.",
    )
    .read(
      "src/cart/rounding.ts",
      "export const total = (lines: Line[]) => lines.reduce((sum, line) => sum + line.price * line.count, 0) * (1 - discount);",
    )
    .say(
      "Binary fractions. Let us count cents, not floats: whole numbers all the way, and round once, half to even, where the discount comes in.",
    )
    .edit("src/cart/rounding.ts", "line.price * line.count", "line.cents * line.count")
    .edit("src/cart/rounding.ts", "* (1 - discount)", "", "Now the rounding itself, in one place.")
    .chores(4)
    .fails(
      "npx vitest run src/cart",
      "AssertionError: expected 26 to be 25\n ❯ src/cart/rounding.test.ts:19:21",
    )
    .say(
      "Half to even gives 26 for 25.5, the test expected the old cut. The bank rounds like us, I asked their sandbox.",
    )
    .name("Money without floats");

const orderIndex = (createStory: CreateStory) =>
  createStory("order-index", "ledger", "2026-03-24T06:40:00")
    .user(
      "The deploy hung for eleven minutes on a migration and nobody could order. Find out why before I try again.",
    )
    .read(
      "migrations/0042_add_order_index.sql",
      "CREATE INDEX orders_by_customer ON orders (customer_id, created_at);",
    )
    .fails(
      "psql -c 'set lock_timeout = 2000' -f migrations/0042_add_order_index.sql",
      "psql:migrations/0042_add_order_index.sql:1: ERROR:  canceling statement due to lock timeout",
    )
    .say(
      "A plain CREATE INDEX keeps writers out until it is done. It waited behind a long report itself, and every order queued up behind the index.",
    )
    .edit(
      "migrations/0042_add_order_index.sql",
      "CREATE INDEX",
      "CREATE INDEX CONCURRENTLY",
      "And outside of a transaction, which CONCURRENTLY wants.",
    )
    .chores(3)
    .run("psql -f migrations/0042_add_order_index.sql", "CREATE INDEX\nTime: 412077.301 ms")
    .say("Seven minutes, and orders went through all the time.");

const busy = (createStory: CreateStory) =>
  createStory("busy", "kit", "2025-11-27T19:25:51")
    .user(
      "With four workers the cache throws now and then:\n\nSqliteError: database is locked\n    code: 'SQLITE_BUSY'",
    )
    .run(
      "rg -n 'pragma|BEGIN' src/cache",
      "src/cache/open.ts:5:db.pragma('busy_timeout = 5000');\nsrc/cache/put.ts:12:  db.exec('BEGIN');",
    )
    .think(
      "A timeout is set, yet it fails at once. So it is a read transaction that wants to become a writer.",
    )
    .say(
      "`BEGIN` starts as a reader. When it turns writer and another one wrote meanwhile, SQLite says SQLITE_BUSY at once: waiting could not help, its snapshot is old. `BEGIN IMMEDIATE` queues up from the start.",
    )
    .edit("src/cache/put.ts", "db.exec('BEGIN')", "db.exec('BEGIN IMMEDIATE')")
    .chores(2)
    .run("node scripts/hammer.ts --workers 16 --seconds 60", "0 errors in 81204 writes");

const ordersPage = (createStory: CreateStory) =>
  createStory("orders-page", "ledger", "2025-12-16T10:10:10")
    .user("The orders page of the back office got slow. 6 s for fifty rows.")
    .run("grep -c 'SELECT .* FROM customers WHERE id' query.log", "51")
    .say(
      "One query for the list, then one for each row's customer. A dataloader collects the ids of one tick and asks once: two queries instead of fifty-one.",
    )
    .create(
      "src/load/customers.ts",
      "export const customers = new DataLoader((ids) => db.many(BY_IDS, ids));\n",
    )
    .chores(4)
    .run("grep -c 'FROM customers' query.log", "1")
    .say("From 6 s to 180 ms.");

function leak(createStory: CreateStory): StorySession {
  const story = createStory("leak", "pipeline", "2026-04-29T07:20:20")
    .user("The worker needs 300 MB in the morning and 3 GB in the evening, then it dies.")
    .run(
      "node --heapsnapshot-signal=SIGUSR2 worker.js & sleep 600; kill -USR2 $!",
      "Heap.20260429.072901.4411.0.001.heapsnapshot",
    );
  const before = story.lastId;
  story
    .user("could it be the parser? try the older version first")
    .run("npm install feedparse@3.2.0 && npm run soak", "rss 2811 MB after 6 h")
    .say("The same with the old parser.");
  const left = story.lastId;
  return story
    .branch(before)
    .branchSummary(left, "Tried an older parser: it grows just the same.")
    .think("Compare two snapshots: what has more of between them?")
    .run(
      "node scripts/diff-heaps.js 001 002",
      "+ 41022  Closure  onAbort  src/job.ts:77\n+ 41022  EventListener",
    )
    .say(
      "Each job adds an abort handler to the one signal of the process and none takes it off. A `removeListener` in `finally`, or `{ once: true }` and a signal of its own for each job.",
    )
    .label(before, "known good before revert")
    .edit(
      "src/job.ts",
      "signal.addEventListener('abort', onAbort);",
      "using _ = listening(signal, 'abort', onAbort);",
    )
    .chores(3)
    .run("npm run soak", "rss 318 MB after 6 h");
}

const backoff = (createStory: CreateStory) =>
  createStory("backoff", "pipeline", "2025-10-21T14:02:07")
    .user(
      "The carrier's API answers 429 for an hour once we are over the limit, since all jobs try again at the same time.",
    )
    .read(
      "src/carrier/retry-policy.ts",
      "export const waitBeforeRetry = (attempt: number) => 1000 * 2 ** attempt;",
    )
    .edit(
      "src/carrier/retry-policy.ts",
      "export const waitBeforeRetry = (attempt: number) => 1000 * 2 ** attempt;",
      "export function computeBackoffWithJitter(attempt: number, random = Math.random): number {\n  return random() * Math.min(60_000, 1000 * 2 ** attempt);\n}",
      "Doubling alone keeps them in step. A random part of it spreads them.",
    )
    .edit(
      "src/carrier/client.ts",
      "waitBeforeRetry(attempt)",
      "retryAfter(answer) ?? computeBackoffWithJitter(attempt)",
      "And where the carrier says Retry-After, we do as it says.",
    )
    .chores(3)
    .run(
      "npx vitest run src/carrier",
      "✓ computeBackoffWithJitter > never waits longer than a minute\nTests  14 passed (14)",
    )
    .say("429s went from 9,000 an hour to 12.");

const multipart = (createStory: CreateStory) =>
  createStory("multipart", "field", "2026-05-28T18:18:18")
    .user("Uploads over 100 MB break at the very end. Small ones are fine.")
    .fails(
      "node scripts/upload.js video-240mb.mp4",
      'InvalidPart: One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not have matched.\n  upload_part_etag: "9b2cf5"\n  part_number: 3',
    )
    .say(
      "The quotes belong to the ETag, and a proxy in between strips them from `upload_part_etag`. We have to send them back just as S3 gave them.",
    )
    .edit("src/upload/complete.ts", "etag.replaceAll('\"', '')", "etag")
    .chores(2)
    .run("node scripts/upload.js video-240mb.mp4", "completed, 48 parts")
    .say("Large uploads finish.");

const nightlyReport = (createStory: CreateStory) =>
  createStory("nightly-report", "infra", "2025-10-27T08:01:00")
    .user(
      "Customers got the nightly report twice on Sunday, 26 October. In March it was missing for a day, I was told.",
    )
    .read("k8s/report.yaml", 'schedule: "30 2 * * *"\ntimeZone: "Europe/Berlin"')
    .say(
      "When clocks go back, half past two comes around a second time, and in spring not at all. Run the cron at a time that exists exactly once, 04:30, or in UTC.",
    )
    .edit("k8s/report.yaml", '"30 2 * * *"', '"30 4 * * *"')
    .chores(2)
    .say("And the sender now refuses to mail the same report for the same day again, whoever asks.");

const ledgerLines = (createStory: CreateStory) =>
  createStory("ledger-lines", "ledger", "2026-02-04T16:45:30")
    .user(
      "Imports from the Windows box fail in line 1, although the line looks right: \"unknown column 'account'\".",
    )
    .run("head -c 12 import.csv | xxd", "00000000: efbb bf61 6363 6f75 6e74 3b62            ...account;b")
    .say(
      "EF BB BF: a byte order mark sticks to the first column's name. `parseLedgerLine` should never see it, the reader takes it off.",
    )
    .edit("src/import/reader.ts", "yield* lines", "yield* withoutBom(lines)")
    .edit(
      "src/import/parseLedgerLine.ts",
      "throw new Error(`unknown column",
      "throw new ImportError(`unknown column",
      "While I am in `parseLedgerLine`: the message now shows what cannot be seen.",
    )
    .chores(4)
    .run(
      "npx vitest run src/import",
      "✓ parseLedgerLine > a byte order mark is no part of a name\nTests  22 passed (22)",
    );

const glyphs = (createStory: CreateStory) =>
  createStory("glyphs", "field", "2026-07-07T12:34:56")
    .user("Polish names have boxes instead of ł and ż in the printed report, and sometimes it crashes.")
    .fails(
      "node scripts/print.js report-3312",
      "TypeError: Cannot read properties of undefined (reading 'advanceWidth')\n    at Object.renderGlyphRun (src/pdf/glyphs.ts:212:17)\n    at layoutLine (src/pdf/lines.ts:88:5)\n    at printReport (src/pdf/print.ts:41:3)",
    )
    .say(
      "The subset of the font is made from the first page's text. A letter that only appears later has no glyph. I embed the subset after layout, of all letters used.",
    )
    .edit("src/pdf/glyphs.ts", "subset(font, pages[0].text)", "subset(font, allText(pages))")
    .chores(3)
    .run("node scripts/print.js report-3312", "report-3312.pdf, 14 pages")
    .name("Grand font cleanup");

const deepTypes = (createStory: CreateStory) =>
  createStory("deep-types", "kit", "2026-01-28T20:20:20")
    .user("tsc gives up on the form builder since I added nested paths.")
    .fails(
      "npx tsc --noEmit",
      "src/form/path.ts(19,14): error TS2589: Type instantiation is excessively deep and possibly infinite.",
    )
    .think("Path<T> recurses into arrays and into Date. Stop at leaves, and count down.")
    .say(
      "`Path<T>` walks into `Date` and its methods, without end. Leaves have to be named, and a depth of six is more than any form has.",
    )
    .edit(
      "src/form/path.ts",
      "T[K] extends object",
      "T[K] extends Leaf ? K : Depth extends 0 ? never : T[K] extends object",
    )
    .chores(2)
    .run("npx tsc --noEmit --extendedDiagnostics | grep Instantiations", "Instantiations:  48112")
    .say("From 4.9 million instantiations to 48 thousand.");

const stampede = (createStory: CreateStory) =>
  createStory("stampede", "shop", "2025-09-30T09:09:09")
    .user("Every five minutes the price service has a spike of 800 requests within one second.")
    .say(
      "When the cached price list runs out, every request that comes in fetches it. One should, the others wait for it.",
    )
    .create(
      "src/cache/once-in-flight.ts",
      "const flying = new Map<string, Promise<unknown>>();\nexport function onceInFlight<T>(key: string, fetchIt: () => Promise<T>): Promise<T> {\n  const known = flying.get(key) as Promise<T> | undefined;\n  if (known) return known;\n  const own = fetchIt().finally(() => flying.delete(key));\n  flying.set(key, own);\n  return own;\n}\n",
    )
    .chores(3)
    .run("npm run load -- --rps 900", "price service: 1 request at 10:05:00, 1 at 10:10:00")
    .say("One request every five minutes. `onceInFlight` also guards the stock list now.");

const validator = (createStory: CreateStory) =>
  createStory("validator", "kit", "2026-06-16T13:37:00")
    .user(
      "One address keeps a core at 100 % for minutes. The validator hangs on it: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
    )
    .read("src/validate/address.ts", "const ADDRESS = /^([a-z0-9]+[._-]?)+@[a-z0-9.-]+$/;")
    .say(
      "Nested quantifiers: `(x+y?)+` can split the same letters in 2^n ways, and tries them all before it says no. Catastrophic backtracking, as in the textbook. Said without nesting, it is linear.",
    )
    .edit("src/validate/address.ts", "([a-z0-9]+[._-]?)+", "[a-z0-9]+(?:[._-][a-z0-9]+)*")
    .chores(2)
    .run("node --test test/address.test.ts", "# pass 44")
    .say("0.02 ms for a thousand letters.");

const exportQueue = (createStory: CreateStory) =>
  createStory("export-queue", "ledger", "2025-07-09T15:15:15")
    .user("A yearly export blocks all the small ones behind it. Can't they overtake?")
    .read(
      "src/jobs/ExportQueueWorker.ts",
      "export class ExportQueueWorker {\n  async next() { return this.jobs.shift(); }\n}",
    )
    .edit(
      "src/jobs/ExportQueueWorker.ts",
      "this.jobs.shift()",
      "this.jobs.takeSmallest({ butNoneWaitsOver: minutes(10) })",
      "Smallest first, but nobody waits for more than ten minutes.",
    )
    .chores(3)
    .run(
      "npx vitest run src/jobs",
      "✓ ExportQueueWorker > small ones overtake\n✓ ExportQueueWorker > a large one is not starved\nTests  6 passed (6)",
    )
    .say("Small exports wait 4 s at most in the replay of Monday.");

const refunds = (createStory: CreateStory) =>
  createStory("refunds", "ledger", "2026-08-06T11:11:11")
    .user("A refund went out twice for order 55120. Support pressed the button once, they swear.")
    .run(
      "psql -c 'select * from payouts where order_id = 55120'",
      " 9001 | 55120 | 2026-08-05 17:01:03\n 9002 | 55120 | 2026-08-05 17:01:33",
    )
    .say(
      "Thirty seconds apart: the gateway timed out, and our client tried again without an idempotency key. The provider paid both.",
    )
    .edit(
      "src/payout/send.ts",
      "post('/payouts', body)",
      "post('/payouts', body, { idempotencyKey: payout.id })",
    )
    .chores(3)
    .say("The same key gives the same payout, however often we ask.");

const addon = (createStory: CreateStory) =>
  createStory("addon", "kit", "2025-05-26T10:00:00")
    .user("Is it worth moving the tokenizer to C++? It takes 70 % of the time.")
    .say(
      "Measure first. A C++ addon saves in the loop but pays for each string that crosses the border; for short lines that eats it up.",
    )
    .run(
      "node bench/tokenize.js --addon",
      "js       41 MB/s\nC++ addon 38 MB/s   (short lines)\nC++ addon 210 MB/s  (one buffer of 64 MB)",
    )
    .say(
      "So C++ only wins with whole buffers. If the lines went over as one Buffer with offsets, it would be five times as fast.",
    )
    .user("too much, leave it")
    .chores(3)
    .say("Left in JavaScript. I kept the C++ sketch in `attic/`.");

const vatEnum = (createStory: CreateStory) =>
  createStory("vat-enum", "shop", "2026-09-02T09:00:30")
    .user("We need a third VAT rate. Where do I add it?")
    .read("prisma/schema.prisma", "enum VatRate {\n  FULL\n  REDUCED\n}")
    .edit(
      "prisma/schema.prisma",
      "  REDUCED\n}",
      "  REDUCED\n  ZERO\n}",
      "The enum, then a migration for it.",
    )
    .fails(
      "npx prisma migrate dev --name vat-zero",
      'Error: P3018\nERROR: unsafe use of new value "ZERO" of enum type "VatRate"\nHINT: New enum values must be committed before they can be used.',
    )
    .say(
      "Postgres wants a new value committed before it is used: two migrations, one adds it, the next sets it.",
    )
    .chores(2)
    .run("npx prisma migrate status", "Database schema is up to date!");
