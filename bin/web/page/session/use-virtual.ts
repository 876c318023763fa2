/** A virtual list: only the visible rows are in the page. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type AllOptions = VirtualizerOptions<HTMLElement, HTMLElement>;
type Options = Pick<AllOptions, "count" | "getScrollElement" | "estimateSize"> & Partial<AllOptions>;

/** A virtualizer that rerenders the component when the visible rows change. */
export function useVirtual(options: Options): Virtualizer<HTMLElement, HTMLElement> {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const allOptions: AllOptions = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    ...options,
    onChange: () => rerender(undefined as never),
  };
  const [virtualizer] = useState(() => new Virtualizer(allOptions));
  virtualizer.setOptions(allOptions);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
