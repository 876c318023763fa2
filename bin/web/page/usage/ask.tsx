import type { ComponentChildren } from "preact";
import type { UsageAnswer } from "../../api/answers.ts";
import { type Asked, useAnswer } from "../shell/ask.ts";
import { Trouble } from "../shell/trouble.tsx";
import type { Report } from "./usage-table.tsx";

/** An answer, and what was asked for it. */
export interface Answered {
  usage: Report;
  asked: Asked;
}

interface Props {
  asked: Asked;
  version: number;
  children: (answered: Answered) => ComponentChildren;
}

/** Shows what is answered, and nothing else is drawn again for it. Meanwhile what was answered before stays. */
export function Ask({ asked, version, children }: Props) {
  const { data, error } = useAnswer<UsageAnswer>("usage", asked, version);
  if (error !== undefined) return <Trouble error={error} />;
  return <>{data && children({ usage: data.usage, asked })}</>;
}
