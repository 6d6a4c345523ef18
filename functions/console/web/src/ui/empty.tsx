import type { ComponentChildren } from "preact";

import { Copyable } from "./copy";

/** What an empty page teaches: what would be here, and the two ways to make the first one. */
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
