/** Sessions about web pages. */
import type { CreateStory, StorySession } from "./story-session.ts";

export function webStories(createStory: CreateStory): StorySession[] {
  return [
    suggestions(createStory),
    eventsInBursts(createStory),
    reconnects(createStory),
    credentials(createStory),
    grid(createStory),
    flake(createStory),
    chunks(createStory),
    refresh(createStory),
    cursors(createStory),
    tenantLocale(createStory),
    flush(createStory),
    heroImage(createStory),
    feed(createStory),
    slowDashboard(createStory),
    ...webhooks(createStory),
    ...photos(createStory),
  ];
}

const suggestions = (createStory: CreateStory) =>
  createStory("suggestions", "shop", "2026-04-14T08:12:09")
    .user("Typing fast in the product search shows suggestions for an older query. Why?")
    .read(
      "src/search/useDebouncedQuery.ts",
      "export function useDebouncedQuery(query: string, wait = 180) {\n  const [hits, setHits] = useState<Hit[]>([]);\n  useEffect(() => {\n    const timer = setTimeout(() => fetchHits(query).then(setHits), wait);\n    return () => clearTimeout(timer);\n  }, [query]);\n  return hits;\n}",
    )
    .think("The cleanup clears the timer but not a request that is already on its way.")
    .say(
      "The answers race. The slow one for `sh` comes in after the one for `shoes` and overwrites it; debouncing only makes that rarer. An AbortController in `useDebouncedQuery` lets us drop whatever is outdated.",
    )
    .user("do it")
    .edit(
      "src/search/useDebouncedQuery.ts",
      "    const timer = setTimeout(() => fetchHits(query).then(setHits), wait);\n    return () => clearTimeout(timer);",
      "    const gone = new AbortController();\n    const timer = setTimeout(() => fetchHits(query, gone.signal).then(setHits), wait);\n    return () => { clearTimeout(timer); gone.abort(); };",
    )
    .chores(3)
    .run("npx vitest run src/search", "Test Files  4 passed (4)\n     Tests  31 passed (31)")
    .say("Done, with a test that answers the first request last.");

const eventsInBursts = (createStory: CreateStory) =>
  createStory("events-in-bursts", "infra", "2025-10-02T13:40:31")
    .user(
      "The progress bar of the import page jumps: server-sent events arrive twenty at a time, every half minute. Only on staging, never on my laptop.",
    )
    .run(
      "curl -N -s https://staging.internal/api/imports/7/progress | ts",
      "13:42:01 data: 3\n13:42:01 data: 6\n13:42:01 data: 9\n13:42:31 data: 12",
    )
    .think("Collected for 30 seconds by something between. Let me look at the proxy.")
    .run(
      "grep -rn proxy_ conf.d/",
      "conf.d/api.conf:14:    proxy_pass http://api;\nconf.d/api.conf:15:    proxy_read_timeout 60s;",
    )
    .say(
      "That is nginx: `proxy_buffering` is on unless somebody turns it off, so it collects 4 kB before it passes anything on. `X-Accel-Buffering: no` on this one response is enough, and leaves the rest alone.",
    )
    .edit(
      "src/routes/progress.ts",
      "'cache-control': 'no-store',",
      "'cache-control': 'no-store',\n    'x-accel-buffering': 'no',",
    )
    .chores(2)
    .user("works, the bar is smooth now");

const reconnects = (createStory: CreateStory) =>
  createStory("reconnects", "field", "2026-01-20T16:05:44")
    .user(
      "After every deploy all 4,000 tablets reconnect in the same second and the gateway falls over again.",
    )
    .read(
      "src/socket/connect.ts",
      "socket.onclose = () => setTimeout(connect, 1000);\nexport const heartbeatEvery = 25_000;",
    )
    .say(
      "A fixed second for everybody is a thundering herd. I'd wait a random time up to twice the last one, capped at a minute, and start over only after the socket stayed open for ten seconds.",
    )
    .chores(4)
    .fails(
      "npm run load -- --clients 4000",
      "WebSocket is closed before the connection is established.\n  at reconnectLater (src/socket/connect.ts:31:9)\n2117 of 4000 clients open after 60 s",
    )
    .say("The timer of the old socket was still running and closed the new one. Now it is cleared first.")
    .run("npm run load -- --clients 4000", "4000 of 4000 clients open after 48 s")
    .name("Tablets storm the gateway");

