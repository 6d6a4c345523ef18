import { formatInTimeZone, toZonedTime, fromZonedTime, getTimezoneOffset } from "date-fns-tz";
export async function main() {
  const d = new Date("2024-07-01T12:00:00Z");
  return [
    formatInTimeZone(d, "Asia/Shanghai", "yyyy-MM-dd HH:mm:ssXXX"), formatInTimeZone(d, "America/New_York", "yyyy-MM-dd HH:mm zzz zzzz"), toZonedTime(d, "Europe/Paris").getHours(), fromZonedTime("2024-01-01 00:00", "Asia/Tokyo").toISOString(), getTimezoneOffset("Asia/Kolkata", d), getTimezoneOffset("America/New_York", new Date("2024-01-01")),
  ];
}
