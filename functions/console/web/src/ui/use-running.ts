import { useEffect } from "preact/hooks";

/** While something goes on that only this tab drives, the browser asks before it closes it. */
export function useRunning(running: boolean): void {
  useEffect(() => {
    if (!running) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [running]);
}
