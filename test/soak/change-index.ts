/**
 * A process that changes the index as users and other tools do: `node change-index.ts <root> <database>`. Rebuilds it, verifies and
 * repairs it, deletes it.
 */
import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openIndex, PidexError } from "../../library/index.ts";

const [root = "", db = ""] = process.argv.slice(2);

async function withIndex(work: (index: Awaited<ReturnType<typeof openIndex>>) => Promise<unknown>) {
  const index = await openIndex({ db, roots: [root], onNotice: (text) => console.error(`notice: ${text}`) });
  try {
    await work(index);
  } finally {
    await index.close();
  }
}

const ACTIONS: Record<string, () => unknown> = {
  rebuild: () => withIndex((index) => index.rebuild()),
  verify: () =>
    withIndex(async (index) => {
      const { differences } = await index.verify();
      if (differences.length > 0) console.error("verify", differences.slice(0, 3));
    }),
  repair: () => withIndex((index) => index.verify({ repair: true })),
  delete: () => rmSync(db, { force: true }),
  deleteAll: () => {
    for (const side of ["", "-wal", "-shm"]) rmSync(db + side, { force: true });
  },
};

for (let n = 0; ; n++) {
  const names = Object.keys(ACTIONS);
  const name = names[n % names.length] as string;
  try {
    await ACTIONS[name]?.();
    console.log(name);
  } catch (error) {
    if (!(error instanceof PidexError && error.code === "DATABASE_BUSY")) console.error(name, error);
  }
  await pause(3_000 + Math.random() * 5_000);
}
