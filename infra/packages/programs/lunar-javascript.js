import { Solar, Lunar } from "lunar-javascript";
export async function main() {
  const l = Solar.fromYmd(2024, 2, 10).getLunar();
  return [l.toString(), l.getYearInGanZhi(), l.getYearShengXiao(), l.getFestivals(), l.getJieQi(), Lunar.fromYmd(2024, 8, 15).getSolar().toString(), Solar.fromYmdHms(2024, 6, 21, 12, 0, 0).getLunar().getEightChar().toString(), Solar.fromYmd(1986, 5, 29).toFullString(), l.getDayYi().slice(0, 4)];
}
