import { TriangleAlert } from "lucide-preact";

import { texts } from "~/text";
import { stepOf, useForm } from "./form";

const t = texts({
  other: ["Other steps", "其他步骤"],
  warnings: ["Warnings", "注意事项"],
});

/** The errors in completed steps, each with a link to its step, and the warnings. */
export function Findings({ onGo }: { onGo: (step: number) => void }) {
  const { check, tried } = useForm();
  const errors = (check.value?.errors ?? []).filter((error) => tried.value.has(stepOf(error.path)));
  const warnings = check.value?.warnings ?? [];
  return (
    <>
      {errors.length > 0 && (
        <ul class="note bad problems" aria-live="polite">
          {errors.map(({ path, message }) => (
            <li key={path + message}>
              <button type="button" class="link" onClick={() => onGo(stepOf(path))}>
                {path}
              </button>{" "}
              {message}
            </li>
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <section class="note warn problems" aria-label={t("warnings")}>
          <ul>
            {warnings.map(({ path, message }) => (
              <li key={path + message}>
                <TriangleAlert size={14} /> <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
