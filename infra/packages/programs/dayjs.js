import dayjs from "dayjs";
import utc from "dayjs/plugin/utc.js";
import timezone from "dayjs/plugin/timezone.js";
import relativeTime from "dayjs/plugin/relativeTime.js";
import "dayjs/locale/zh-cn.js";
dayjs.extend(utc); dayjs.extend(timezone); dayjs.extend(relativeTime);
export async function main() {
  const d = dayjs.tz("2024-03-10 12:34:56", "America/New_York");
  return [
    d.format(), d.utc().format("YYYY-MM-DD HH:mm:ss"), d.tz("Asia/Shanghai").format("YYYY年M月D日 dddd A h:mm Z"), d.tz("Asia/Shanghai").locale("zh-cn").format("dddd MMMM D HH:mm"),
    dayjs.utc("2024-01-31").add(1, "month").format(), dayjs.utc("2024-02-29").locale("zh-cn").from(dayjs.utc("2024-03-01")), dayjs.utc("2024-11-03").tz("Europe/London").offsetName("short"),
    dayjs.utc("2024-05-05").diff("2024-01-01", "day"), dayjs.utc("nope").isValid(), d.startOf("day").valueOf(), dayjs.tz("2024-10-27 02:30", "Europe/Berlin").toISOString(),
  ];
}
