import type { Random } from "./random.ts";
import type { Language } from "./texts.ts";
import { capitalize, rarePhrase, rareWord } from "./vocabulary.ts";

export type Profile = "mixed" | "small" | "tiny" | "giant";

/** Defaults of the profiles. `sigma` is that of the log-normal distribution of file sizes. */
export const PROFILES: Readonly<Record<Profile, { files: number; bytesPerFile: number; sigma: number }>> = {
  mixed: { files: 2000, bytesPerFile: 500_000, sigma: 1.25 },
  small: { files: 10_000, bytesPerFile: 9000, sigma: 0.5 },
  tiny: { files: 100_000, bytesPerFile: 3200, sigma: 0.3 },
  giant: { files: 1, bytesPerFile: 200_000_000, sigma: 0 },
};

export type NeedleKind = "word" | "identifier" | "phrase" | "error";

/** A text that occurs once in the whole root. */
export interface NeedleText {
  kind: NeedleKind;
  text: string;
}

export interface SessionPlan {
  /** Unix milliseconds. */
  start: number;
  /** Size of the file, in bytes. All plans add up to the requested total. */
  bytes: number;
  project: number;
  version: 1 | 2 | 3;
  language: Language;
  isFork: boolean;
  isGiant: boolean;
  hasImages: boolean;
  /** Whether an extension writes a custom entry after every step. */
  hasChattyExtension: boolean;
  /** Whether a tool call runs a subagent. Its session is another of the root's files. */
  hasSubagent: boolean;
  needles: NeedleText[];
}

const FIRST_DAY = Date.UTC(2025, 10, 1);
const YEAR = 365 * 24 * 3600 * 1000;
/** Number of working directories. */
export const PROJECTS = 48;
const NEEDLE_KINDS: readonly NeedleKind[] = ["word", "identifier", "phrase", "error"];

/** Plans the sessions of a root, oldest first. The first has the current version and is not a fork, so that it can contain needles. */
export function planSessions(random: Random, profile: Profile, files: number, bytes: number): SessionPlan[] {
  const plans: SessionPlan[] = [];
  for (let used = 0; used < files; ) {
    const hasSubagent = profile === "mixed" && used + 2 <= files && random.chance(0.01);
    const isOld = profile === "mixed" && used > 0 && !hasSubagent && random.chance(0.04);
    plans.push({
      start: Math.floor(FIRST_DAY + ((used + random.float()) / files) * YEAR),
      bytes: 0,
      project: random.zipf(PROJECTS),
      version: isOld ? random.pick([1, 2]) : 3,
      language: random.weighted({ english: 76, chinese: 11, japanese: 6, russian: 7 }),
      isFork: false,
      isGiant: profile === "giant",
      hasImages: profile !== "tiny" && random.chance(0.06),
      hasChattyExtension: random.chance(0.04),
      hasSubagent,
      needles: [],
    });
    used += hasSubagent ? 2 : 1;
  }
  assignSizes(random, plans, profile, bytes);
  chooseForks(random, plans);
  assignNeedles(random, plans);
  return plans;
}

/** Draws log-normal sizes; `mixed` roots have a few giants of 10 to 40 MB. */
function assignSizes(random: Random, plans: SessionPlan[], profile: Profile, bytes: number): void {
  const { sigma } = PROFILES[profile];
  let remaining = bytes;
  if (profile === "mixed") {
    for (let i = 0; i < Math.ceil(plans.length / 400); i++) {
      const giant = random.pick(plans);
      if (giant.isGiant) continue;
      giant.isGiant = true;
      giant.bytes = Math.min(random.between(10e6, 40e6), remaining * 0.15);
      remaining -= giant.bytes;
    }
  }
  const others = plans.filter((plan) => plan.bytes === 0);
  const weights = others.map(() => random.logNormal(1, sigma));
  const unit = remaining / weights.reduce((sum, weight) => sum + weight, 0);
  others.forEach((plan, i) => {
    plan.bytes = unit * (weights[i] as number);
  });
}

/** Makes one session in ten a fork. */
function chooseForks(random: Random, plans: readonly SessionPlan[]): void {
  const candidates = plans
    .slice(1)
    .filter((plan) => plan.version === 3 && !plan.hasSubagent && !plan.isGiant);
  for (let left = Math.round(plans.length / 10); left > 0 && candidates.length > 0; left--) {
    const [plan] = candidates.splice(random.below(candidates.length), 1);
    if (plan) plan.isFork = true;
  }
}

/** Assigns needles to about one session in fifty; at least four per root, one of each kind. */
function assignNeedles(random: Random, plans: SessionPlan[]): void {
  const candidates = plans.filter((plan) => plan.version === 3 && !plan.isFork);
  const count = Math.min(100, Math.max(NEEDLE_KINDS.length, Math.round(plans.length / 50)));
  const texts = new Set<string>();
  for (let i = 0; i < count; i++) {
    const kind = NEEDLE_KINDS[i % NEEDLE_KINDS.length] as NeedleKind;
    let text = createNeedleText(random, kind);
    while (texts.has(text)) text = createNeedleText(random, kind);
    texts.add(text);
    random.pick(candidates).needles.push({ kind, text });
  }
}

function createNeedleText(random: Random, kind: NeedleKind): string {
  const word = rareWord(random);
  switch (kind) {
    case "word":
      return word;
    case "identifier":
      return `resolve${capitalize(word)}Ledger`;
    case "phrase":
      return rarePhrase(random);
    case "error":
      return `${capitalize(word)}Error: the ledger refused line ${random.between(100, 999)}`;
  }
}
