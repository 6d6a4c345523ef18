package prelude

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A call a program makes, what the host answers, and what the program logs.
type conversation struct {
	name   string
	src    string
	op     string
	asked  string // JSON
	answer string // JSON; "!text" fails
	want   string
}

var conversations = []conversation{
	{"invoke waits for the result", `console.log(await BaaS.invoke("f", { a: 1 }))`,
		"invoke", `{"name":"f","data":{"a":1},"sync":true}`, `{"code":0,"data":{"b":2},"error":{}}`,
		`{ code: 0, data: { b: 2 }, error: {} }`},
	{"invoke without waiting", `console.log(await BaaS.invoke("f", undefined, false))`,
		"invoke", `{"name":"f","data":{},"sync":false}`, `{"status":"ok","job_id":7}`, `{ status: 'ok', job_id: 7 }`},
	{"invoke refused", `try { await BaaS.invoke("f") } catch (e) { console.log(e.name, e.message, e.status, e instanceof BaaS.BaaSError, e instanceof Error) }`,
		"invoke", `{"name":"f","data":{},"sync":true}`, `!{"message":"too deep","status":429}`,
		`BaaSError too deep 429 true true`},
	{"invoke refused in plain words", `try { await BaaS.invoke("f") } catch (e) { console.log(e.name, e.message, e.status) }`,
		"invoke", `{"name":"f","data":{},"sync":true}`, `!BaaS calls are refused`,
		`BaaSError BaaS calls are refused undefined`},
	{"request puts data in the query of a GET", `const r = await BaaS.request({ url: "https://x.example/a?b=1#h", data: { c: ["d e", 2] }, headers: { "X-A": 1 } }); console.log(r.statusCode, r.data, r.headers.etag)`,
		"request", `{"url":"https://x.example/a?b=1&c=d%20e&c=2#h","method":"GET","headers":{"X-A":"1"},"body":null,"base64":false}`,
		`{"status_code":200,"headers":{"content-type":"application/json; charset=utf-8","etag":"x"},"body":"{\"ok\":true}","base64":false}`, `200 { ok: true } x`},
	{"request posts JSON", `const r = await BaaS.request({ url: "https://x.example/", method: "post", data: { é: 1 } }); console.log(r.statusCode, r.data)`,
		"request", `{"url":"https://x.example/","method":"POST","headers":{"content-type":"application/json"},"body":"{\"é\":1}","base64":false}`,
		`{"status_code":404,"headers":{"content-type":"text/plain"},"body":"no","base64":false}`, `404 no`},
	{"request posts a form", `await BaaS.request({ url: "https://x.example/", method: "POST", data: new URLSearchParams({ a: "b c" }) }); console.log("sent")`,
		"request", `{"url":"https://x.example/","method":"POST","headers":{"content-type":"application/x-www-form-urlencoded;charset=UTF-8"},"body":"a=b+c","base64":false}`,
		`{"status_code":204,"headers":{},"body":"","base64":false}`, `sent`},
	{"request posts bytes and reads bytes", `const r = await BaaS.request({ url: "https://x.example/", method: "PUT", data: new Uint8Array([0, 255]) }); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"PUT","headers":{"content-type":"application/octet-stream"},"body":"AP8=","base64":true}`,
		`{"status_code":200,"headers":{"content-type":"image/png"},"body":"iVBO","base64":true}`,
		`ArrayBuffer { [Uint8Contents]: <89 50 4e>, byteLength: 3 }`},
	{"request reads text sent as bytes", `const r = await BaaS.request("https://x.example/"); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{},"body":null,"base64":false}`,
		`{"status_code":200,"headers":{"content-type":"text/html"},"body":"w6k=","base64":true}`, `é`},
	{"rows are found by a query", `const q = BaaS.Query.or(new BaaS.Query().compare("age", ">=", 18).contains("name", "a"), new BaaS.Query().isNull("age"));
		const r = await new BaaS.TableObject("42").setQuery(q).orderBy(["-age", "id"]).limit(5).offset(10).select("name").find({ withCount: true }); console.log(r.statusCode, r.data.objects)`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/42/record/","query":{"where":"{\"$or\":[{\"$and\":[{\"age\":{\"$gte\":18}},{\"name\":{\"$contains\":\"a\"}}]},{\"age\":{\"$isnull\":true}}]}","order_by":"-age,id","limit":5,"offset":10,"keys":"name","return_total_count":1},"body":null}`,
		`{"status":200,"body":{"meta":{},"objects":[1]}}`, `200 [ 1 ]`},
	{"a row is created", `const r = await new BaaS.TableObject(42).create().set({ a: 1 }).set("b", [2]).save({ enableTrigger: false }); console.log(r.data.id)`,
		"api", `{"method":"POST","path":"/oserve/v2.4/table/42/record/","query":{"enable_trigger":0},"body":{"a":1,"b":[2]}}`, `{"status":201,"body":{"id":"x"}}`, `x`},
	{"a row is updated with operators", `await new BaaS.TableObject(42).getWithoutData("5f/..").set("a", 1).incrementBy("n", -2).append("l", 1).uAppend("u", [2]).remove("r", [3]).patchObject("o", { k: 1 }).unset("z").update(); console.log("ok")`,
		"api", `{"method":"PUT","path":"/oserve/v2.6/table/42/record/5f%2F../","query":{},"body":{"$set":{"a":1,"n":{"$incr_by":-2},"l":{"$append":[1]},"u":{"$append_unique":[2]},"r":{"$remove":[3]},"o":{"$update":{"k":1}}},"$unset":{"z":""}}}`,
		`{"status":200,"body":{}}`, `ok`},
	{"rows are deleted by a query", `await new BaaS.TableObject(42).delete(new BaaS.Query().in("id", ["a"])); console.log("ok")`,
		"api", `{"method":"DELETE","path":"/oserve/v2.4/table/42/record/","query":{"where":"{\"id\":{\"$in\":[\"a\"]}}"},"body":null}`, `{"status":204,"body":null}`, `ok`},
	{"a user is read", `const { data } = await new BaaS.User().expand("created_by").get(9); console.log(data.nickname)`,
		"api", `{"method":"GET","path":"/userve/v2.2/miniapp/user_profile/9/","query":{"expand":"created_by"},"body":null}`,
		`{"status":200,"body":{"nickname":"Ada"}}`, `Ada`},
	{"a user is updated", `await new BaaS.User().getWithoutData(9).set("level", 2).update({ enableTrigger: false }); console.log("ok")`,
		"api", `{"method":"PUT","path":"/userve/v2.6/miniapp/user_profile/9/","query":{"enable_trigger":0},"body":{"level":2}}`, `{"status":200,"body":{}}`, `ok`},
	{"users are updated by a query", `await new BaaS.User().limit(2).getWithoutData(new BaaS.Query().in("_group", [5])).set("level", 2).update({ enableTrigger: false }); console.log("ok")`,
		"api", `{"method":"PUT","path":"/userve/v2.6/miniapp/user_profile/","query":{"limit":2,"where":"{\"_group\":{\"$in\":[5]}}","enable_trigger":0},"body":{"level":2}}`, `{"status":200,"body":{}}`, `ok`},
	{"orders are listed", `const { data } = await new BaaS.Order().find({ status: "success", limit: 2 }); console.log(data.objects.length)`,
		"api", `{"method":"GET","path":"/dserve/v1/pay/order/","query":{"status":"success","limit":2},"body":null}`,
		`{"status":200,"body":{"objects":[1,2]}}`, `2`},
	{"orders are listed by their other name", `const { data } = await BaaS.getOrderList({ paid_at__gte: 5 }); console.log(data.objects.length)`,
		"api", `{"method":"GET","path":"/dserve/v1/pay/order/","query":{"paid_at__gte":5},"body":null}`,
		`{"status":200,"body":{"objects":[1,2]}}`, `2`},
	{"a mail is sent", `const { data } = await BaaS.sendEmail({ recipient: "a@b.c", subject: "s", body: "b" }); console.log(data)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/mail/","query":null,"body":{"recipient":"a@b.c","subject":"s","body":"b"}}`,
		`{"status":200,"body":{"status":"ok"}}`, `{ status: 'ok' }`},
	{"an endpoint refuses", `try { await new BaaS.TableObject(42).get("a") } catch (e) { console.log(e.name, e.status, e.message) }`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/42/record/a/","query":{},"body":null}`,
		`{"status":404,"body":{"status":"error","error_msg":"no row a"}}`, `BaaSError 404 no row a`},
}

