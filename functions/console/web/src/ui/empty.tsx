import type { ComponentChildren } from "preact";

import { Copyable } from "./copy";

/** An empty page: what it will list, and the two ways to create the first item. */
export function Empty({ title, children, curl, action }: { title: string; children?: ComponentChildren; curl?: string; action?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
      {action}
      {curl && <Copyable text={curl} label="curl" />}
    </section>
  );
}
