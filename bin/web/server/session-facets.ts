import type { FacetCount, Facets, SessionInfo } from "../../../library/index.ts";
import { day } from "../../format/times.ts";

/** What a list of sessions could be narrowed by, counted by sessions: no entry is looked at. */
export function facetsOfSessions(sessions: readonly SessionInfo[]): Facets {
  const days = counted(sessions, ({ modified }) => dayOf(modified)).sort(byValue);
  return {
    projects: counted(sessions, ({ cwd }) => cwd),
    models: counted(sessions, ({ provider, model }) => model && [provider, model].filter(Boolean).join("/")),
    roles: [],
    tools: [],
    months: counted(sessions, ({ modified }) => dayOf(modified)?.slice(0, 7)).sort(byValue),
    days,
  };
}

function counted(
  sessions: readonly SessionInfo[],
  valueIn: (session: SessionInfo) => string | undefined,
): FacetCount[] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    const value = valueIn(session);
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, hits]) => ({ value, hits }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** Newest first. */
function byValue(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

function dayOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : day(date);
}
