/** Days at a web shop. */
import {
  answer,
  back,
  bash,
  compact,
  edit,
  failing,
  failure,
  grep,
  label,
  mark,
  missing,
  model,
  read,
  say,
  shell,
  story,
  subagent,
  think,
  user,
  write,
} from "./telling.ts";

export const SHOP = [
  story({
    project: "shop",
    vary: {
      place: ["checkout", "the basket page", "refunds", "the invoice mail", "gift cards"],
      case: ["with two tax rates", "in net prices", "for orders from Austria", "with a coupon"],
    },
    name: ({ place, case: when }) => `Fix the double tax at ${place}, ${when}`,
    tags: ["bug", "money"],
    tell: ({ place, case: when }, n) => [
      user(
        `Customers are charged double tax at ${place} ${when}: 141.61 where it should be 119.00. It began with this week's release. Please find out why.`,
      ),
      think(
        "141.61 is 119.00 × 1.19: the tax is applied to an amount that already holds it. I should run the tests first, then look at who calls taxOf.",
      ),
      say("I'll run the tests first."),
      failing("npx vitest run tests/totals.test.ts", [
        "FAIL tests/totals.test.ts > total of a basket with tax",
        "AssertionError: expected 141.61 to be 119",
        " ❯ tests/totals.test.ts:14:25",
        "",
        `Tests  1 failed | ${n(20, 60)} passed`,
      ]),
      say("141.61 is 119.00 × 1.19, so the tax seems to be added twice. Who calls it?"),
      grep("taxOf\\(", "src", [
        "src/totals.ts:9:  const gross = net + taxOf(net, country);",
        "src/totals.ts:10:  return roundToCents(gross + taxOf(gross, country));",
        "src/mail/invoice.ts:31:  const tax = taxOf(order.net, order.country);",
      ]),
      read("src/tax.ts", [
        "const RATES: Record<Country, number> = { DE: 0.19, AT: 0.2, NL: 0.21 };",
        "",
        "/** The tax on a net amount. */",
        "export function taxOf(net: number, country: Country): number {",
        "  return net * (RATES[country] ?? RATES.DE);",
        "}",
      ]),
      say("There it is: `gross` already holds the tax."),
      edit(
        "src/totals.ts",
        "  return roundToCents(gross + taxOf(gross, country));",
        "  return roundToCents(gross);",
        10,
      ),
      say("So that it stays fixed, `taxOf` takes a type that only a net amount has."),
      edit(
        "src/tax.ts",
        "export function taxOf(net: number, country: Country): number {",
        "export function taxOf(net: Net, country: Country): Tax {",
        4,
      ),
      bash("npx vitest run", [` Test Files  ${n(9, 30)} passed`, `      Tests  ${n(64, 240)} passed`]),
      answer(
        "Fixed. The total added the tax to an amount that already held it.",
        "",
        "| | net | tax | total |",
        "| --- | ---: | ---: | ---: |",
        "| before | 100.00 | 41.61 | 141.61 |",
        "| now | 100.00 | 19.00 | **119.00** |",
        "",
        "- `src/totals.ts`: the second `taxOf` is gone",
        "- `src/tax.ts`: takes a `Net`, so a gross amount does not compile any more",
        "",
        "The line came with commit `4be21f0`, which moved rounding into `roundToCents`.",
      ),
      label("tax fixed"),
      user("How many orders were charged wrongly?"),
      bash(
        "psql shop -c \"select count(*), sum(total - expected_total) from orders where created_at > 'this monday'\"",
        [" count |   sum", "-------+---------", `    ${n(11, 60)} | ${n(300, 900)}.${n(10, 99)}`],
      ),
      answer(
        "I wrote the ids to `tmp/overcharged.csv`; the refund job takes that file as it is. Nothing was refunded yet.",
      ),
      shell(
        "git commit -am 'Add the tax once'",
        "[fix/double-tax 9d01c7e] Add the tax once\n 2 files changed, 3 insertions(+), 3 deletions(-)",
      ),
    ],
    fork: ({ place, case: when }, n) => ({
      name: `Count money in cents at ${place}, ${when}`,
      steps: [
        user("Before we go on: does roundToCents round 1.005 correctly?"),
        bash("node -e 'console.log(Math.round(1.005 * 100) / 100)'", "1"),
        write("src/cents.ts", [
          "/** Money is counted in whole cents. */",
          "export const cents = (euros: string): number => Number(euros.replace('.', ''));",
        ]),
        bash("npx vitest run", ` Tests  ${n(70, 250)} passed`),
        answer("It doesn't: 1.005 becomes 1. Prices are whole cents now, from the database to the page."),
      ],
    }),
  }),

  story({
    project: "shop",
    vary: {
      service: ["PostgreSQL", "Redis", "the mail relay", "the search service"],
      moment: ["after the deploy", "since last night", "every few minutes", "under load"],
    },
    tags: ["incident"],
    tell: ({ service, moment }, n) => [
      user(
        `Production: orders fail ${moment}, the log says it cannot reach ${service}. Customers see an error page. Quickly please.`,
      ),
      say("First the log, then the connection itself."),
      failing("ssh shop-1 'journalctl -u shop -n 5 --no-pager'", [
        `shop[812]: Error: connect ECONNREFUSED 10.0.4.${n(10, 40)}:${n(5000, 6500)}`,
        "shop[812]:     at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16)",
        "shop[812]:   errno: -111, code: 'ECONNREFUSED', syscall: 'connect'",
        `shop[812]: POST /orders 500 in ${n(4, 30)} ms`,
      ]),
      think(
        "Refused, not timed out: the host answers but nothing listens on that port. Either the service is down or it listens on another address.",
      ),
      bash("ssh shop-2 'ss -ltn | head'", [
        "State   Recv-Q  Send-Q   Local Address:Port",
        "LISTEN  0       511          127.0.0.1:6379",
        "LISTEN  0       244          127.0.0.1:5432",
      ]),
      say(
        `It runs, but listens on 127.0.0.1 only. The role that was applied ${moment} wrote a new configuration.`,
      ),
      read("deploy/listen.conf", ["# managed by ansible", "bind 127.0.0.1"]),
      edit("deploy/listen.conf", "bind 127.0.0.1", "bind 127.0.0.1 10.0.4.12", 2),
      bash(
        "ansible-playbook deploy/site.yml --limit shop-2 --tags listen",
        "shop-2 : ok=7 changed=2 unreachable=0 failed=0",
      ),
      bash("curl -sS -o /dev/null -w '%{http_code}\\n' https://shop.example/health", "200"),
      answer(
        "Orders go through again.",
        "",
        `1. **Cause**: ${service} listened on 127.0.0.1 alone; the default of the new role says so.`,
        `2. **Impact**: ${n(4, 40)} orders failed with ECONNREFUSED; none was charged.`,
        "3. **Next**: the health check looks at the page, not at what the page needs. I would let it ask both.",
      ),
      user("Do 3, and write it down for the others."),
      write("docs/incidents/listen-address.md", [
        `# ${service} could not be reached`,
        "",
        "What happened: a role was applied whose default binds to localhost.",
        "How we saw it: ECONNREFUSED in the log of the shop.",
        "What we changed: /health asks the database and the cache, and answers 503 if one is away.",
      ]),
      answer(
        "`/health` answers 503 when the database or the cache cannot be reached, and the page is in `docs/incidents/`.",
      ),
    ],
  }),

  story({
    project: "shop",
    vary: {
      list: ["order history", "product list", "category page", "wish list", "admin's order table"],
      time: ["900 ms", "2.3 s", "1.4 s"],
    },
    tags: ["performance"],
    tell: ({ list, time }, n) => [
      user(`The ${list} takes ${time} for customers with many orders. Where does the time go?`),
      bash("npx tsx scripts/trace.ts --page list --customer 4411", [
        `queries ${n(120, 400)}`,
        `  select * from order_items where order_id = $1   × ${n(100, 390)}`,
        "  select * from orders where customer_id = $1     × 1",
      ]),
      think("A query per row. One join, or one query with any($1), would do."),
      read("src/db/lists.ts", [
        "export async function rowsOf(customer: number) {",
        "  const orders = await db.query(ORDERS, [customer]);",
        "  for (const order of orders) order.items = await db.query(ITEMS, [order.id]);",
        "  return orders;",
        "}",
      ]),
      mark("question"),
      user("Try a join first."),
      edit(
        "src/db/lists.ts",
        "  for (const order of orders) order.items = await db.query(ITEMS, [order.id]);",
        "  const rows = await db.query(ORDERS_WITH_ITEMS, [customer]);",
        3,
      ),
      bash(
        "npx tsx scripts/trace.ts --page list --customer 4411",
        `queries 1\n  ${n(180, 320)} ms, 4.1 MB from the database`,
      ),
      answer(
        "One query, but each order's columns come once per item: 4.1 MB for one page. Better, not good.",
      ),
      label("join: too much data"),
      back(
        "question",
        "## Tried",
        "A join of orders and items: one query, but 4.1 MB a page, because each order is repeated for each of its items.",
      ),
      model("opus"),
      user("Then two queries: the orders, and all their items at once."),
      edit(
        "src/db/lists.ts",
        "  for (const order of orders) order.items = await db.query(ITEMS, [order.id]);",
        [
          "  const items = await db.query(ITEMS_OF_ORDERS, [orders.map(({ id }) => id)]);",
          "  attach(orders, items);",
        ],
        3,
      ),
      bash(
        "npx tsx scripts/trace.ts --page list --customer 4411",
        `queries 2\n  ${n(18, 45)} ms, 210 kB from the database`,
      ),
      answer(
        `Two queries, ${time} down to about 30 ms:`,
        "",
        "```sql",
        "select * from order_items where order_id = any($1) order by order_id, position",
        "```",
        "",
        "The index on `order_items(order_id)` was there already.",
      ),
      label("two queries"),
    ],
    fork: ({ list, time }, n) => ({
      name: `Page the ${list} (${time}) by key instead of offset`,
      steps: [
        user("While we are here: page 400 is slow too. Use the last key instead of an offset?"),
        edit("src/db/lists.ts", "limit $2 offset $3", "and id < $2 order by id desc limit $3", 21),
        bash("npx vitest run tests/lists.test.ts", ` Tests  ${n(12, 30)} passed`),
        answer(
          "Page 400 costs as much as page 1 now. Links with `?page=` still work: they are answered with a redirect.",
        ),
      ],
    }),
  }),

  story({
    project: "shop",
    vary: {
      test: ["checkout.e2e", "stock-reservation", "session-expiry", "webhook-retry"],
      rate: ["one run in ten", "on CI only", "about once a day", "on slow machines"],
    },
    name: ({ test, rate }) => `Flaky: ${test} (${rate})`,
    tags: ["tests", "flaky"],
    tell: ({ test, rate }, n) => [
      user(`tests/${test}.test.ts is flaky: it fails ${rate}. Don't add retries, find the race.`),
      failing(`for i in $(seq 1 40); do npx vitest run tests/${test}.test.ts || break; done`, [
        `run ${n(8, 35)}: FAIL tests/${test}.test.ts > is done within the deadline`,
        "Error: Test timed out in 5000ms.",
      ]),
      read(`tests/${test}.test.ts`, [
        "test('is done within the deadline', async () => {",
        "  const job = startJob();",
        "  await sleep(50);",
        "  clock.advance(60_000);",
        "  expect(await job).toBe('done');",
        "});",
      ]),
      think(
        "The sleep of 50 ms is meant to let the job set its timer. On a slow machine the clock advances before the timer is there, and then nothing ever fires.",
      ),
      edit(
        `tests/${test}.test.ts`,
        ["  await sleep(50);", "  clock.advance(60_000);"],
        ["  await clock.whenWaitedFor();", "  clock.advance(60_000);"],
        3,
      ),
      bash(
        `for i in $(seq 1 200); do npx vitest run tests/${test}.test.ts || break; done | tail -1`,
        "run 200: 6 passed",
      ),
      answer(
        "It was the test: it slept 50 ms and hoped that the job had set its timer by then. Now it waits until somebody waits for the clock.",
        "",
        "200 runs in a row pass, also with `stress --cpu 8` beside them.",
      ),
    ],
  }),

  story({
    project: "shop",
    vary: {
      from: ["Express", "the old session middleware", "Joi", "moment"],
      part: ["the basket routes", "the account routes", "the admin routes", "the webhooks"],
    },
    tags: ["migration"],
    tell: ({ from, part }, n) => [
      user(
        `Move ${part} away from ${from}, one file at a time, tests green after each. Where would you begin?`,
      ),
      bash("git ls-files src/routes | xargs wc -l | tail -1", `${n(900, 2900)} total`),
      answer(
        "With the file that has the best tests. I go in this order:",
        "",
        "1. `basket.ts`",
        "2. `orders.ts`",
        "3. `account.ts`",
        "4. what is left",
      ),
      user("Good. Go on until it is done."),
      ...["basket", "orders", "account"].flatMap((file, index) => [
        read(`src/routes/${file}.ts`, [
          `router.get('/${file}', async (request, response) => {`,
          "  response.json(await load(request));",
          "});",
        ]),
        edit(
          `src/routes/${file}.ts`,
          `router.get('/${file}', async (request, response) => {`,
          `app.get('/${file}', async (context) => {`,
          n(4, 40),
        ),
        index === 1
          ? failing("npm test", `FAIL tests/${file}.test.ts\nTypeError: response.json is not a function`)
          : bash("npm test", ` Tests  ${n(180, 260)} passed`),
        ...(index === 1
          ? [
              edit(
                `src/routes/${file}.ts`,
                "  response.json(await load(request));",
                "  return context.json(await load(context));",
                18,
              ),
              bash("npm test", " Tests  231 passed"),
            ]
          : []),
      ]),
      compact(
        "## Goal",
        `Move ${part} away from ${from}, tests green after each file.`,
        "## Done",
        "basket.ts, orders.ts, account.ts",
        "## Next",
        "What is left in src/routes, then remove the package.",
      ),
      user("What is left?"),
      grep(
        from === "Express" ? "from 'express'" : (from.split(" ").at(-1) ?? from),
        "src",
        "src/server.ts:3: the last one",
      ),
      bash("npm uninstall express && npm test", `removed ${n(20, 64)} packages\n\n Tests  231 passed`),
      answer(`${from} is gone from ${part}. The bundle is ${n(90, 400)} kB smaller.`),
    ],
  }),

  story({
    project: "shop",
    vary: {
      thing: ["coupons", "gift wrapping", "pre-orders", "saved addresses", "bulk discounts"],
      rule: ["that end at midnight", "once per customer", "for members only"],
    },
    name: ({ thing, rule }) => `Feature: ${thing} ${rule}`,
    tags: ["feature"],
    tell: ({ thing, rule }, n) => [
      user(`We want ${thing} ${rule}. Make a plan before you write code.`),
      think(
        "What is a rule of the domain, what of the page? The server has to check it again at checkout, whatever the page showed.",
      ),
      answer(
        `A plan for ${thing} ${rule}:`,
        "",
        "- [ ] a table, with a migration that can be taken back",
        "- [ ] the rule in `src/domain/`, without a database",
        "- [ ] checked at checkout once more, in the transaction",
        "- [ ] the page says why, if it doesn't apply",
        "",
        "Open question: midnight where? I would take the shop's time zone, not the customer's.",
      ),
      user("The shop's. Go ahead."),
      write("migrations/0042_rules.sql", [
        "create table rules (",
        "  id bigint generated always as identity primary key,",
        "  code text not null unique,",
        "  ends_at timestamptz,",
        "  uses_left int check (uses_left >= 0)",
        ");",
      ]),
      write("src/domain/rules.ts", [
        "export function applies(rule: Rule, now: Date): boolean {",
        "  return (rule.endsAt === null || now < rule.endsAt) && rule.usesLeft !== 0;",
        "}",
      ]),
      failing("npm test", [
        "FAIL tests/rules.test.ts > two at once use the last one only once",
        "AssertionError: expected 2 to be 1",
      ]),
      say("Two requests at once read the same count. The update has to be the check."),
      edit(
        "src/db/rules.ts",
        "update rules set uses_left = $2 where id = $1",
        "update rules set uses_left = uses_left - 1 where id = $1 and uses_left > 0 returning id",
        n(8, 30),
      ),
      bash("npm test", ` Tests  ${n(200, 320)} passed`),
      answer(
        `Done: ${thing} ${rule}. The last one is used once, even by two requests at the same moment; there is a test with ${n(8, 20)} of them.`,
      ),
    ],
  }),

  story({
    project: "shop",
    vary: {
      part: ["product card", "header", "order summary", "cookie banner", "footer"],
      width: ["320 px", "a phone held sideways", "200 % zoom"],
    },
    tags: ["css"],
    tell: ({ part, width }, n) => [
      user(`At ${width} the ${part} overflows and the page scrolls sideways. Only CSS please.`),
      missing("src/styles/main.css"),
      bash("git ls-files '*.css'", ["styles/base.css", "styles/grid.css", "styles/parts.css"]),
      read("styles/parts.css", [
        ".part {",
        "  display: flex;",
        "  min-width: 360px;",
        "  white-space: nowrap;",
        "}",
      ]),
      edit(
        "styles/parts.css",
        ["  min-width: 360px;", "  white-space: nowrap;"],
        ["  flex-wrap: wrap;", "  min-width: 0;", "  overflow-wrap: anywhere;"],
        n(20, 140),
      ),
      bash("npx playwright test --grep @layout", `  ${n(12, 40)} passed (${n(8, 30)}.4s)`),
      answer(
        `The ${part} had a fixed minimum of 360 px, and flex items don't shrink below their content unless told to:`,
        "",
        "```css",
        ".part {",
        "  flex-wrap: wrap;",
        "  min-width: 0;",
        "  overflow-wrap: anywhere;",
        "}",
        "```",
      ),
    ],
  }),

  story({
    project: "shop",
    vary: {
      mail: ["order confirmations", "password mails", "shipping notices", "newsletters"],
      trouble: ["arrive twice", "arrive hours late", "end in spam"],
    },
    name: ({ mail, trouble }) => `${mail[0]?.toUpperCase()}${mail.slice(1)} ${trouble}`,
    tags: ["mail", "bug"],
    tell: ({ mail, trouble }, n) => [
      user(`Customers say that ${mail} ${trouble}. Let the scout find every place that sends mail first.`),
      subagent(
        "scout",
        "find every place that sends mail",
        "haiku",
        [
          bash("grep -rln sendMail src", "src/order/confirm.ts\nsrc/account/reset.ts"),
          read("src/order/confirm.ts", [
            "await sendMail(order.email, render(order));",
            "await queue.done(job);",
          ]),
        ],
        "Two files send mail: src/order/confirm.ts and src/account/reset.ts. Both send before the job is marked as done.",
      ),
      think(
        "If the process ends between sending and marking, the job is run again and the mail is sent again. An idempotency key for the relay solves that.",
      ),
      edit(
        "src/order/confirm.ts",
        "await sendMail(order.email, render(order));",
        "await sendMail(order.email, render(order), { key: 'order-' + order.id });",
        n(10, 40),
      ),
      failure("overloaded_error: the provider is at its limit, try again later"),
      user("go on"),
      edit(
        "src/account/reset.ts",
        "await sendMail(user.email, body);",
        "await sendMail(user.email, body, { key: token });",
        17,
      ),
      bash("npm test", ` Tests  ${n(180, 260)} passed`),
      answer(
        "Each mail has a key now, and the relay drops what it has seen. That also explains the delays: the queue was busy with repeats.",
      ),
    ],
  }),
];
