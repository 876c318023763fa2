import type { ComponentChildren } from "preact";
import type { UsageAnswer } from "../../api/answers.ts";
import { type Asked, useAnswer } from "../shell/ask.ts";
import { Trouble } from "../shell/trouble.tsx";

export interface AskProps {
  asked: Asked;
  version: number;
  children: (usage: UsageAnswer["usage"]) => ComponentChildren;
}

/** Shows what is answered, and nothing else is drawn again for it. Meanwhile what was answered before stays. */
export function Ask({ asked, version, children }: AskProps) {
  const { data, error } = useAnswer<UsageAnswer>("usage", asked, version);
  if (error !== undefined) return <Trouble error={error} />;
  return <>{data && children(data.usage)}</>;
}
