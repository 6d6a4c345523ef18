import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";

/** The rows of a scrolling element that can be seen, and a little more. All are as high as each other. */
export function useVirtual(
  scroller: RefObject<HTMLElement>,
  count: number,
  rowHeight: number,
): { items: VirtualItem[]; height: number; show: (row: number) => void } {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 12,
    scrollPaddingEnd: rowHeight, // the head covers as much of the visible part
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());

  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    show: (row) => virtualizer.scrollToIndex(row),
  };
}
