import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Something the palette can do: go somewhere or act on the page. */
export type Command = { label: string; group: string; keys?: string; run: () => void };

/** What the page that is shown adds to the palette. */
export const pageCommands = signal<readonly Command[]>([]);

/** Adds commands to the palette while the component is there. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    pageCommands.value = [...pageCommands.value, ...commands];
    return () => {
      pageCommands.value = pageCommands.value.filter((command) => !commands.includes(command));
    };
  }, [commands.map((command) => command.label).join()]);
}