func TestBaaSConversations(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			r := newRealm(t, nil)
			var op, asked string
			r.answer = func(o, text string) (string, error) {
				op, asked = o, text
				if reason, failed := strings.CutPrefix(c.answer, "!"); failed {
					return "", errors.New(reason)
				}
				return c.answer, nil
			}
			got := r.eval("(async () => { " + c.src + ` })().catch((e) => console.log("REJECTED", e))`)
			if op != c.op || !equalJSON(t, asked, c.asked) {
				t.Errorf("asked %s %s\nwant  %s %s", op, asked, c.op, c.asked)
			}
			if diff := cmp.Diff("LOG "+c.want+"\n", got); diff != "" {
				t.Errorf("log: -want +got\n%s", diff)
			}
		})
	}
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Errorf("%v: %s", err, a)
	}
	return cmp.Equal(x, y)
}

func TestBaaSRefusesWrongArguments(t *testing.T) {
	for src, want := range map[string]string{
		`BaaS.invoke("")`:  "TypeError BaaS.invoke needs the name of a function",
		`BaaS.invoke(5)`:   "TypeError BaaS.invoke needs the name of a function",
		`BaaS.request()`:   "TypeError BaaS.request needs an object: { url, method, headers, data }",
		`BaaS.request({})`: "TypeError BaaS.request needs a url",
		`BaaS.request({ url: "x", method: "TRACE" })`: `TypeError BaaS.request: unknown method "TRACE"`,
		`new BaaS.TableObject()`:                      "TypeError BaaS.TableObject needs the id of a table",
		`new BaaS.TableObject(1).get()`:               "TypeError the id of a row is needed",
		`new BaaS.Query().compare("a", "~", 1)`:       `TypeError unknown operator "~": there are = != < <= > >=`,
	} {
		r := newRealm(t, nil)
		got := r.eval(`(async () => ` + src + `)().catch((e) => console.log(e.name, e.message))`)
		if got != "LOG "+want+"\n" {
			t.Errorf("%s: %s", src, got)
		}
	}
}
