import type { NeedleKind, NeedleText } from "../plan.ts";
import type { Random } from "../random.ts";
import { createUniquePhrase, createUniqueWord, type Tongue } from "./words.ts";

/** How a session goes: a question and its answer, short messages, loops of tool calls, or mostly shell commands. */
export type Shape = "question" | "chat" | "loop" | "shell";

export interface VariedPlan {
  /** Unix milliseconds. */
  start: number;
  bytes: number;
  cwd: string;
  shape: Shape;
  tongue: Tongue;
  version: 1 | 2 | 3;
  isFork: boolean;
  /** Whether it runs subagents. Their sessions are written in addition to the planned ones. */
  hasSubagents: boolean;
  needles: NeedleText[];
}

/** The mean size of sessions other than the giants: see `drawSize`. */
const MEAN_BYTES = 91_000;
const DAY = 24 * 3600 * 1000;
const FIRST_MONDAY = Date.UTC(2024, 2, 4);
/** Weeks with work. Most of the others have none. */
const SPRINTS = 40;
const WEEKS = 138;

const CWDS = [
  "/srv/Über uns/große Projekte/Website (neu)",
  "/Users/lina/Documents/代码/订单 服务",
  "/mnt/archive/2019/q3/clients/north/region-7/legacy/build/tools/scripts/one-off/import",
  "C:\\Users\\Noor\\src\\fleet",
  "/home/jo/it's #1 & more, 100% [copy]",
  "/opt/مشروع/api",
  "/workspaces/한국어-앱",
  "/tmp/x",
  "/var/lib/ci/.cache/checkouts/โครงการ",
  "/home/jo",
  "/home/jo/src/a--b",
  "/Volumes/Backup Disk/señal",
];

/** Plans the sessions of a root of about `bytes` bytes, oldest first. The first can contain needles. */
export function planVaried(random: Random, bytes: number): VariedPlan[] {
  const sizes = drawSizes(random, bytes);
  const sprints = Array.from({ length: SPRINTS }, () => random.below(WEEKS));
  const starts = sizes.map(() => drawStart(random, sprints)).sort((a, b) => a - b);
  const plans = sizes.map((size, n): VariedPlan => {
    const isSmall = size < 12_000;
    const version = n > 0 && isSmall && random.chance(0.05) ? random.pick([1, 2] as const) : 3;
    return {
      start: starts[n] as number,
      bytes: size,
      cwd: CWDS[Math.floor(CWDS.length * random.float() ** 2)] as string,
      shape: isSmall
        ? random.weighted({ question: 6, chat: 3, shell: 1 })
        : random.weighted({ chat: 3, loop: 6, shell: 1 }),
      tongue: random.weighted({
        technical: 30,
        german: 20,
        spanish: 15,
        arabic: 8,
        korean: 9,
        thai: 6,
        chinese: 12,
      }),
      version,
      isFork: n > 0 && version === 3 && size < 1e6 && random.chance(0.22),
      hasSubagents: !isSmall && random.chance(0.15),
      needles: [],
    };
  });
  assignNeedles(random, plans);
  return plans;
}

/** About a third of the bytes are in sessions of 10 to 60 MB. */
function drawSizes(random: Random, bytes: number): number[] {
  const sizes: number[] = [];
  let left = bytes;
  while (left > bytes * 0.67) {
    const giant = Math.min(random.between(10e6, 60e6), bytes * 0.2);
    sizes.push(giant);
    left -= giant;
  }
  const others = Array.from({ length: Math.max(8, Math.round(left / MEAN_BYTES)) }, () => drawSize(random));
  const scale = left / others.reduce((sum, size) => sum + size, 0);
  const all = [...sizes, ...others.map((size) => (size < 12_000 ? size : size * scale))];
  // Giants among all days.
  for (let n = all.length - 1; n > 0; n--) {
    const other = random.below(n + 1);
    [all[n], all[other]] = [all[other] as number, all[n] as number];
  }
  return all;
}

/** Seven of ten sessions have 1 to 8 kB, a few hundreds of kilobytes, and one in 33 megabytes: with gaps between, in three groups. */
function drawSize(random: Random): number {
  const group = random.weighted({ small: 70, medium: 27, large: 3 });
  const [low, high] = { small: [1000, 8000], medium: [20_000, 400_000], large: [600_000, 4_000_000] }[
    group
  ] as [number, number];
  return low * (high / low) ** random.float();
}

/** In the weeks of sprints: mostly on working days in the daytime, else in nights and on weekends. */
function drawStart(random: Random, sprints: readonly number[]): number {
  const isNight = random.chance(0.15);
  const week = random.chance(0.95) ? random.pick(sprints) : random.below(WEEKS);
  const day = isNight ? random.below(7) : random.below(5);
  const hour = isNight ? random.between(20, 26) : random.between(8, 17);
  return FIRST_MONDAY + (week * 7 + day) * DAY + hour * 3_600_000 + random.below(3_600_000);
}

const NEEDLE_KINDS: readonly NeedleKind[] = ["word", "identifier", "phrase", "error"];

function assignNeedles(random: Random, plans: readonly VariedPlan[]): void {
  const candidates = plans.filter(({ version, isFork }) => version === 3 && !isFork);
  const used = new Set<string>();
  for (let n = 0; n < Math.min(80, Math.max(4, plans.length / 30)); n++) {
    const kind = NEEDLE_KINDS[n % 4] as NeedleKind;
    const create = kind === "phrase" ? createUniquePhrase : createUniqueWord;
    let word = create(random);
    while (used.has(word)) word = create(random);
    used.add(word);
    random.pick(candidates).needles.push({ kind, text: toNeedleText(kind, word) });
  }
}

function toNeedleText(kind: NeedleKind, word: string): string {
  if (kind === "identifier") return `probe_${word}_quota`;
  return kind === "error" ? `fatal: lane ${word} exceeds the quota` : word;
}
