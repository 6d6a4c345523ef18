import { format, addMonths, differenceInCalendarDays, parseISO, formatDistance, eachDayOfInterval, startOfWeek, isValid, parse, intervalToDuration } from "date-fns";
import { zhCN } from "date-fns/locale";
export async function main() {
  const d = parseISO("2024-01-31T08:05:03Z");
  return [
    format(d, "yyyy-MM-dd HH:mm:ss EEEE do MMMM"), format(d, "PPPPpp", { locale: zhCN }), addMonths(d, 1).toISOString(), differenceInCalendarDays(parseISO("2024-03-01"), d), formatDistance(d, parseISO("2024-02-03"), { locale: zhCN, addSuffix: true }),
    eachDayOfInterval({ start: d, end: parseISO("2024-02-02") }).length, startOfWeek(d, { weekStartsOn: 1 }).toISOString(), isValid(new Date("x")), parse("05/03/2024", "dd/MM/yyyy", d).toISOString(), intervalToDuration({ start: d, end: parseISO("2025-03-01") }),
  ];
}
