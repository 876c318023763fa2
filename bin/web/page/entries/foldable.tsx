import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { DisplayContext } from "./display-options.ts";

interface Props {
  /** Unique among the foldable parts of the session. */
  name: string;
  /** Whether it is open until the user opens or closes it. */
  initiallyOpen?: boolean;
  class?: string;
  /** The line that is always visible. */
  summary: ComponentChildren;
  children: ComponentChildren;
}

/** A part that can be opened. Its content is rendered when it is opened, except in static HTML. */
export function Foldable({ name, initiallyOpen = false, summary, children, ...rest }: Props) {
  const { folding } = useContext(DisplayContext);
  const [isOpen, setOpen] = useState(() => folding?.isOpen(name, initiallyOpen) ?? initiallyOpen);
  const handleToggle = (open: boolean) => {
    if (open === isOpen) return;
    setOpen(open);
    folding?.setOpen(name, open);
  };
  return (
    <details {...rest} open={isOpen} onToggle={(event) => handleToggle(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {(isOpen || !folding) && children}
    </details>
  );
}
