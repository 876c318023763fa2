/** A long list of which only what is seen is in the page. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type Options = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  "count" | "getScrollElement" | "estimateSize"
> &
  Partial<VirtualizerOptions<HTMLElement, HTMLElement>>;

/** Says which rows are seen, and draws again when that changes. */
export function useVirtual(options: Options): Virtualizer<HTMLElement, HTMLElement> {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const all: VirtualizerOptions<HTMLElement, HTMLElement> = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    ...options,
    onChange: () => drawAgain(undefined as never),
  };
  const [virtualizer] = useState(() => new Virtualizer(all));
  virtualizer.setOptions(all);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