const credentials = (createStory: CreateStory) =>
  createStory("credentials", "shop", "2026-06-03T09:31:15")
    .user(
      "Login from the new subdomain dies with:\n\nAccess to fetch at 'https://api.storefront.test/session' from origin 'https://next.storefront.test' has been blocked by CORS policy: The value of the 'Access-Control-Allow-Credentials' header in the response is '' which must be 'true' when the request's credentials mode is 'include'.",
    )
    .run(
      "curl -si -X OPTIONS https://api.storefront.test/session -H 'Origin: https://next.storefront.test' | head -8",
      "HTTP/2 204\naccess-control-allow-origin: https://next.storefront.test\naccess-control-allow-methods: GET, POST",
    )
    .say(
      "The preflight answers, but without the credentials header. The middleware only sends it for origins on the list in `allowed-origins.ts`, and `next.` is missing there.",
    )
    .edit(
      "src/http/allowed-origins.ts",
      '"https://www.storefront.test",',
      '"https://www.storefront.test",\n  "https://next.storefront.test",',
    )
    .chores(2)
    .say("Logging in from `next.` works; the cookie needs SameSite=None there, which it has.");

const grid = (createStory: CreateStory) =>
  createStory("grid", "field", "2025-07-22T10:20:02")
    .user(
      "The sidebar pushes the map out of the window as soon as a file name in it is long. See the screenshot.",
    )
    .read(
      "src/ui/layout.css",
      ".page { display: grid; grid-template-columns: 1fr 3fr; }\n.sidebar { overflow: auto; }",
    )
    .say(
      "A track of `1fr` never gets narrower than its content wants to be. `minmax(0, 1fr)` takes that lower bound away, and the ellipsis begins to work.",
    )
    .edit("src/ui/layout.css", "1fr 3fr", "minmax(0, 1fr) minmax(0, 3fr)")
    .chores(3)
    .user("great. and on Safari 15?")
    .say("The same; it is in the specification since 2017.");

const flake = (createStory: CreateStory) =>
  createStory("flake", "shop", "2026-02-17T11:48:50")
    .user(
      "The payment step is red in one of eight pipeline runs since Thursday. I can't get it to fail here.",
    )
    .run("gh run list --workflow e2e --limit 40 | grep -c failure", "5")
    .think("Five in forty. Compare the traces of a green and a red one.")
    .fails(
      "npx playwright test payment.spec.ts --repeat-each 50 --workers 4",
      "  3 failed\n    [chromium] › payment.spec.ts:41:3 › pays by card\n    Error: locator.click: Timeout 5000ms exceeded.\n      waiting for getByRole('button', { name: 'Pay now' })\n      element was detached from the DOM, retrying",
    )
    .say(
      "With four workers it does fail here: the button is replaced when the shipping price arrives, and the click hits the old one. Not a timeout that is too short, the page really does that to people, too.",
    )
    .edit(
      "src/checkout/PayButton.tsx",
      "key={shipping.price}",
      "",
      "The `key` makes React throw the button away with each price.",
    )
    .run("npx playwright test payment.spec.ts --repeat-each 200 --workers 4", "  200 passed (4.1m)")
    .chores(2)
    .name("Checkout flake hunt");

const chunks = (createStory: CreateStory) =>
  createStory("chunks", "shop", "2025-12-04T15:22:37")
    .user("First load went from 2 s to 5 s with the last release, what got so big?")
    .run(
      "npx webpack --profile --json | npx webpack-bundle-analyzer - --mode json | head -20",
      "vendors~main.js                3.1 MiB\n  node_modules/moment/locale   612 KiB  (137 modules)\n  node_modules/mapbox-gl       790 KiB\n  node_modules/core-js         201 KiB",
    )
    .say(
      "Two guests: every locale of moment, and the map, which only one page shows. Both landed in `vendors~main`.",
    )
    .user("split the map out then")
    .edit(
      "src/pages/Stores.tsx",
      'import { Map } from "../map/Map";',
      'const Map = lazy(() => import("../map/Map"));',
    )
    .chores(3)
    .user(
      "now customers with an open tab get this:\n\nChunkLoadError: Loading chunk 417 failed.\n(missing: https://cdn.storefront.test/417.3fa9c1.js)",
    )
    .say(
      "The release deletes the files of the one before, and an open tab asks for them. I keep the last five releases on the CDN, and reload once when a chunk is gone.",
    )
    .chores(2);

