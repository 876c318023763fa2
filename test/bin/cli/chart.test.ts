import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { drawBars, drawCalendar, drawSparkline } from "../../../bin/cli/chart.ts";
import { isSafe } from "../../safe.ts";

const columns = fc.integer({ min: 0, max: 130 });
/** Labels in several scripts, wide characters, and terminal control characters. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("\x1b[31m", "\n", "\u202e", "本", "🧺", "👩‍👩‍👧", "e\u0301", "\x9b", "model"), {
      maxLength: 40,
    })
    .map((a) => a.join("")),
);
const value = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 1000 }),
  fc.constantFrom(0, Number.MIN_VALUE, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN, -1),
);

function expectToFit(lines: readonly string[], columns: number) {
  for (const line of lines) {
    expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).not.toContain("\n");
    expect(isSafe(line)).toBe(true);
  }
}

describe("bars", () => {
  const models = [
    { label: "claude-sonnet", value: 8, text: "$8.00" },
    { label: "gpt", value: 3.3, text: "$3.30" },
    { label: "free", value: 0, text: "$0.00" },
    { label: "tiny", value: 0.0001, text: "$0.00" },
  ];
  test("fill the columns, with labels at the right", () => {
    expect(drawBars(models, 40)).toEqual([
      "claude-sonnet ████████████████████ $8.00",
      "gpt           ████████▎            $3.30",
      "free                               $0.00",
      "tiny          ▏                    $0.00",
    ]);
  });
  test("labels shrink first, then the bars", () => {
    expect(drawBars(models, 20)).toEqual([
      "claud… ███████ $8.00",
      "gpt    ██▉     $3.30",
      "free           $0.00",
      "tiny   ▏       $0.00",
    ]);
    expect(drawBars(models, 8)).toEqual(["$8.00 c…", "$3.30 g…", "$0.00 f…", "$0.00 t…"]);
  });
  test("are empty for values of 0, and missing without rows", () => {
    const none = models.map((row) => ({ ...row, value: 0 }));
    expect(drawBars(none, 24)[0]).toBe("claude-…           $8.00");
    expect(drawBars([], 40)).toEqual([]);
  });
  test("can be colored without changing their width", () => {
    const red = (bar: string) => `\x1b[31m${bar}\x1b[39m`;
    expect(drawBars(models, 40, red)[1]).toBe("gpt           \x1b[31m████████▎\x1b[39m            $3.30");
    expect(drawBars(models, 40, red).map((line) => stringWidth(line))).toEqual([40, 40, 40, 40]);
  });
  test("fit any number of columns, with any labels, values and texts", () => {
    const rows = fc.array(
      fc.record({ label: hostile, value, text: fc.oneof(fc.string({ maxLength: 12 }), hostile) }),
    );
    fc.assert(
      fc.property(rows, columns, (rows, columns) => {
        const lines = drawBars(rows, columns);
        expect(lines.length).toBe(rows.length);
        expectToFit(lines, columns);
      }),
      { numRuns: 400 },
    );
  });
  test("are as long as their values, rounded to an eighth of a column", () => {
    const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (values) => {
        const most = Math.max(...values);
        drawBars(
          values.map((value) => ({ label: "a", value, text: "" })),
          43,
        ).forEach((line, n) => {
          const bar = line.slice(2);
          const eighths = [...bar].reduce((sum, sign) => sum + " ▏▎▍▌▋▊▉█".indexOf(sign), 0);
          const value = values[n] as number;
          expect(eighths).toBe(
            most === 0 ? 0 : Math.max(value > 0 ? 1 : 0, Math.round((value / most) * 40 * 8)),
          );
        });
      }),
    );
  });
});

describe("a sparkline", () => {
  test("has one column per value, and any positive value is above the base line", () => {
    expect(drawSparkline([0, 1, 2, 3, 4, 5, 6, 7, 0, 0.01], 40)).toBe("▁▂▃▄▅▆▇█▁▂");
    expect(drawSparkline([0, 0, 0], 40)).toBe("▁▁▁");
    expect(drawSparkline([5], 40)).toBe("█");
  });
  test("sums values if there are more than columns, with complete sums at the end", () => {
    expect(drawSparkline([7, 1, 1, 3, 4], 3)).toBe("█▃█"); // 7, 1 + 1, 3 + 4
    expect(drawSparkline(Array(100).fill(1), 50)).toBe("█".repeat(50));
  });
  test("is empty without values", () => {
    expect(drawSparkline([], 40)).toBe("");
    expect(drawSparkline([1, 2], 0)).toBe("");
  });
  test("fits any number of columns, and shows every positive sum", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), columns, (values, columns) => {
        const line = drawSparkline(values, columns);
        expectToFit([line], columns);
        expect(line).toMatch(/^[▁▂▃▄▅▆▇█]*$/);
        if (columns > 0) expect(line.includes("█")).toBe(values.some((value) => value > 0));
      }),
      { numRuns: 400 },
    );
  });
});

describe("a calendar", () => {
  const january = new Map([
    ["2026-01-01", 1],
    ["2026-01-07", 2],
    ["2026-01-14", 3],
    ["2026-01-31", 4],
    ["2026-02-02", 0],
  ]);
  const monday = { weekStart: "monday", columns: 40 } as const;

  test("has one column per week, one row per weekday, months above and a legend below", () => {
    expect(drawCalendar(january, { ...monday, from: "2026-01-01", until: "2026-02-03" })).toEqual([
      "    Jan     Feb",
      "Mon   · · · · ·",
      "Tue   · · · · ·",
      "Wed   ▒ ▓ · ·",
      "Thu ░ · · · ·",
      "Fri · · · · ·",
      "Sat · · · · █",
      "Sun · · · · ·",
      "2026-01-01 to 2026-02-03",
      "less · ░ ▒ ▓ █ more",
    ]);
  });
  test("weeks begin on the given day", () => {
    const lines = drawCalendar(january, {
      weekStart: "sunday",
      columns: 80,
      from: "2026-01-01",
      until: "2026-01-31",
    });
    expect(lines.slice(1, 8).map((line) => line.slice(0, 3))).toEqual([
      "Sun",
      "Mon",
      "Tue",
      "Wed",
      "Thu",
      "Fri",
      "Sat",
    ]);
    expect(lines[7]).toBe("Sat · · · · █");
    expect(lines[8]).toBe("2026-01-01 to 2026-01-31   less · ░ ▒ ▓ █ more");
  });
  test("of a year fits 60 columns, and 40 show its newest weeks", () => {
    const year = { weekStart: "monday", from: "2025-08-01", until: "2026-07-31" } as const;
    const whole = drawCalendar(january, { ...year, columns: 60 });
    expect(whole[0]).toBe("    Aug  Sep Oct Nov  Dec Jan Feb Mar  Apr May  Jun Jul");
    expect(whole.at(-1)).toMatch(/^2025-08-01 to 2026-07-31 {3}less/);
    const narrow = drawCalendar(january, { ...year, columns: 40 });
    expect(narrow.at(-2)).toBe("2025-11-24 to 2026-07-31");
    expect(stringWidth(narrow[1] as string)).toBe(40);
  });
  test("of one day is one character", () => {
    const lines = drawCalendar(january, { ...monday, from: "2026-01-31", until: "2026-01-31" });
    expect(lines.filter((line) => /[·░▒▓█]/.test(line))).toEqual(["Sat █", "less · ░ ▒ ▓ █ more"]);
  });
  test("of years without values has only dots", () => {
    const lines = drawCalendar(new Map(), { ...monday, from: "1990-01-01", until: "2026-01-31" });
    expect(lines[1]).toBe(`Mon ${"·".repeat(36)}`);
  });
  test("that ends before it starts has no lines, and an invalid date throws", () => {
    expect(drawCalendar(january, { ...monday, from: "2026-01-02", until: "2026-01-01" })).toEqual([]);
    expect(() => drawCalendar(january, { ...monday, from: "soon", until: "2026-01-01" })).toThrow(RangeError);
  });

  const dayText = fc
    .oneof(
      fc.integer({ min: 15_000, max: 25_000 }),
      fc.integer({ min: -1e8, max: 1e8 }),
      fc.constantFrom(-1e8, 1e8),
    )
    .map((day) => new Date(day * 86_400_000).toISOString().split("T")[0] as string);
  const weekStart = fc.constantFrom("monday", "thursday", "saturday", "sunday" as const);
  test("fits any number of columns, with any days", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(dayText, value)),
        dayText,
        dayText,
        weekStart,
        columns,
        (days, from, until, weekStart, columns) => {
          expectToFit(drawCalendar(new Map(days), { weekStart, columns, from, until }), columns);
        },
      ),
      { numRuns: 400 },
    );
  });
  test("shows every day once if all weeks fit", () => {
    const first = fc.integer({ min: -1e6, max: 1e6 });
    fc.assert(
      fc.property(first, fc.integer({ min: 0, max: 500 }), weekStart, (first, more, weekStart) => {
        const date = (day: number) => new Date(day * 86_400_000).toISOString().split("T")[0] as string;
        const lines = drawCalendar(new Map(), {
          weekStart,
          columns: 80,
          from: date(first),
          until: date(first + more),
        });
        const signs = lines.slice(1, 8).join("").replaceAll(/[^·]/g, "");
        expect(signs.length).toBe(more + 1);
      }),
    );
  });
});
