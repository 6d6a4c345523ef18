import { CronExpressionParser } from "cron-parser";
export async function main() {
  const it = CronExpressionParser.parse("0 */15 8-9 * * 1-5", { currentDate: "2024-03-08T09:50:00Z", tz: "Asia/Shanghai" }), other = CronExpressionParser.parse("30 2 * * *", { currentDate: "2024-03-09T12:00:00Z", tz: "America/New_York" });
  return [[it.next(), it.next(), it.prev()].map((d) => d.toISOString()), other.next().toString(), other.next().toISOString(), (() => { try { CronExpressionParser.parse("99 * * * *"); } catch (e) { return e.message; } })()];
}
