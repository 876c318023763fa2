import { join } from "node:path";
import { expect, test } from "vitest";
import { suggestValues } from "../../../bin/actions/unmatched-values.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

test("values are explained up to a limit: a pasted query may have hundreds", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  session({ id: "one", cwd: "/home/ada/shop-front" }).user("Why?").writeUnder(root);
  await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  await index.sync();
  const query = ["shop", ...Array.from({ length: 300 }, (_, n) => `unknown${n}`)]
    .map((name) => `project:${name}`)
    .join(" ");
  const values = await suggestValues(index, query);
  expect(values.map(({ value }) => value)).toEqual([
    "shop",
    ...[0, 1, 2, 3, 4, 5, 6].map((n) => `unknown${n}`),
  ]);
  expect(values[0]?.instead).toEqual([
    { value: "shop-front", query: query.replace("project:shop ", "project:shop-front ") },
  ]);
});
