import { DateTime, Duration, Interval, Info } from "luxon";
export async function main() {
  const d = DateTime.fromISO("2024-03-10T12:34:56.789", { zone: "America/New_York" }), zh = d.setZone("Asia/Shanghai").setLocale("zh-CN");
  return [
    d.toISO(), zh.toISO(), d.toFormat("EEEE, d LLLL yyyy h:mm a ZZZZ"), zh.toFormat("yyyy年LLLLd日 cccc HH:mm"), d.toLocaleString(DateTime.DATETIME_FULL), d.toLocaleString(DateTime.DATE_HUGE),
    zh.toLocaleString(DateTime.DATETIME_MED), zh.toLocaleString(DateTime.DATE_FULL), d.toLocaleString({ weekday: "short", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit" }), d.offsetNameShort, d.offsetNameLong, d.isInDST,
    d.plus({ months: 1 }).toISODate(), d.endOf("quarter").toISO(), Duration.fromObject({ hours: 5, minutes: 90 }).normalize().toHuman(), Interval.fromDateTimes(d, d.plus({ days: 2 })).length("hours"),
    Info.months("short"), Info.weekdays("long", { locale: "zh-CN" }), Info.meridiems(), Info.eras("long"), DateTime.fromFormat("05 三月 2024", "dd LLLL yyyy", { locale: "zh-CN", zone: "utc" }).toISODate(),
    DateTime.fromISO("nope").isValid, d.toRelative({ base: d.plus({ hours: 3 }) }), zh.toRelative({ base: zh.minus({ days: 2 }) }), d.toRelativeCalendar({ base: d.plus({ days: 1 }) }), DateTime.fromFormat("Mar 5 2024 1:30 PM", "LLL d yyyy h:mm a", { zone: "utc" }).toISO(),
  ];
}
