/** The requests of a session and what came of them, within a token budget. */
import { formatCount } from "../format/safe.ts";
import { extractTerms } from "./facts/sentences.ts";
import type { Candidate, Request } from "./facts/session-facts.ts";
import type { Statement } from "./facts/statements.ts";
import { cutMiddle, findLevel, spread } from "./share-tokens.ts";
import { estimateTokens } from "./tokens.ts";

/** A line of the brief: statements in order, each with its citation. */
export interface BriefLine {
  statements: Statement[];
  /** Indented below the line before it. */
  isDetail?: boolean;
}

/** Tokens of a citation, and of a line besides its text. */
export const CITATION_TOKENS = 5;
const LINE_TOKENS = 3;
/** The share for the user's words, if they need it. */
const PROMPT_SHARE = 0.68;
/** The least that a request is shown with, in tokens: ten words or so. */
const MIN_PROMPT_TOKENS = 14;
/** Words that say nothing without what they answer: `yes`, `go on`. */
const MAX_TRIVIAL = 14;

/** @param goal the request that is shown as the goal, with more room */
export function buildDialogue(
  requests: readonly Request[],
  goal: Request | undefined,
  budget: number,
): BriefLine[] {
  const shown = selectRequests(requests, goal, budget);
  const demands = shown.map((request) => ({
    tokens: estimateTokens(request.text),
    weight: request === goal ? 4 : weighPrompt(request),
  }));
  const overhead = shown.length * (CITATION_TOKENS + LINE_TOKENS);
  const level = Math.max(MIN_PROMPT_TOKENS, findLevel(demands, budget * PROMPT_SHARE - overhead));
  const prompts = shown.map(({ text }, n) =>
    cutMiddle(text, level * (demands[n] as { weight: number }).weight),
  );
  const used = prompts.reduce((sum, text) => sum + estimateTokens(text), overhead);
  const answers = selectSentences(shown, budget - used);
  const lines = shown.flatMap((request, n) =>
    toLines(request, prompts[n] as string, answers.get(request) ?? []),
  );
  const first = shown[0];
  const omitted = first === undefined ? 0 : requests.length - requests.indexOf(first) - shown.length;
  if (omitted > 0)
    lines.push({
      statements: [{ line: 0, text: `(and ${formatCount(omitted, "shorter request")} in between)` }],
    });
  return lines;
}

function toLines(request: Request, prompt: string, sentences: readonly Candidate[]): BriefLine[] {
  const lines: BriefLine[] = [];
  if (request.isSummary && sentences.length > 0)
    lines.push({ statements: [{ line: 0, text: "(the context was summarized)" }] });
  if (request.text !== "") lines.push({ statements: [{ line: request.line, text: prompt }] });
  // Sentences of one message share a citation.
  for (const [line, of] of Map.groupBy(sentences, (sentence) => sentence.line))
    lines.push({
      statements: [{ line, text: `→ ${of.map(({ text }) => withEnd(text)).join(" ")}` }],
      isDetail: true,
    });
  return lines;
}

/** Corrections, names and numbers are cut less. */
function weighPrompt({ text, isCorrection }: Request): number {
  return (isCorrection ? 1.4 : 1) + 0.25 * Math.min(4, extractTerms(text.slice(0, 500)).length);
}

const withEnd = (text: string): string => (/[.!?…:;]$/.test(text) ? text : `${text}.`);

