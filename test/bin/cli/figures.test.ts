import { expect, test } from "vitest";
import { formatFurtherFigures } from "../../../bin/cli/figures.ts";
import type { Io } from "../../../bin/cli/io.ts";
import type { Figures } from "../../../library/index.ts";

test("further figures break between facts on a narrow terminal", () => {
  const io = { columns: 60, style: (_: string, text: string) => text } as unknown as Io;
  const figures = {
    costPerMessageUsd: 0.0778,
    toolFailureRate: 0.04,
    compactions: 2,
    modelMs: 6_300_000,
    userMs: 0,
    toolMs: 552_000,
  } as Figures;
  expect(formatFurtherFigures(io, figures)).toBe(
    "$0.0778/response · 4% of calls failed · 2 compactions\nwaited 1h45m for models, 9m12s for tools\n",
  );
});
