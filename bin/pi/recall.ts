/** `/recall`: what was said in past sessions, quoted in the editor or put into the context. */
import type { SearchAnswer } from "../agents/answers.ts";
import { citation } from "../agents/place.ts";
import { quoted } from "../agents/told.ts";
import { ago } from "../format/times.ts";
import { choose } from "./chooser.ts";
import type { Choice } from "./chooser-component.ts";
import { type Ask, type Command, notice, short, show } from "./commands.ts";
import { goTo } from "./go-to.ts";
import type { Pi, PiCommandContext } from "./pi-types.ts";

/** Where something was found. */
interface Found {
  path: string;
  /** As people cite it, and as the index is asked for it: `path:line#entry`. */
  place: string;
}

const QUOTE = "Quote it in the editor";
const ADD = "Add it to the context, with what is around it";
const GO = "Go to that session";

/** How long a quotation in the editor may be, in tokens. */
const QUOTE_TOKENS = 1000;

export const recall: Command = {
  name: "recall",
  description: "Search past sessions, and bring what was found here",
  async run(args, { pi, ctx, ask }) {
    const query = args || (ctx.hasUI && (await ctx.ui.input("Search past sessions", "words"))?.trim());
    if (!query) {
      if (!ctx.hasUI) show(pi, ctx, "What to look for? /recall WORDS");
      return;
    }
    if (!ctx.hasUI) return show(pi, ctx, (await ask("search", { query })).text);
    const { data, text } = await ask("search", questionOf(query));
    const first = choicesOf(data);
    if (first.length === 0) return show(pi, ctx, text);
    const found = await choose(ctx, {
      title: "What was said in past sessions",
      typed: query,
      first,
      find: async (typed, signal) =>
        typed === "" ? first : choicesOf((await ask("search", questionOf(typed), signal)).data),
    });
    if (found)
      await bring(found, await ctx.ui.select("What to do with it?", [QUOTE, ADD, GO]), { pi, ctx, ask });
  },
};

const questionOf = (query: string) => ({ query, limit: 20, hits: 3, max_tokens: 10_000 });

function choicesOf({ sessions }: SearchAnswer): Choice<Found>[] {
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

async function bring(
  { path, place }: Found,
  what: string | undefined,
  { pi, ctx, ask }: { pi: Pi; ctx: PiCommandContext; ask: Ask },
): Promise<void> {
  if (what === QUOTE) {
    const { data } = await ask("read", { session: place, before: 0, after: 0, max_tokens: QUOTE_TOKENS });
    const quotation = `${data.entries.map(({ text }) => quoted(text)).join("\n")}\n(${place})\n`;
    const before = ctx.ui.getEditorText().trimEnd();
    ctx.ui.setEditorText(before === "" ? quotation : `${before}\n\n${quotation}`);
    notice(ctx, "It is in the editor.", "info"); // pi draws the editor again when something is told, and not before
  } else if (what === ADD) {
    const { text } = await ask("read", { session: place });
    pi.sendMessage({ customType: "pidex-recall", content: text, display: true }, { triggerTurn: false });
    notice(ctx, "It is in the context: the next answer knows it.", "info");
  } else if (what === GO) await goTo(ctx, path);
}
