import moment from "moment";
import "moment/locale/zh-cn.js";
export async function main() {
  moment.locale("en");
  const m = moment.utc("2024-02-29T10:20:30Z");
  return [
    m.format(), m.format("dddd, MMMM Do YYYY, h:mm:ss a"), m.clone().add(1, "year").format("LL"), m.clone().locale("zh-cn").format("LLLL"), m.clone().locale("zh-cn").calendar(moment.utc("2024-03-01T00:00:00Z")),
    moment.duration(93784000).humanize(), moment.duration("PT2H30M").asMinutes(), moment.utc("31/12/2023", "DD/MM/YYYY").week(), m.isBetween("2024-01-01", "2024-12-31"), m.fromNow && moment.utc("2024-03-05").from(m), moment("x", "YYYY", true).isValid(), m.toISOString(),
  ];
}
