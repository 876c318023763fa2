/** The requests of agents. The MCP tools, the pi extension and its index host all follow from this table. */
import type { z } from "zod";
import type { Answer, RequestContext } from "./answer.ts";
import {
  BlameAnswer,
  HandoffAnswer,
  InsightsAnswer,
  ListAnswer,
  ReadAnswer,
  SearchAnswer,
  StatusAnswer,
  TouchAnswer,
  TreeAnswer,
  UsageAnswer,
} from "./answers.ts";
import { blameLines } from "./blame.ts";
import { handOff } from "./handoff.ts";
import { findInsights } from "./insights.ts";
import { listSessions } from "./list.ts";
import {
  BlameParams,
  HandoffParams,
  InsightsParams,
  ListParams,
  type Params,
  ReadParams,
  SearchParams,
  StatusParams,
  TouchParams,
  TreeParams,
  UsageParams,
} from "./params.ts";
import { readSession } from "./read.ts";
import { searchSessions } from "./search.ts";
import { buildSessionTree } from "./session-tree.ts";
import { getStatus } from "./status.ts";
import { findTouchingSessions } from "./touching-sessions.ts";
import { summarizeUsage } from "./usage.ts";

export interface AgentRequest<P extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  params: P;
  answer: A;
  run: (params: Params<P>, context: RequestContext) => Promise<Answer<z.output<A>>>;
}

/** Checks that a handler fits its schemas. */
const request = <P extends z.ZodType, A extends z.ZodType>(row: AgentRequest<P, A>): AgentRequest<P, A> =>
  row;

export const REQUESTS = {
  search: request({ params: SearchParams, answer: SearchAnswer, run: searchSessions }),
  list: request({ params: ListParams, answer: ListAnswer, run: listSessions }),
  read: request({ params: ReadParams, answer: ReadAnswer, run: readSession }),
  handoff: request({ params: HandoffParams, answer: HandoffAnswer, run: handOff }),
  tree: request({ params: TreeParams, answer: TreeAnswer, run: buildSessionTree }),
  touching: request({ params: TouchParams, answer: TouchAnswer, run: findTouchingSessions }),
  blame: request({ params: BlameParams, answer: BlameAnswer, run: blameLines }),
  usage: request({ params: UsageParams, answer: UsageAnswer, run: summarizeUsage }),
  status: request({ params: StatusParams, answer: StatusAnswer, run: getStatus }),
  insights: request({ params: InsightsParams, answer: InsightsAnswer, run: findInsights }),
};

type Requests = typeof REQUESTS;
export type RequestName = keyof Requests;
/** Parameters as callers pass them: those with defaults are optional. */
export type RequestInput<N extends RequestName> = z.input<Requests[N]["params"]>;
export type RequestData<N extends RequestName> = z.output<Requests[N]["answer"]>;
