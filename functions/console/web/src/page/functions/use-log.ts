import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { api, ask } from "~/api/client";
import { place } from "~/place";
import { hasEnded } from "./job-list";

const TRY_AGAIN_MS = 3000;

/** The log of a run, which grows until the run has ended; onEnd is told when it does while one looks. */
export function useLog(name: string, job: number, onEnd: () => void) {
  const text = useSignal<string | undefined>(undefined);
  const following = useSignal(false);
  const failure = useSignal<unknown>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    void follow(stop.signal);
    return () => stop.abort();

    async function follow(signal: AbortSignal) {
      let status = await read(signal, false);
      if (status === undefined || hasEnded(status)) return;
      following.value = true;
      while (!signal.aborted && !(status && hasEnded(status))) {
        status = await read(signal, true);
        if (status === undefined) await new Promise((go) => setTimeout(go, TRY_AGAIN_MS));
      }
      if (signal.aborted) return;
      following.value = false;
      onEnd();
    }

    /** Reads the log, or waits for more; returns the job's status, undefined after an error. */
    async function read(signal: AbortSignal, wait: boolean): Promise<string | undefined> {
      try {
        const params = { path: { name, job }, query: wait ? { follow: "1" as const } : {} };
        const answer = api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/log/", { params, parseAs: "text", signal });
        text.value = await ask(answer);
        failure.value = undefined;
        return (await answer).response.headers.get("X-Service-Job-Status") ?? undefined;
      } catch (error) {
        if (!signal.aborted) failure.value = error;
        return undefined;
      }
    }
  }, [name, job, place.value]);

  return { text, following, failure };
}

/** The result that the log of a run ends with; undefined where it gave none, or the log is not kept. */
export function resultOf(log: string | undefined): string | undefined {
  const last = log?.trimEnd().split("\n").at(-1) ?? "";
  return indented(/^\S+ LOG return: (.*)$/.exec(last)?.[1]);
}

/** The input that a log begins with; undefined where the log is not kept, or was cut within it. */
export function inputOf(log: string | undefined): string | undefined {
  return indented(/^\S+ LOG event\.data: (.*)$/m.exec(log?.slice(0, log.indexOf("\n")) ?? "")?.[1]);
}

function indented(json: string | undefined): string | undefined {
  try {
    return json === undefined ? undefined : JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return undefined; // the log was cut within it
  }
}
