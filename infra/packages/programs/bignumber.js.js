import { BigNumber } from "bignumber.js";
export async function main() {
  return [new BigNumber("0.7").plus("0.1").toString(), new BigNumber(1234567.891).toFormat(2), new BigNumber("99999999999999999999").times("99999999999999999999").toString(10), new BigNumber(1).div(3).toFixed(20), new BigNumber("ff", 16).toString(2), new BigNumber(10).pow(-30).toString(), new BigNumber(2).sqrt().toString(), BigNumber.max(1, "3", 2).toNumber(), new BigNumber(NaN).isNaN(), (() => { try { return new BigNumber("nope").toString(); } catch (e) { return e.message; } })()];
}
