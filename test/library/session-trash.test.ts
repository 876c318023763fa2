import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { SessionManager } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

test.runIf(process.platform === "linux")(
  "a trashed session has the times of its header and last message, also after its file changed",
  async () => {
    const home = temporaryFolder();
    const root = join(home, "sessions");
    const environment = { HOME: home, XDG_DATA_HOME: join(home, "data"), PATH: "" };
    const path = session({ id: "one", timestamp: "2026-01-01T09:00:00.000Z" })
      .user("First", { timestamp: "2026-01-02T09:00:00.000Z" })
      .writeUnder(root);
    const line = readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
    await SessionManager.delete(path, { environment });
    const list = () => SessionManager.listTrashed({ roots: [root], environment });
    const [trashed] = await list();
    expect(trashed?.created?.toISOString()).toBe("2026-01-01T09:00:00.000Z");
    expect(trashed?.modified.toISOString()).toBe("2026-01-02T09:00:00.000Z");
    const { message, ...entry } = JSON.parse(line);
    const later = { ...entry, id: "later", message: { ...message, timestamp: Date.UTC(2026, 0, 3, 9) } };
    appendFileSync(trashed?.trashPath ?? "", `${JSON.stringify(later)}\n`);
    const [again] = await list();
    expect([again?.messageCount, again?.modified.toISOString()]).toEqual([2, "2026-01-03T09:00:00.000Z"]);
  },
);
