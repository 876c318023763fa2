import type { ComponentChildren } from "preact";
import { useWidth } from "../charts/use-width.ts";
import { MIN_SPLIT_WIDTH, splitsDiffs } from "./split-diffs.ts";

interface Props {
  /** @param isSplit whether diffs have two columns; undefined if there is no room for them */
  children: (isSplit: boolean | undefined) => ComponentChildren;
}

/** The bar, and the transcript below it. Its diffs have two columns if it is wide enough and the user wants that. */
export function ReadingColumn({ children }: Props) {
  const [column, width] = useWidth<HTMLDivElement>();
  return (
    <div class="transcript-column" ref={column}>
      {children(width >= MIN_SPLIT_WIDTH ? splitsDiffs.value : undefined)}
    </div>
  );
}
