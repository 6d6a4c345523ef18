import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { ErrorNote } from "./error-note";
import { Spinner } from "./spinner";

/** The state of a request. During a reload the last answer stays. */
export type Loaded<T> = { data: T | undefined; error: unknown; loading: boolean; reload: () => Promise<void> };

/** Asks when the component appears and whenever one of deps changes; late answers to older questions are dropped. */
export function useLoad<T>(load: () => Promise<T>, deps: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({ data: undefined, error: undefined, loading: true });
  const latest = useRef(0);

  const reload = useCallback(async () => {
    const mine = ++latest.current;
    setState((before) => ({ ...before, loading: true }));
    try {
      const data = await load();
      if (mine === latest.current) setState({ data, error: undefined, loading: false });
    } catch (error) {
      if (mine === latest.current) setState((before) => ({ ...before, error, loading: false }));
    }
  }, deps);

  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);

  return { ...state, reload };
}

/** Shows the loaded data, the progress, or the error. */
export function Load<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      <ErrorNote error={from.error} again={from.reload} />
      {from.data === undefined ? from.loading && <Spinner /> : children(from.data)}
    </>
  );
}
