import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

/** The end of an address that opens the dialog for a new one. */
export const MAKING = "?new";

/** Whether the dialog for a new one is open: by a button of the page, or at once by an address that ends in MAKING. */
export function useMaking(): Signal<boolean> {
  const making = useSignal(false);
  const { path, query, route } = useLocation();
  const asked = query.new !== undefined;

  useEffect(() => {
    if (!asked) return;
    making.value = true;
    route(path, true);
  }, [asked]);

  return making;
}
