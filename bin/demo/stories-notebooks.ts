/** Numbers looked at. */
import {
  answer,
  back,
  bash,
  edit,
  failing,
  label,
  mark,
  model,
  read,
  story,
  think,
  user,
  write,
} from "./telling.ts";

export const NOTEBOOKS = [
  story({
    project: "notebooks",
    vary: {
      figure: ["revenue", "returning customers", "average basket", "refund rate", "margin"],
      month: ["March", "April", "June", "September"],
    },
    tags: ["data"],
    tell: ({ figure, month }, n) => [
      user(`The ${figure} for ${month} is twice what the accountant has. Which of us is wrong?`),
      read("sales/monthly.py", [
        "orders = load('orders')",
        "items = load('order_items')",
        "joined = orders.merge(items, on='order_id')",
        "print(joined.groupby('month').total.sum())",
      ]),
      think(
        "The join repeats an order for each of its items, and then sums the order's total. That is the double count.",
      ),
      bash("python -m sales.check --month latest", [
        `orders            ${n(900, 1900)}`,
        `rows after merge  ${n(2100, 4000)}`,
        "total             × 2.1",
      ]),
      edit(
        "sales/monthly.py",
        "print(joined.groupby('month').total.sum())",
        "print(orders.groupby('month').total.sum())",
        4,
      ),
      bash("pytest -q", `${n(20, 60)} passed in ${n(1, 6)}.${n(10, 99)}s`),
      answer(
        "We are. Orders with several items were counted once per item:",
        "",
        "```python",
        "joined = orders.merge(items, on='order_id', validate='one_to_many')",
        "```",
        "",
        `With \`validate\` pandas would have told us. ${month} agrees with the books to the cent now.`,
      ),
    ],
    fork: ({ figure, month }, n) => ({
      name: `Check every merge for repeats (${figure}, ${month})`,
      steps: [
        user("Look for the same mistake in the other notebooks."),
        bash("grep -rn 'merge(' --include=*.py . | grep -v validate | wc -l", String(n(9, 24))),
        edit(
          "sales/cohorts.py",
          "users.merge(visits, on='user')",
          "users.merge(visits, on='user', validate='one_to_many')",
          n(10, 40),
        ),
        failing("pytest -q", "pandas.errors.MergeError: Merge keys are not unique in left dataset"),
        answer(
          "One more: `cohorts.py` had users twice who changed their address. The chart of last quarter was 4 % too high.",
        ),
      ],
    }),
  }),

  story({
    project: "notebooks",
    vary: {
      data: ["the click log", "three years of orders", "the tracking events", "server logs"],
      limit: ["runs out of memory", "takes 40 minutes", "kills the kernel"],
    },
    name: ({ data, limit }) => `${data[0]?.toUpperCase()}${data.slice(1)}: ${limit}`,
    tags: ["data", "performance"],
    tell: ({ data, limit }, n) => [
      user(`Reading ${data} ${limit} since it has more than ten million rows. What else can we use?`),
      failing("python traffic/load.py", [
        "MemoryError: Unable to allocate 5.21 GiB for an array with shape (14, 49921033)",
        "Killed",
      ]),
      answer(
        "Two ways: types that fit (categories, 32 bits), or a database that doesn't load it all. I would measure both.",
      ),
      mark("ways"),
      user("Types first."),
      edit(
        "traffic/load.py",
        "pd.read_csv(path)",
        "pd.read_csv(path, dtype=DTYPES, usecols=COLUMNS)",
        n(8, 20),
      ),
      bash("/usr/bin/time -f '%M kB %e s' python traffic/load.py", `${n(2, 4)}911240 kB ${n(140, 320)} s`),
      answer("It fits, but takes minutes, and next year it won't fit again."),
      label("types: only for a year"),
      back("ways", "## Tried", "Narrow types in pandas: fits into 4 GB, still minutes."),
      user("Then DuckDB over Parquet."),
      write("traffic/load.sql", [
        "create view visits as",
        "select * from read_parquet('data/visits/*.parquet');",
        "select date_trunc('week', at) as week, count(distinct visitor) from visits group by 1;",
      ]),
      bash(
        "/usr/bin/time -f '%M kB %e s' duckdb < traffic/load.sql",
        `${n(280, 600)}112 kB ${n(2, 6)}.${n(1, 9)} s`,
      ),
      answer(
        "DuckDB over Parquet: seconds, and under 1 GB.",
        "",
        "| | memory | time |",
        "| --- | ---: | ---: |",
        "| pandas | killed | |",
        "| pandas, narrow types | 3.9 GB | 4 min |",
        "| **DuckDB** | 0.5 GB | 4 s |",
      ),
    ],
  }),

  story({
    project: "notebooks",
    vary: {
      chart: ["weekly visitors", "sales by hour", "shipping times", "newsletter sign-ups"],
      trouble: ["has a hole in March", "peaks at 2 in the morning", "ends a day early"],
    },
    tags: ["data", "bug"],
    tell: ({ chart, trouble }, n) => [
      user(`The chart of ${chart} ${trouble}. Is that real?`),
      bash("python -m charts.raw --around gap | head -4", [
        "2026-03-29 01:59:58+01:00",
        "2026-03-29 03:00:04+02:00",
        "2026-03-29 03:00:09+02:00",
      ]),
      think(
        "Daylight saving time. The rows are localised after they were cut into hours, so an hour is missing and another one is counted twice.",
      ),
      model("gemini"),
      user("So not real. Fix it where it belongs."),
      edit(
        "charts/time.py",
        "df.at.dt.floor('h').dt.tz_localize('Europe/Berlin')",
        "df.at.dt.tz_convert('UTC').dt.floor('h')",
        n(10, 60),
      ),
      bash("pytest -q charts", `${n(8, 30)} passed in 0.${n(10, 99)}s`),
      answer(
        "Not real: it was the change of the clocks. Hours are cut in UTC now, and only the axis is in local time.",
      ),
    ],
  }),

  story({
    project: "notebooks",
    vary: {
      question: [
        "which products are bought together",
        "who comes back after a refund",
        "what a late parcel costs us",
        "whether free shipping pays",
      ],
      period: ["last quarter", "this year", "before and after the new checkout"],
    },
    tags: ["analysis"],
    tell: ({ question, period }, n) => [
      user(`I want to know ${question}, ${period}. Short answer first, then how sure we can be.`),
      bash("duckdb shop.duckdb -c 'select count(*) from orders'", String(n(18_000, 62_000))),
      write("analysis/question.sql", [
        "with pairs as (",
        "  select a.product as one, b.product as other, count(*) as times",
        "  from order_items a join order_items b using (order_id)",
        "  where a.product < b.product group by all",
        ")",
        "select * from pairs order by times desc limit 20;",
      ]),
      failing(
        "duckdb shop.duckdb < analysis/question.sql",
        'Binder Error: Referenced column "product" not found in FROM clause! Candidate: product_id',
      ),
      edit(
        "analysis/question.sql",
        "a.product as one, b.product as other",
        "a.product_id as one, b.product_id as other",
        2,
      ),
      bash("duckdb shop.duckdb < analysis/question.sql | head -5", [
        "one │ other │ times",
        "412 │ 418   │   377",
        "101 │ 412   │   205",
      ]),
      answer(
        `**Short**: yes, about ${n(4, 19)} %.`,
        "",
        `**How sure**: ${n(300, 900)} cases in that period, so between half and twice that. I would not decide a price on it; I would run it as a test for four weeks.`,
        "",
        "The query is in `analysis/question.sql`; it runs in a second.",
      ),
    ],
  }),
];
