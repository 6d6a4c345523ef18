import Decimal from "decimal.js";
export async function main() {
  return [new Decimal("0.1").plus("0.2").toString(), new Decimal(2).sqrt().toString(), new Decimal(10).div(3).toFixed(30), Decimal.pow("1.0000001", 1e6).toString(), new Decimal("123456789.987654321").toSD(12).toString(), Decimal.set({ precision: 50 }) && Decimal.exp(1).toString(), new Decimal("-1.5").round().toString(), new Decimal(255).toHex(), Decimal.sin(1).toString()];
}
