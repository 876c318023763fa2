import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { formatInteger } from "../../../format/safe.ts";
import { DisplayContext } from "./display-options.ts";

interface Props {
  /** Unique among the foldable parts of the session. */
  name: string;
  /** Whether it contains a highlighted text: then it is open until the user closes it. */
  isFound?: boolean;
  /** Whether it is open until the user closes it. */
  startsOpen?: boolean;
  class?: string;
  /** The line that is always visible. */
  summary: ComponentChildren;
  children: ComponentChildren;
}

/** A part that can be opened. Its content is rendered when it is opened, except in static HTML. */
export function Foldable({ name, isFound = false, startsOpen = false, summary, children, ...rest }: Props) {
  const { folding, isExpanded = false } = useContext(DisplayContext);
  const [isOpen, setOpen] = useState(() => folding?.get(name) ?? (isExpanded || isFound || startsOpen));
  const handleToggle = (open: boolean) => {
    if (open === isOpen) return;
    setOpen(open);
    folding?.set(name, open);
  };
  return (
    <details
      {...rest}
      data-found={isFound || undefined}
      open={isOpen}
      onToggle={(event) => handleToggle(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {(isOpen || !folding) && children}
    </details>
  );
}

/** A text of more lines can be collapsed at its top, too. */
const LONG_LINES = 40;

/** Collapses the rest of a long text from above it. Rendered before the text; visible while the rest is expanded. */
export function ShowLess({ lines }: { lines: number }) {
  const { folding } = useContext(DisplayContext);
  if (!folding || lines <= LONG_LINES) return null;
  const collapse = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const rest = currentTarget.parentElement?.querySelector<HTMLDetailsElement>(":scope > .rest");
    if (rest) rest.open = false;
  };
  return (
    <button type="button" class="show-less" onClick={collapse}>
      Show less
    </button>
  );
}

/** The rest of a text after its first lines, in the same box. @param lines the number of lines in the whole text */
export function FoldedRest({ lines, ...props }: Omit<Props, "class" | "summary"> & { lines: number }) {
  const summary = (
    <>
      <span class="when-closed">{lines > 1 ? `Show all ${formatInteger(lines)} lines` : "Show all"}</span>
      <span class="when-open">Show less</span>
    </>
  );
  return <Foldable class="rest" {...props} summary={summary} />;
}
