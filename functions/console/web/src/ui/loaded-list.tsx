import type { ComponentChildren } from "preact";

import type { components } from "../api/schema";
import { List, type ListProps } from "./list";
import { Load, type Loaded } from "./load";
import { More } from "./more";

type Answer<Row> = { objects: readonly Row[]; meta?: components["schemas"]["PageMeta"] };

type Props<Row> = Omit<ListProps<Row>, "rows"> & {
  /** The answer of useLoad, or of usePages, whose list gets a button for more. */
  from: Loaded<Answer<Row>> & { more?: () => void };
  /** Stands in the place of an empty list. */
  none: ComponentChildren;
};

/** A list that is loaded: its rows, or that there is none. */
export function LoadedList<Row>({ from, none, ...list }: Props<Row>) {
  const { more } = from;
  return (
    <Load from={from}>
      {({ objects, meta }) => {
        if (objects.length === 0) return typeof none === "string" ? <p class="quiet">{none}</p> : none;
        return (
          <>
            <List {...list} rows={objects} />
            {meta && more && <More meta={meta} onMore={more} />}
          </>
        );
      }}
    </Load>
  );
}
