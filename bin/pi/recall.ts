/** `/recall`: searches past sessions, and quotes a hit in the editor or adds it to the context. */
import type { SearchAnswer } from "../agents/answers.ts";
import { formatCitation } from "../agents/citations.ts";
import { formatQuotation } from "../agents/format-session.ts";
import { formatRelativeTime } from "../format/times.ts";
import { type Choice, choose } from "./chooser.ts";
import {
  type Command,
  notify,
  type RequestFunction,
  showResult,
  switchToSession,
  truncateLine,
} from "./commands.ts";
import type { Pi, PiCommandContext } from "./pi-types.ts";

/** A hit to choose. */
interface Found {
  path: string;
  /** The citation: `path:line#entry`. */
  place: string;
}

const QUOTE = "Quote it in the editor";
const ADD = "Add it to the context, with surrounding entries";
const GO = "Switch to that session";

/** Maximum length of a quotation in the editor, in tokens. */
const QUOTE_TOKENS = 1000;

export const recall: Command = {
  name: "recall",
  description: "Search past sessions and quote a result here",
  async run(args, { pi, ctx, ask }) {
    const query = args || (ctx.hasUI && (await ctx.ui.input("Search past sessions", "words"))?.trim());
    if (!query) {
      if (!ctx.hasUI) showResult(pi, ctx, "Usage: /recall WORDS");
      return;
    }
    if (!ctx.hasUI) return showResult(pi, ctx, (await ask("search", { query })).text);
    const { data, text } = await ask("search", toSearchParams(query));
    const first = toChoices(data);
    if (first.length === 0) return showResult(pi, ctx, text);
    const found = await choose(ctx, {
      title: "Past sessions",
      initialQuery: query,
      initialChoices: first,
      find: async (typed, signal) =>
        typed === "" ? first : toChoices((await ask("search", toSearchParams(typed), signal)).data),
    });
    if (found) await apply(found, await ctx.ui.select("Action", [QUOTE, ADD, GO]), { pi, ctx, ask });
  },
};

const toSearchParams = (query: string) => ({ query, limit: 20, hits: 3, max_tokens: 10_000 });

function toChoices({ sessions }: SearchAnswer): Choice<Found>[] {
  return sessions.flatMap(({ session, hits }) =>
    hits.map((hit) => {
      const when = formatRelativeTime(new Date(hit.timestamp ?? session.modified));
      return {
        value: { path: session.path, place: formatCitation(session.path, hit.line, hit.entryId) },
        text: `${when} · ${truncateLine(session.title, 40)} · ${truncateLine(hit.role ?? hit.type, 20)}: ${truncateLine(hit.text, 160)}`,
      };
    }),
  );
}

async function apply(
  { path, place }: Found,
  action: string | undefined,
  { pi, ctx, ask }: { pi: Pi; ctx: PiCommandContext; ask: RequestFunction },
): Promise<void> {
  if (action === QUOTE) {
    const { data } = await ask("read", { session: place, before: 0, after: 0, max_tokens: QUOTE_TOKENS });
    const quotation = `${data.entries.map(({ text }) => formatQuotation(text)).join("\n")}\n(${place})\n`;
    const current = ctx.ui.getEditorText().trimEnd();
    ctx.ui.setEditorText(current === "" ? quotation : `${current}\n\n${quotation}`);
    notify(ctx, "Quoted in the editor.", "info"); // pi redraws the editor only on a notification
  } else if (action === ADD) {
    const { text } = await ask("read", { session: place });
    pi.sendMessage({ customType: "pidex-recall", content: text, display: true }, { triggerTurn: false });
    notify(ctx, "Added to the context.", "info");
  } else if (action === GO) await switchToSession(ctx, path);
}
