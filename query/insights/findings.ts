import { toDollars } from "../usage/figures.ts";
import type { Finding } from "./insight-answers.ts";
import type { ParsedInsightsOptions } from "./insight-options.ts";
import { needsFiles, type Occurrence } from "./occurrences.ts";

/** Occurrences of the same kind, subject and tool. */
type Group = readonly [Occurrence, ...Occurrence[]];

/** A finding whose examples are still files. */
export type UnnamedFinding = Omit<Finding, "examples"> & {
  examples: { file: number; line: number; occurrences: number }[];
};

type FindingsOptions = Pick<ParsedInsightsOptions, "kind" | "examples" | "minOccurrences" | "minSessions"> & {
  /** Whether no entry of the period before was omitted. */
  isBeforeRead: boolean;
};

/**
 * The findings of a period with enough evidence, those that lost most money or time first. Money and time have no common unit: a
 * finding is as high as the higher of its ranks by one of them.
 */
export function toFindings(
  occurrences: readonly Occurrence[],
  before: readonly Occurrence[],
  options: FindingsOptions,
): UnnamedFinding[] {
  const previous = groupOccurrences(before);
  const findings: UnnamedFinding[] = [];
  const groups = groupOccurrences(occurrences);
  for (const [key, group] of groups) if (options.kind?.includes(group[0].kind) === false) groups.delete(key);
  deleteExplainedFailures(groups);
  for (const [key, group] of groups) {
    const isBeforeKnown = options.isBeforeRead || !needsFiles(group[0]);
    const earlier = isBeforeKnown ? (previous.get(key) ?? []) : undefined;
    const finding = toFinding(group, earlier, options.examples);
    if (finding.occurrences < options.minOccurrences || finding.sessions < options.minSessions) continue;
    findings.push(finding);
  }
  return sortByRank(findings);
}

function groupOccurrences(occurrences: readonly Occurrence[]): Map<string, Group> {
  const groups = Map.groupBy(occurrences, ({ kind, subject, tool = "" }) => `${kind}\0${tool}\0${subject}`);
  return groups as Map<string, readonly Occurrence[]> as Map<string, Group>;
}

/** Removes failures that are the same calls as a repeated error, which also says why. */
function deleteExplainedFailures(groups: Map<string, Group>): void {
  const toCalls = (group: Group) =>
    JSON.stringify([group[0].tool, ...group.map(({ file, line }) => `${file}:${line}`).sort()]);
  const explained = new Set<string>();
  for (const group of groups.values()) if (group[0].kind === "repeated-errors") explained.add(toCalls(group));
  for (const [key, group] of groups)
    if (group[0].kind === "failures" && explained.has(toCalls(group))) groups.delete(key);
}

function toFinding(
  group: Group,
  before: readonly Occurrence[] | undefined,
  examples: number,
): UnnamedFinding {
  const { kind, subject, tool } = group[0];
  return {
    kind,
    subject,
    ...(tool !== undefined && { tool }),
    ...toSums(group),
    ...toFigures(group),
    ...(before && { before: toSums(before) }),
    examples: toExamples(group).slice(0, examples),
  };
}

function toSums(group: readonly Occurrence[]): NonNullable<Finding["before"]> {
  return {
    occurrences: group.length,
    sessions: new Set(group.map(({ file }) => file)).size,
    costUsd: toDollars(Math.round(sum(group, ({ cost }) => cost))),
    ms: Math.round(sum(group, ({ ms }) => ms)),
  };
}

/** The figures that findings of some kinds have. */
function toFigures(group: Group): Partial<Finding> {
  const count = (is: (occurrence: Occurrence) => boolean | undefined) => group.filter(is).length;
  switch (group[0].kind) {
    case "failures":
      return { calledAgain: count(({ calledAgain }) => calledAgain) };
    case "repeated-calls":
      return { stillFailed: count(({ stillFailed }) => stillFailed) };
    case "compactions": {
      const ofFiles = [...Map.groupBy(group, ({ file }) => file).values()];
      return {
        repeatedly: ofFiles.filter(({ length }) => length > 1).length,
        tokensBefore: sum(group, ({ tokensBefore = 0 }) => tokensBefore),
        tokensAfter: sum(group, ({ tokensAfter = 0 }) => tokensAfter),
      };
    }
    default:
      return {};
  }
}

/** Each session with its last occurrence: those with the most first, then the newest files. */
function toExamples(group: Group): UnnamedFinding["examples"] {
  const ofFiles = [...Map.groupBy(group, ({ file }) => file)];
  ofFiles.sort(([a, some], [b, others]) => others.length - some.length || b - a);
  return ofFiles.map(([file, some]) => ({
    file,
    line: Math.max(...some.map(({ line }) => line)),
    occurrences: some.length,
  }));
}

function sortByRank(findings: readonly UnnamedFinding[]): UnnamedFinding[] {
  // The number of findings that used more, so that equal ones have the same rank.
  const rankBy = (amount: (finding: UnnamedFinding) => number) => {
    const sorted = findings.filter((finding) => amount(finding) > 0).sort((a, b) => amount(b) - amount(a));
    const ranks = new Map<UnnamedFinding, number>();
    let [rank, last] = [0, 0];
    sorted.forEach((finding, n) => {
      if (amount(finding) !== last) [rank, last] = [n, amount(finding)];
      ranks.set(finding, rank);
    });
    return ranks;
  };
  const [byCost, byTime] = [rankBy(({ costUsd }) => costUsd), rankBy(({ ms }) => ms)];
  const rankOf = (finding: UnnamedFinding) =>
    Math.min(byCost.get(finding) ?? findings.length, byTime.get(finding) ?? findings.length);
  return [...findings].sort(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      b.costUsd - a.costUsd ||
      b.ms - a.ms ||
      b.occurrences - a.occurrences ||
      (a.kind + a.subject < b.kind + b.subject ? -1 : 1),
  );
}

function sum(group: readonly Occurrence[], amount: (occurrence: Occurrence) => number): number {
  return group.reduce((total, occurrence) => total + amount(occurrence), 0);
}
