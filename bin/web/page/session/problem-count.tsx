import { formatCount } from "../../../format/safe.ts";
import { hub } from "../shell/source.ts";

/** The number of problems in a session file, with a link to the view that explains them, which a hub does not have. */
export function ProblemCount({ count, class: className }: { count: number; class?: string }) {
  const text = formatCount(count, "problem");
  if (hub.value !== undefined) return <span class={className}>{text}</span>;
  return (
    <a class={className} href="/health">
      {text}
    </a>
  );
}
