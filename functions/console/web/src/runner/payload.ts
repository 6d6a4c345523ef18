import { texts } from "~/text";

const t = texts({
  notJson: ["The input is not valid JSON: {why}", "输入不是 JSON：{why}"],
  notObject: ["The input must be a JSON object", "输入必须是 JSON 对象"],
});

/** The parsed input; throws its error. */
export function parsePayload(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || "{}");
  } catch (error) {
    throw new Error(t("notJson", { why: (error as Error).message }));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(t("notObject"));
  return value as Record<string, unknown>;
}