const refresh = (createStory: CreateStory) =>
  createStory("refresh", "field", "2026-03-09T07:55:21")
    .user("People are logged out at random, mostly with two tabs open.")
    .run(
      "grep invalid_grant auth.log | tail -3",
      '{"error":"invalid_grant","hint":"token reuse detected","client":"field-app"}\n{"error":"invalid_grant","hint":"token reuse detected","client":"field-app"}',
    )
    .say(
      "Both tabs wake up and refresh. Since January we rotate the refresh token at each use, so the second tab comes with a used one, and the server takes that for theft and ends the family.",
    )
    .user("can we just not do that?")
    .say(
      "We could, but it is there for a reason. Better: one tab refreshes under `navigator.locks`, the other waits and reads what it stored.",
    )
    .create(
      "src/auth/refresh-once.ts",
      'export const refreshOnce = () => navigator.locks.request("token", refreshIfOld);\n',
    )
    .chores(4)
    .say("Two tabs, one refresh. The hour-long soak had no logout.");

const cursors = (createStory: CreateStory) =>
  createStory("cursors", "ledger", "2026-05-11T12:00:10")
    .user("Exports skip rows when somebody books while the export runs. We page by OFFSET.")
    .say(
      "Each new booking shifts the rows below it by one, so the next page begins one too far. With keyset paging the page begins after the last row seen, whatever came in meanwhile.",
    )
    .create(
      "src/paging/PageCursorCodec.ts",
      "export class PageCursorCodec {\n  encode(last: { bookedAt: string; id: string }): string { return base64url(JSON.stringify(last)); }\n  decode(text: string) { return Cursor.parse(JSON.parse(fromBase64url(text))); }\n}\n",
      "The position goes over the wire as an opaque string.",
    )
    .edit("src/routes/bookings.ts", "OFFSET $2", "AND (booked_at, id) > ($2, $3)")
    .chores(3)
    .run(
      "npx vitest run src/paging",
      "✓ PageCursorCodec > survives a round trip\n✓ bookings > no row is skipped or doubled while others write\nTests  9 passed (9)",
    )
    .say("No row is skipped any more; an old client that sends `offset` gets a 400 that says what to use.");

const tenantLocale = (createStory: CreateStory) =>
  createStory("tenant-locale", "shop", "2025-09-16T14:14:14")
    .user("The Swiss tenant sees German prices with French labels. Where is the language chosen?")
    .run(
      "rg -n resolveTenantLocale src",
      "src/i18n/tenant.ts:8:export function resolveTenantLocale(tenant: Tenant, header?: string) {\nsrc/i18n/tenant.ts:31:  return resolveTenantLocale(tenant);\nsrc/pages/_app.tsx:22:  const locale = resolveTenantLocale(tenant, accept);",
    )
    .say(
      "`resolveTenantLocale` takes the header for labels, while prices ask the tenant alone. They disagree as soon as the browser prefers another of the tenant's languages.",
    )
    .edit("src/i18n/tenant.ts", "resolveTenantLocale(tenant)", "resolveTenantLocale(tenant, header)")
    .chores(5)
    .user("add a test with fr-CH in front of de-CH please")
    .run(
      "npx vitest run src/i18n",
      "✓ resolveTenantLocale > labels and prices agree for fr-CH, de-CH\nTests  12 passed (12)",
    );

const flush = (createStory: CreateStory) =>
  createStory("flush", "field", "2026-06-25T17:30:00")
    .user("Drafts are lost when a tablet runs out of battery. I thought feed.flush() runs every minute?")
    .read(
      "src/sync/feed.ts",
      "export const feed = { flush() { return outbox.drain(); }, pending: 0 };\nsetInterval(() => { if (navigator.onLine) feed.flush(); }, 60_000);",
    )
    .say(
      "It does, but only online: `if (navigator.onLine) feed.flush()`. In the field nobody is. Drafts have to go to IndexedDB first, whether there is a network or not.",
    )
    .edit(
      "src/sync/feed.ts",
      "if (navigator.onLine) feed.flush();",
      "void feed.save().then(() => navigator.onLine && feed.flush());",
    )
    .chores(3)
    .say("Pulled the plug on three tablets in the middle of a form: nothing lost.");

