import type { ComponentChildren } from "preact";
import type { UsageAnswer } from "../../api/answers.ts";
import { type Asked, useAnswer } from "../shell/ask.ts";
import { Trouble } from "../shell/trouble.tsx";
import type { Report } from "./usage-table.tsx";

/** A usage report, and the parameters of its request. */
export interface Answered {
  usage: Report;
  params: Asked;
}

interface Props {
  params: Asked;
  version: number;
  children: (answered: Answered) => ComponentChildren;
}

/** Requests a usage report and renders it. The previous one stays until the next arrives. */
export function Ask({ params, version, children }: Props) {
  const { data, error } = useAnswer<UsageAnswer>("usage", params, version);
  if (error !== undefined) return <Trouble error={error} />;
  return <>{data && children({ usage: data.usage, params })}</>;
}
