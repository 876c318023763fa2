/** `/recall`: searches past sessions, and quotes a hit in the editor or adds it to the context. */
import type { SearchAnswer } from "../agents/answers.ts";
import { citation } from "../agents/place.ts";
import { quoted } from "../agents/told.ts";
import { ago } from "../format/times.ts";
import { choose } from "./chooser.ts";
import type { Choice } from "./chooser-component.ts";
import { type Ask, type Command, notice, short, show } from "./commands.ts";
import { goTo } from "./go-to.ts";
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
      if (!ctx.hasUI) show(pi, ctx, "Usage: /recall WORDS");
      return;
    }
    if (!ctx.hasUI) return show(pi, ctx, (await ask("search", { query })).text);
    const { data, text } = await ask("search", toSearchParams(query));
    const first = toChoices(data);
    if (first.length === 0) return show(pi, ctx, text);
    const found = await choose(ctx, {
      title: "Past sessions",
      typed: query,
      first,
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
      const when = ago(new Date(hit.timestamp ?? session.modified));
      return {
        value: { path: session.path, place: citation(session.path, hit.line, hit.entryId) },
        text: `${when} · ${short(session.title, 40)} · ${short(hit.role ?? hit.type, 20)}: ${short(hit.text, 160)}`,
      };
    }),
  );
}

async function apply(
  { path, place }: Found,
  action: string | undefined,
  { pi, ctx, ask }: { pi: Pi; ctx: PiCommandContext; ask: Ask },
): Promise<void> {
  if (action === QUOTE) {
    const { data } = await ask("read", { session: place, before: 0, after: 0, max_tokens: QUOTE_TOKENS });
    const quotation = `${data.entries.map(({ text }) => quoted(text)).join("\n")}\n(${place})\n`;
    const current = ctx.ui.getEditorText().trimEnd();
    ctx.ui.setEditorText(current === "" ? quotation : `${current}\n\n${quotation}`);
    notice(ctx, "Quoted in the editor.", "info"); // pi redraws the editor only on a notification
  } else if (action === ADD) {
    const { text } = await ask("read", { session: place });
    pi.sendMessage({ customType: "pidex-recall", content: text, display: true }, { triggerTurn: false });
    notice(ctx, "Added to the context.", "info");
  } else if (action === GO) await goTo(ctx, path);
}
