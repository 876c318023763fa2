/** Writes an example of tool calls and their results into docs/agents.md: `npm run docs`. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SearchAnswer } from "../../bin/agents/answers.ts";
import { toCitation } from "./answer-question.ts";
import type { CallResult, CountingClient } from "./counting-client.ts";
import { startDemoClient } from "./demo-root.ts";

const PAGE = join(import.meta.dirname, "../../docs/agents.md");
const BEGIN = "<!-- from here on: npm run docs -->\n";
const END = "<!-- up to here -->";

/**
 * Searches the sample sessions, reads the first hit and formats both calls. No result is cut off, because cursors would depend
 * on the folder.
 *
 * @param folder the folder of the sessions, which is removed from the output
 */
export async function recordTranscript(client: CountingClient, folder: string): Promise<string> {
  const found = await client.call<SearchAnswer>("search_sessions", {
    query: "flaky session-expiry",
    strict: true,
    limit: 2,
  });
  const [first] = found.data.sessions;
  const hit = first?.hits[0];
  if (!first || !hit) throw new Error("The sample sessions have none about a flaky test any more");
  const session = toCitation(first.session.path, hit);
  const read = await client.call("read_session", { session, max_tokens: 3000 });
  // The temporary folder may be a link.
  const names = [realpathSync(folder), folder].map((name) => join(name, "demo"));
  const text = [found, read].map(formatCall).join("\n");
  return names.reduce((result, name) => result.replaceAll(name, ""), text);
}

function formatCall({ tool, params, text }: CallResult<unknown>): string {
  return `\`${tool}\` is called with\n\n\`\`\`json\n${JSON.stringify(params)}\n\`\`\`\n\nand returns\n\n\`\`\`\n${text}\n\`\`\`\n`;
}

/** Replaces the transcript in the page. */
export function insertTranscript(page: string, transcript: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The markers of the transcript are missing in ${PAGE}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${transcript}\n${page.slice(end)}`;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const client = await startDemoClient(folder);
    try {
      writeFileSync(
        PAGE,
        insertTranscript(readFileSync(PAGE, "utf8"), await recordTranscript(client, folder)),
      );
    } finally {
      await client.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
