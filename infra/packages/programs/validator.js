import validator from "validator";
export async function main() {
  return [validator.isEmail("a@b.co"), validator.isEmail("a@b"), validator.isURL("http://x.org/a?b=1"), validator.isMobilePhone("13800138000", "zh-CN"), validator.isUUID("9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"), validator.escape("<a>"), validator.isCreditCard("4111111111111111"), validator.isIP("::1"), validator.isISO8601("2024-01-01T00:00:00Z"), validator.normalizeEmail("A.B+c@GMAIL.com"), validator.isIdentityCard("11010519491231002X", "zh-CN"), validator.isStrongPassword("aB3$efgh"), validator.trim("  x "), validator.isCurrency("$1,234.50"), validator.isJSON('{"a":1}'), validator.isBase64("aGk="), validator.isLatLong("30.1,120.2")];
}
