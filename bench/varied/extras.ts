import type { VariedSession } from "./session.ts";

const EXTRAS = {
  branch: (session) => {
    const { file, random, texts, billing, plan } = session;
    // Any earlier turn, so that branches of branches go deep.
    const turn = random.pick(file.turns);
    if (!turn?.parentId) return;
    const fromId = file.leaf;
    file.leaf = turn.parentId;
    if (!random.chance(0.4)) return;
    const usage = random.chance(0.5) ? { usage: billing.bill(random.between(50, 900)) } : {};
    session.append("branch_summary", { fromId, summary: texts.notes(4, plan.tongue), ...usage });
  },
  compact: (session) => {
    const { file, random, texts, billing, plan } = session;
    const turn = file.turns.at(-1 - random.below(Math.min(4, file.turns.length)));
    if (!turn || file.bytes < 20_000) return;
    const usage = random.chance(0.5) ? { usage: billing.bill(random.between(300, 4000)) } : {};
    const details = { readFiles: [texts.path(), texts.path()], modifiedFiles: [texts.path()] };
    const tokensBefore = random.between(90_000, 400_000);
    const summary = texts.notes(30, plan.tongue);
    session.append("compaction", {
      summary,
      firstKeptEntryId: turn.id,
      tokensBefore,
      details,
      fromHook: false,
      ...usage,
    });
  },
  label: (session) => {
    const { file, random, texts, plan } = session;
    const label = random.chance(0.2) ? {} : { label: texts.phrase(2, plan.tongue) };
    const target = random.chance(0.5) ? file.leaf : random.pick(file.turns)?.id;
    if (target) session.append("label", { targetId: target, ...label });
  },
  name: (session) => session.append("session_info", { name: session.texts.phrase(4, session.plan.tongue) }),
  model: (session) => session.switchModel(),
  thinking: (session) =>
    session.append("thinking_level_change", {
      thinkingLevel: session.random.pick(["off", "minimal", "xhigh"]),
    }),
  usage: (session) => {
    const { random, billing } = session;
    const { provider, model } = billing.model;
    session.append("usage", {
      kind: random.pick(["title", "cache-warming"]),
      provider,
      model,
      usage: billing.bill(12),
    });
  },
  edit: (session) => {
    const { file, texts, random } = session;
    const target = random.pick(file.turns);
    if (!target) return;
    const replacement = random.chance(0.5) ? null : { content: texts.phrase(3, "technical") };
    session.append("context_edit", { targetId: target.id, replacement });
  },
  state: (session) => {
    const { random, texts } = session;
    const data = { rows: Array.from({ length: random.below(20) }, () => random.hex(12)), at: texts.path() };
    session.append("custom", { customType: random.pick(["todo", "git-checkpoint", "presence"]), data });
  },
  note: (session) => {
    const { random, texts, plan } = session;
    const content = texts.notes(3, plan.tongue);
    session.append("custom_message", { customType: "lint", content, display: random.chance(0.5) });
  },
  system: (session) => {
    const { texts } = session;
    session.message("system", {
      content: texts.notes(5, "technical"),
      toolsAdded: ["db_query"],
      toolsRemoved: [],
    });
  },
  summary: (session) => {
    const { file, texts, billing, plan } = session;
    const summary = texts.notes(5, plan.tongue);
    session.append("session_summary", { summary, summarizedThroughId: file.leaf, usage: billing.bill(200) });
  },
  unknown: (session) =>
    session.append("telemetry_mark", { span: session.random.hex(16), ms: session.random.below(900) }),
} satisfies Record<string, (session: VariedSession) => unknown>;

const WEIGHTS: Record<keyof typeof EXTRAS, number> = {
  branch: 22,
  compact: 3,
  label: 10,
  name: 6,
  model: 6,
  thinking: 4,
  usage: 6,
  edit: 4,
  state: 16,
  note: 8,
  system: 3,
  summary: 2,
  unknown: 4,
};

/** Appends an entry that is not part of the conversation, or moves to another branch. */
export function appendExtra(session: VariedSession): void {
  EXTRAS[session.random.weighted(WEIGHTS)](session);
}
