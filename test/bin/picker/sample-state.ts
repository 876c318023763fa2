/** Sessions and states for tests of drawing. */
import { createState, type State } from "../../../bin/picker/model/state.ts";
import type { Row, ShownHit, ShownSession, View } from "../../../bin/picker/model/view.ts";

export const VIEW: View = {
  query: "",
  cwd: undefined,
  sort: "threaded",
  named: false,
  archived: false,
  subagents: false,
};

export function sampleSession(session: Partial<ShownSession> = {}): ShownSession {
  return {
    path: "/s.jsonl",
    id: "id",
    cwd: "/home/ada/shop",
    name: undefined,
    messageCount: 3,
    labelCount: 0,
    problemCount: 0,
    pinned: false,
    archived: false,
    subagent: false,
    tags: [],
    firstMessage: "hello",
    modified: Date.UTC(2026, 0, 5),
    ...session,
  } as ShownSession;
}

export function sampleHit(text: string): ShownHit {
  return {
    path: "/s.jsonl",
    entryId: "e",
    line: 2,
    type: "message",
    role: "user",
    onCurrentBranch: true,
    alsoIn: [],
    part: "message",
    snippet: { text, ranges: [] },
  } as unknown as ShownHit;
}

export function sampleRow(session: Partial<ShownSession> = {}, hits: ShownHit[] = []): Row {
  return { session: sampleSession(session), branchLines: "", hits, hitCount: hits.length };
}

export function createSampleState(rows: Row[], state: Partial<State> = {}): State {
  const initial = createState(VIEW);
  return {
    ...initial,
    results: { ...initial.results, view: state.view ?? VIEW, rows, total: rows.length },
    isLoading: false,
    ...state,
  };
}
