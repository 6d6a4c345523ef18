import * as all from "rrule";
const { RRule, RRuleSet, rrulestr } = all.default ?? all;
export async function main() {
  const rule = new RRule({ freq: RRule.WEEKLY, byweekday: [RRule.MO, RRule.FR], dtstart: new Date(Date.UTC(2024, 0, 1)), count: 5 }), set = new RRuleSet(); set.rrule(rule); set.exdate(new Date(Date.UTC(2024, 0, 5)));
  return [rule.all(), rule.toString(), rule.toText(), set.all().length, rrulestr("RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3;DTSTART=20240101T000000Z").all()];
}
