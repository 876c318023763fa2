/** A process that has an index open and lists it on command: `node replaced-child.ts <database> <root>`. */
import { openIndex } from "../library/index.ts";

const [db = "", root = ""] = process.argv.slice(2);
const index = await openIndex({ db, roots: [root] });
await index.sync();
process.on("message", async () => {
  await index.sync({ patienceMs: Number.POSITIVE_INFINITY });
  process.send?.((await index.listAll()).sessions.map(({ id }) => id).sort());
});
process.send?.("ready");
