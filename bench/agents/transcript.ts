/** Writes what an agent asks and is answered into docs/agents.md: `npm run docs`. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SearchAnswer } from "../../bin/agents/answers.ts";
import { type CallResult, CountingClient } from "./counting-client.ts";
import { demoRoot } from "./demo-root.ts";
import { extractCitations } from "./reach.ts";

const PAGE = join(import.meta.dirname, "../../docs/agents.md");
const BEGIN = "<!-- from here on: npm run docs -->\n";
const END = "<!-- up to here -->";

/**
 * A search over the demo's sessions, and a look at its first hit. Both are shown in full: cursors would differ from folder to
 * folder.
 *
 * @param folder their folder, which is removed from the output
 */
export async function transcript(client: CountingClient, folder: string): Promise<string> {
  const found = await client.call<SearchAnswer>("search_sessions", {
    query: "flaky session-expiry",
    strict: true,
    limit: 2,
  });
  const [first] = found.data.sessions;
  const hit = first?.hits[0];
  if (!first || !hit) throw new Error("the demo has no session about a flaky test any more");
  const session = extractCitations(first.session.path, hit);
  const read = await client.call("read_session", { session, max_tokens: 3000 });
  // Some systems' temporary folders have two names.
  const names = [realpathSync(folder), folder].map((name) => join(name, "demo"));
  const text = [found, read].map(formatCall).join("\n");
  return names.reduce((rest, name) => rest.replaceAll(name, ""), text);
}

function formatCall({ tool, params, text }: CallResult<unknown>): string {
  return `\`${tool}\` is called with\n\n\`\`\`json\n${JSON.stringify(params)}\n\`\`\`\n\nand returns\n\n\`\`\`\n${text}\n\`\`\`\n`;
}

/** The page with another transcript in it. */
export function insertTranscript(page: string, transcript: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`No place for a transcript in ${PAGE}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${transcript}\n${page.slice(end)}`;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const client = await CountingClient.start({ root: demoRoot(folder), db: join(folder, "index.db") });
    try {
      writeFileSync(PAGE, insertTranscript(readFileSync(PAGE, "utf8"), await transcript(client, folder)));
    } finally {
      await client.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