/** All requests, or if they can't be shown even shortly, some that are spread over the session. */
function selectRequests(requests: readonly Request[], goal: Request | undefined, budget: number): Request[] {
  const start = goal === undefined ? 0 : requests.indexOf(goal);
  // Without greetings before the goal.
  const relevant = requests.filter((request, n) => n >= start || request.text.length > MAX_TRIVIAL);
  const costs = relevant.map(
    ({ text }) => Math.min(estimateTokens(text), MIN_PROMPT_TOKENS) + CITATION_TOKENS + LINE_TOKENS,
  );
  const room = budget * PROMPT_SHARE;
  if (2 * sumOf(costs) <= room) return relevant;
  const last = requests.at(-1);
  const telling = relevant.filter(
    ({ text, isSummary }) => isSummary || text.length > MAX_TRIVIAL || /\d|\w[._/]\w|[a-z][A-Z]/.test(text),
  );
  if (last && last !== telling.at(-1)) telling.push(last);
  const count = Math.max(2, Math.floor(room / (MIN_PROMPT_TOKENS + CITATION_TOKENS + LINE_TOKENS)));
  const value = (request: Request) =>
    Math.min(request.text.length, 200) * (request.isCorrection ? 2 : 1) +
    20 * Math.min(request.candidates.length, 5);
  return sumOf(costs) <= room ? telling : spread(telling, count, value);
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** How much a further sentence of the same request counts. */
const REPEATED = 0.72;
/** The share of a sentence's value that new names and numbers make. */
const NOVELTY = 0.6;

/** How much shorter sentences are preferred: by their tokens to this power. The first of a request may be longer. */
const DENSITY = 0.7;
const FIRST_DENSITY = 0.4;

/** The sentences that say most that is new, first one for each request, in branch order. */
function selectSentences(requests: readonly Request[], budget: number): Map<Request, Candidate[]> {
  const chosen = new Map<Request, Candidate[]>();
  const known = new Set<string>();
  const texts = new Set<string>();
  let left = budget;
  const gain = (candidate: Candidate, count: number, density = DENSITY) => {
    const { terms, score } = candidate;
    const fresh = terms.filter((term) => !known.has(term)).length;
    const novelty = terms.length === 0 ? 0.5 : fresh / terms.length;
    const tokens = costOf(candidate) + LINE_TOKENS;
    return (score * (1 - NOVELTY + NOVELTY * novelty) * REPEATED ** count) / tokens ** density;
  };
  const take = (request: Request, candidate: Candidate): void => {
    const own = chosen.get(request) ?? [];
    const isSameLine = own.some(({ line }) => line === candidate.line);
    const cost = costOf(candidate) + (isSameLine ? 0 : LINE_TOKENS + CITATION_TOKENS);
    const key = candidate.text.toLowerCase().replace(/\W+/g, " ");
    if (cost > left || texts.has(key)) return;
    left -= cost;
    texts.add(key);
    chosen.set(request, [...own, candidate]);
    for (const term of candidate.terms) known.add(term);
  };
  const firsts = requests.flatMap((request) => {
    const answers = request.candidates.filter(({ from }) => from !== "remark");
    const from = answers.length > 0 ? answers : request.candidates;
    const best = pickBest(from, (candidate) => gain(candidate, 0, FIRST_DENSITY));
    return best ? [{ request, best }] : [];
  });
  for (const { request, best } of firsts.toSorted((a, b) => b.best.score - a.best.score)) take(request, best);
  const remaining = new Map(
    requests.map((request) => [
      request,
      request.candidates.filter((each) => !chosen.get(request)?.includes(each)),
    ]),
  );
  for (;;) {
    let best: { request: Request; candidate: Candidate; value: number } | undefined;
    for (const [request, candidates] of remaining) {
      const count = (chosen.get(request)?.length ?? 0) / (1 + request.candidates.length / 8);
      for (const candidate of candidates) {
        if (costOf(candidate) > left) continue;
        const value = gain(candidate, count);
        if (!best || value > best.value) best = { request, candidate, value };
      }
    }
    if (!best) break;
    const { request, candidate } = best;
    take(request, candidate);
    remaining.set(
      request,
      (remaining.get(request) ?? []).filter((each) => each !== candidate),
    );
  }
  for (const [request, sentences] of chosen)
    chosen.set(
      request,
      request.candidates.filter((each) => sentences.includes(each)),
    );
  return chosen;
}

const costs = new WeakMap<Candidate, number>();

function costOf(candidate: Candidate): number {
  let cost = costs.get(candidate);
  if (cost === undefined) {
    cost = estimateTokens(candidate.text) + 1;
    costs.set(candidate, cost);
  }
  return cost;
}

function pickBest<T>(items: readonly T[], value: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || value(item) > value(best) ? item : best),
    undefined,
  );
}
