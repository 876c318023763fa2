import type { ComponentChildren } from "preact";

interface Props {
  class?: string;
  children?: ComponentChildren;
}

/** In place of a cost where none was recorded: nothing would look like a figure that is missing. */
export function NoCost({ class: look, children }: Props) {
  return (
    <span class={look} title="The agent recorded no cost">
      <span aria-hidden="true">–</span>
      <span class="unseen">no cost recorded</span>
      {children}
    </span>
  );
}
