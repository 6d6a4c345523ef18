import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { Curl } from "./curl";

/** The frame of every page: a title, its actions, and the last request as a command. */
export function Page({
  title,
  crumbs = [],
  actions,
  children,
}: {
  title: string;
  crumbs?: { label: string; href: string }[];
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · minicloud`;
  }, [title]);

  return (
    <>
      <div class="page-head">
        <div>
          {crumbs.length > 0 && (
            <p class="crumbs">
              {crumbs.map((crumb) => (
                <a key={crumb.href} href={crumb.href}>
                  {crumb.label}
                </a>
              ))}
            </p>
          )}
          <h1>{title}</h1>
        </div>
        <div class="actions">
          {actions}
          <Curl />
        </div>
      </div>
      {children}
    </>
  );
}
