import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** Something the palette can do: go somewhere or act on the page. */
export type Command = { label: string; group: string; keys?: string; run: () => void };

/** The commands that the page on screen adds to the palette. */
export const pageCommands = signal<readonly Command[]>([]);

/** Adds commands to the palette while the component is there. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;

  useEffect(() => {
    const added = commands.map((command, i) => ({ ...command, run: () => latest.current[i]?.run() }));
    pageCommands.value = [...pageCommands.value, ...added];
    return () => {
      pageCommands.value = pageCommands.value.filter((command) => !added.includes(command));
    };
  }, [commands.map((command) => command.label).join()]);
}
