// What TypeScript knows beyond JavaScript: columns, events and results that are told apart.
interface City {
  name: string;
  people: number;
  founded: string;
  at: object;
  mayor: BaaS.Pointer;
}

export async function main(event: TriggerEvent): Promise<string | null> {
  if (event.eventType === "chat_pay_success") return event.data.trade_no;
  if (event.eventType === "incoming_webhook") return event.data.meta.request_method;

  const cities = new BaaS.TableObject<City>("city");
  const { data } = await cities.setQuery(new BaaS.Query().compare("people", ">", 1e6)).limit(5).find({ withCount: true });
  const total: number = data.meta.total_count;
  const names: string[] = data.objects.map((city) => city.name.toUpperCase());
  cities.create().set({ name: "a", founded: new Date(), at: new BaaS.GeoPoint(1, 2) }).incrementBy("people", 1);
  // @ts-expect-error: a number
  cities.create().set("people", "many");
  // @ts-expect-error: no such column
  cities.create().set({ nme: "a" });

  const many = await cities.getWithoutData(new BaaS.Query()).set("people", 0).update({ enableTrigger: false });
  const changed: number = "operation_id" in many.data ? many.data.operation_id : many.data.succeed;
  const result = await BaaS.invoke<{ sum: number }>("sum", { a: 1 });
  // @ts-expect-error: it may have failed
  result.data.sum;
  if (result.code === 1) throw new Error(result.error.message);

  const { createHash } = require("node:crypto");
  const sum: string = createHash("sha256").update(names.join()).digest("hex");
  return `${result.data.sum} ${total} ${changed} ${sum}`;
}