const heroImage = (createStory: CreateStory) =>
  createStory("hero-image", "shop", "2026-07-29T08:08:08")
    .user("Search console says we are slow on phones. Measure the start page on a bad 4G.")
    .run(
      "npx lighthouse https://www.storefront.test --preset=perf --throttling.rttMs=150",
      "Performance 41\n  First Contentful Paint     2.1 s\n  Largest Contentful Paint   6.2 s   <img src=hero-autumn.avif>\n  Total Blocking Time        310 ms\n  Cumulative Layout Shift    0.02",
    )
    .say(
      "One picture holds everything up. It is found late, since a script puts it there, and nobody told the browser that it matters.",
    )
    .edit("src/pages/index.tsx", "<Hero />", '<Hero fetchPriority="high" loading="eager" />')
    .chores(2)
    .run(
      "npx lighthouse https://www.storefront.test --preset=perf --throttling.rttMs=150",
      "Performance 83\n  Largest Contentful Paint   2.4 s",
    )
    .say("From 6.2 to 2.4 seconds.");

const feed = (createStory: CreateStory) =>
  createStory("feed", "field", "2025-11-13T10:44:19")
    .user("Scrolling back in the activity list jumps to the top when older items load.")
    .read(
      "src/activity/useInfiniteFeed.tsx",
      "export function useInfiniteFeed() {\n  const [items, setItems] = useState<Item[]>([]);\n  const older = () => load(items[0]?.id).then((more) => setItems([...more, ...items]));\n",
    )
    .edit(
      "src/activity/useInfiniteFeed.tsx",
      "setItems([...more, ...items])",
      "keepPlace(list.current, () => setItems([...more, ...items]))",
      "The list grows above the window, so the browser has to be told which row to keep still.",
    )
    .chores(2)
    .edit(
      "src/activity/useInfiniteFeed.tsx",
      "items[0]?.id",
      "oldest.current",
      "And two quick scrolls loaded the same page twice.",
    )
    .run("npx vitest run src/activity", "Tests  7 passed (7)")
    .say("It stays where it is now.");

const slowDashboard = (createStory: CreateStory) =>
  createStory("slow-dashboard", "pipeline", "2026-02-26T09:15:00")
    .user("🐌🐌🐌 the sales dashboard again. 40 seconds until the first chart.")
    .run(
      "psql -c 'explain analyze select * from sales_by_day'",
      "Seq Scan on sales  (cost=0.00..918220.11 rows=41203311)\nExecution Time: 38114.902 ms",
    )
    .say(
      "It adds up four years for each visitor. A materialized view, refreshed at night, holds 1,460 rows instead.",
    )
    .chores(2)
    .run("psql -c 'explain analyze select * from sales_by_day_mv'", "Execution Time: 3.118 ms")
    .say("The first chart is there after 0.4 s.");

/** A session, and a fork from its end about something else. */
function webhooks(createStory: CreateStory): StorySession[] {
  const first = createStory("webhooks", "ledger", "2026-01-08T13:13:00")
    .user("Half of the provider's webhooks are refused with 401 since we put the JSON parser in front.")
    .read(
      "src/webhooks/verify.ts",
      "const expected = hmac(secret, JSON.stringify(request.body));\nif (!timingSafeEqual(expected, signature)) return reply.code(401);",
    )
    .say(
      "The signature is over the raw bytes, and `JSON.stringify` of a parsed body gives other bytes as soon as there is a space or a 1.0 in it. Keep the raw body beside the parsed one and sign that.",
    )
    .edit("src/webhooks/verify.ts", "JSON.stringify(request.body)", "request.rawBody")
    .chores(2)
    .say("All 300 recorded deliveries verify.");
  const second = first
    .forkAs("webhooks-fork", "2026-01-09T08:30:00")
    .user("Different thing: log the delivery id of each event, too.")
    .edit("src/webhooks/log.ts", "log.info(event.type)", "log.info({ delivery: event.id }, event.type)")
    .chores(2)
    .say("Delivery ids are in the log.");
  return [first, second];
}

function photos(createStory: CreateStory): StorySession[] {
  const first = createStory("photos", "field", "2026-08-19T15:00:33")
    .user("Photos taken upright lie on their side in the report.")
    .run("exiftool -Orientation sample.jpg", "Orientation                     : Rotate 90 CW")
    .say(
      "The resizer drops the EXIF block, and with it the orientation. Rotate the pixels first, then drop it: `sharp(photo).rotate()` without an angle does just that.",
    )
    .edit("src/report/resize.ts", "sharp(photo).resize(1200)", "sharp(photo).rotate().resize(1200)")
    .say("All eight orientations come out upright.");
  const second = first
    .forkAs("photos-fork", "2026-08-20T10:00:00")
    .user("And can the captions wrap after two lines?")
    .edit("src/report/caption.css", "white-space: nowrap", "-webkit-line-clamp: 2")
    .chores(1)
    .say("They wrap, and end in three dots.");
  return [first, second];
}
