import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { ShowingContext } from "./showing.ts";

interface Props {
  /** Tells this part from all others of the session. */
  name: string;
  /** Whether it is open before anybody opened or closed it. */
  usually?: boolean;
  class?: string;
  /** The one line that is always seen. */
  summary: ComponentChildren;
  children: ComponentChildren;
}

/** Something that is opened by who wants to see it. Where it can be made later, it is made when it is opened. */
export function Folded({ name, usually = false, summary, children, ...rest }: Props) {
  const { folding } = useContext(ShowingContext);
  const [isOpen, setOpen] = useState(() => folding?.isOpen(name, usually) ?? usually);
  const toggled = (now: boolean) => {
    if (now === isOpen) return;
    setOpen(now);
    folding?.toggled(name, now);
  };
  return (
    <details {...rest} open={isOpen} onToggle={(event) => toggled(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {(isOpen || !folding) && children}
    </details>
  );
}
