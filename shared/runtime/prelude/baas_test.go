package prelude

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// conversation is a call that a program makes, with the host's answer and the log of the program.
type conversation struct {
	name   string
	src    string
	op     string
	asked  string // expected payload, JSON
	answer string // JSON; "!text" is an error
	want   string
}

// calls are the calls of functions that belong to no class.
var calls = []conversation{
	{"invoke waits for the result", `console.log(await BaaS.invoke("f", { a: 1 }))`,
		"invoke", `{"name":"f","data":{"a":1},"sync":true}`, `{"code":0,"data":{"b":2},"error":{}}`,
		`{ code: 0, data: { b: 2 }, error: {} }`},
	{"invoke without waiting", `console.log(await BaaS.invoke("f", undefined, false))`,
		"invoke", `{"name":"f","data":{},"sync":false}`, `{"status":"ok","job_id":7}`, `{ status: 'ok', job_id: 7 }`},
	{"invoke refused", `try { await BaaS.invoke("f") } catch (e) { console.log(e.name, e.message, e.code, e.status, e instanceof BaaS.BaaSError, e instanceof Error) }`,
		"invoke", `{"name":"f","data":{},"sync":true}`, `!{"message":"too deep","status":429}`,
		`BaaSError 429: too deep 429 429 true true`},
	{"invoke refused in plain words", `try { await BaaS.invoke("f") } catch (e) { console.log(e.name, e.message, e.status) }`,
		"invoke", `{"name":"f","data":{},"sync":true}`, `!BaaS calls are refused`,
		`BaaSError 600: BaaS calls are refused undefined`},
	{"invokeFunction gives the answer", `const r = await BaaS.invokeFunction("a b", { a: 1 }, false); console.log(r.status, r.statusText, r.headers["x-service-plan"], r.data, r.statusCode, Object.keys(r).join())`,
		"api", `{"method":"POST","path":"/oserve/v1.3/cloud-function/a%20b/job/","query":null,"body":{"data":{"a":1},"sync":false}}`,
		`{"status":200,"headers":{"x-service-plan":"x"},"body":{"status":"ok","job_id":7}}`,
		`200 OK x { status: 'ok', job_id: 7 } 200 status,statusText,headers,data`},
	{"the server's time", `console.log((await BaaS.getServerDate()).data.time)`,
		"api", `{"method":"GET","path":"/oserve/v2.2/server/time/","query":null,"body":null}`, `{"status":200,"body":{"time":"2026"}}`, `2026`},
	{"what became of a bulk operation", `console.log((await BaaS.getAsyncJobResult(7)).data)`,
		"api", `{"method":"GET","path":"/oserve/v1/bulk-operation/7/","query":null,"body":null}`, `{"status":200,"body":{"id":7}}`, `{ id: 7 }`},
	{"orders are listed", `const { data } = await new BaaS.Order().find({ status: "success", limit: 2 }); console.log(data.objects.length)`,
		"api", `{"method":"GET","path":"/dserve/v1/pay/order/","query":{"status":"success","limit":2},"body":null}`,
		`{"status":200,"body":{"objects":[1,2]}}`, `2`},
	{"orders are listed by their other name", `const { data } = await BaaS.getOrderList({ paid_at__gte: 5 }); console.log(data.objects.length)`,
		"api", `{"method":"GET","path":"/dserve/v1/pay/order/","query":{"paid_at__gte":5},"body":null}`,
		`{"status":200,"body":{"objects":[1,2]}}`, `2`},
	{"an order is paid back", `const { data } = await new BaaS.Order().refund({ trade_no: "T1", refund_amount: 0.5, memo: "m" }); console.log(data)`,
		"api", `{"method":"POST","path":"/dserve/v1/payment/refund/","query":null,"body":{"trade_no":"T1","refund_amount":0.5,"memo":"m"}}`,
		`{"status":200,"body":{"status":"succeed"}}`, `{ status: 'succeed' }`},
	{"a mail is sent", `const { data } = await BaaS.sendEmail({ recipient: "a@b.c", subject: "s", body: "b" }); console.log(data)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/mail/","query":null,"body":{"recipient":"a@b.c","subject":"s","body":"b"}}`,
		`{"status":200,"body":{"status":"ok"}}`, `{ status: 'ok' }`},
	{"the platform cannot be reached", `try { await BaaS.getServerDate() } catch (e) { console.log(e.code, e.message, e.status, e.request, Object.keys(e).join()) }`,
		"api", `{"method":"GET","path":"/oserve/v2.2/server/time/","query":null,"body":null}`, `!{"message":"network disconnected","status":600}`,
		`600 600: network disconnected undefined { method: 'GET', path: '/oserve/v2.2/server/time/' } code`},
	{"the platform takes too long", `try { await BaaS.getServerDate() } catch (e) { console.log(e.code, e.message) }`,
		"api", `{"method":"GET","path":"/oserve/v2.2/server/time/","query":null,"body":null}`, `!{"message":"request timeout","status":601}`,
		`601 601: request timeout`},
}

func TestBaaSCallsEndpoints(t *testing.T) {
	for _, c := range slices.Concat(calls, rowCalls, userCalls, fileCalls, requestCalls, messageCalls) {
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
			want, whole := strings.CutPrefix(c.want, "\x00") // want is the whole log, with its levels
			if !whole {
				want = "LOG " + want
			}
			if diff := cmp.Diff(want+"\n", got); diff != "" {
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

// TestBaaSRefusesWrongArguments checks that wrong arguments throw code 605 immediately and that nothing is sent.
func TestBaaSRefusesWrongArguments(t *testing.T) {
	const base = "BaaSError 605 605: incorrect parameter type: "
	for src, want := range map[string]string{
		`BaaS.invoke("")`: "BaaS.invoke needs the name of a function", `BaaS.invoke(5)`: "BaaS.invoke needs the name of a function",
		`BaaS.invokeFunction()`:                                "BaaS.invokeFunction needs the name of a function",
		`BaaS.getAsyncJobResult()`:                             "the id of an operation is needed",
		`BaaS.sendEmail()`:                                     "sendEmail needs an object",
		`new BaaS.TableObject()`:                               "the id of a table is needed",
		`new BaaS.TableObject({})`:                             "the id of a table is needed",
		`table.get()`:                                          "the id of a row is needed",
		`table.getWithoutData()`:                               "the id of a row is needed",
		`table.getWithoutData({})`:                             "the id of a row is needed",
		`table.delete()`:                                       "the id of a row is needed",
		`table.delete([])`:                                     "the id of a row is needed",
		`table.createMany({})`:                                 "createMany needs an array of rows",
		`table.createMany([5])`:                                "set needs the name of a field",
		`table.limit("x")`:                                     "limit must be an integer",
		`table.limit(1.5)`:                                     "limit must be an integer",
		`table.offset(null)`:                                   "offset must be an integer",
		`table.setQuery({})`:                                   "setQuery needs a Query",
		`row.set(5)`:                                           "set needs the name of a field",
		`row.set("")`:                                          "set needs the name of a field",
		`row.set([1])`:                                         "set needs the name of a field",
		`row.set("a", 1).unset("a")`:                           "a is set already",
		`row.unset({ a: "" }).set("a", 1)`:                     "a is unset already",
		`row.unset(5)`:                                         "unset needs the name of a field",
		`row.patchObject("a", [1])`:                            "patchObject needs an object",
		`row.patchObject("a", "b")`:                            "patchObject needs an object",
		`row.pop(1)`:                                           "pop needs the name of a field",
		`row.shift()`:                                          "shift needs the name of a field",
		`row.set("a", table.create())`:                         "a record without an id cannot be pointed at",
		`query.compare("a", "~", 1)`:                           `unknown operator "~", there are = != < <= > >=`,
		`query.compare("", "=", 1)`:                            "a condition needs a text",
		`query.contains("a", "")`:                              "contains needs a text",
		`query.contains("a", 5)`:                               "contains needs a text",
		`query.matches("a", "b")`:                              "matches needs a RegExp",
		`query.matches("a", new RegExp(""))`:                   "matches needs a RegExp that is not empty",
		`query.in("a", 1)`:                                     "in needs an array",
		`query.notIn("a", "b")`:                                "notIn needs an array",
		`query.arrayContains("a", {})`:                         "arrayContains needs an array",
		`query.range("a", [1])`:                                "range needs [from, to]",
		`query.isNull()`:                                       "a condition needs a text",
		`query.exists(["a", 5])`:                               "a condition needs a text",
		`query.hasKey("a")`:                                    "hasKey needs a text",
		`query.include("a", [1, 2])`:                           "include needs a GeoPoint",
		`query.within("a", point)`:                             "within needs a GeoPolygon",
		`query.withinCircle("a", {}, 1)`:                       "withinCircle needs a GeoPoint",
		`query.withinCircle("a", point)`:                       "withinCircle needs a radius in kilometres",
		`query.withinRegion("a", 5)`:                           "withinRegion needs a GeoPoint",
		`BaaS.Query.and(query, {})`:                            "Query.and needs a Query",
		`new BaaS.GeoPoint("1", 2)`:                            "a GeoPoint needs longitude and latitude",
		`new BaaS.GeoPolygon([[1, 2], [3, 4], [1, 2]])`:        "a GeoPolygon needs at least 4 points",
		`new BaaS.GeoPolygon([[1, 2], [3, 4], [5, 6], [1]])`:   "a point is [longitude, latitude] or a GeoPoint",
		`new BaaS.User().get()`:                                "the id of a user is needed",
		`new BaaS.User().getWithoutData({})`:                   "the id of a user is needed",
		`new BaaS.User().delete("")`:                           "the id of a user is needed",
		`new BaaS.User().getWithoutData(query).setAccount({})`: "setAccount needs the record of one user",
		`new BaaS.Order().refund()`:                            "refund needs order_id, trade_no or transaction_no",
		`new BaaS.UserGroup().get()`:                           "the id of a group is needed",
		`new BaaS.File().get()`:                                "the id of a file is needed",
		`new BaaS.File().delete([])`:                           "delete needs ids",
		`new BaaS.FileCategory().create("a")`:                  "a category needs { name }",
		`new BaaS.FileCategory().update(undefined, {})`:        "the id of a category is needed",
		`new BaaS.UserGroup().delete([])`:                      "delete needs ids",
		`new BaaS.TableSchema().getSchema()`:                   "the id of a table is needed",
		`new BaaS.TableSchema().createSchema()`:                "the description of a table is needed",
	} {
		r := newRealm(t, nil)
		got := r.eval(`(() => {
			const table = new BaaS.TableObject(1), row = table.create(), query = new BaaS.Query(), point = new BaaS.GeoPoint(1, 2);
			try { ` + src + `; console.log("no error") } catch (e) { console.log(e.name, e.code, e.message) }
		})()`)
		if got != "LOG "+base+want+"\n" || len(r.calls) > 0 {
			t.Errorf("%s: %s", src, got)
		}
	}
}

// TestUnsupportedCallsReject checks that unsupported calls reject with code 611 and name an alternative.
func TestUnsupportedCallsReject(t *testing.T) {
	for src, want := range map[string]string{
		`new BaaS.File().videoClip({})`:          "BaaS.File.videoClip: the platform does not change media",
		`new BaaS.File().createDownloadTask({})`: "BaaS.File.createDownloadTask: download with BaaS.request",
		`new BaaS.Content().find()`:              "BaaS.Content.find: keep it in a table",
		`new BaaS.TableObject(1).exportData()`:   "BaaS.TableObject.exportData: page through the rows with find",
		`new BaaS.Order().chatPay({})`:           "BaaS.Order.chatPay: call the vendor with BaaS.request",
		`BaaS.chatCensorText("x")`:               "BaaS.chatCensorText: call the vendor with BaaS.request",
		`BaaS.chat.decryptData({})`:              "BaaS.chat.decryptData: it comes with the end users' API, which keep the session key",
		`BaaS.chat.UrlScheme({})`:                "BaaS.chat.UrlScheme: call the vendor",
		`BaaS.alt.getQRCode()`:                   "BaaS.alt.getQRCode: call the vendor",
		`BaaS.alt.sendSubscribeMessage({})`:      "BaaS.alt.sendSubscribeMessage: alt has none",
		`BaaS.tpay.censorText("x")`:              "BaaS.tpay.censorText: call the vendor",
	} {
		r := newRealm(t, nil)
		got := r.eval(`(async () => ` + src + `)().then(() => console.log("done"), (e) => console.log(e.code, e.message))`)
		if !strings.HasPrefix(got, "LOG 611 611: unsupported function "+want) || len(r.calls) > 0 {
			t.Errorf("%s: %s", src, got)
		}
	}
}

// TestUseVersionAcceptsVersion3 checks that versions 3 and 2 are accepted without effect and unknown versions are
// refused (F12).
func TestUseVersionAcceptsVersion3(t *testing.T) {
	r := newRealm(t, nil)
	got := r.eval(`console.log(BaaS.VERSION);
		for (const v of ["v2", "2.0.0", "v3.20", "3", "3.21", "4", "1.9", "x"]) try { BaaS.useVersion(v); console.log(v, "ok") } catch (e) { console.log(e.name, e.message) }`)
	want := "LOG 3.20.0\nLOG v2 ok\nLOG 2.0.0 ok\nLOG v3.20 ok\nLOG 3 ok\nLOG Error BaaS@3.21 not found\n" +
		"LOG Error BaaS@4 not found\nLOG Error BaaS@1.9 not found\nLOG Error BaaS@x not found\n"
	if got != want {
		t.Errorf("%s", got)
	}
}

func TestValidatorCallsHandlerOfEvent(t *testing.T) {
	r := newRealm(t, nil)
	got := r.eval(`const v = new BaaS.Validator({ onCreate: (event) => event.data.payload.n > 0, onBulkUpdate() { return "bulk"; }, onDelete: 5 });
		console.log(v.validate({ data: { event: "create", payload: { n: 1 } } }), v.validate({ data: { event: "bulk_update" } }), v.validate({ data: { event: "delete" } }), v.validate({}))`)
	if got != "LOG true bulk true true\n" {
		t.Errorf("%s", got)
	}
}

// TestSaveClearsRecord checks that save clears the record's changes, and that the settings of a list apply to one
// call.
func TestSaveClearsRecord(t *testing.T) {
	r := newRealm(t, nil)
	var asked []string
	r.answer = func(_, text string) (string, error) {
		asked = append(asked, text)
		return `{"status":200,"body":{"id":"x"}}`, nil
	}
	r.eval(`(async () => {
		const table = new BaaS.TableObject(1), row = table.getWithoutData("a");
		await row.set("a", 1).unset("b").update();
		await row.update();
		await table.limit(2).find();
		await table.find();
	})()`)
	for i, want := range []string{
		`"body":{"$set":{"a":1},"$unset":{"b":""}}`, `"body":{}`, `"query":{"limit":2}`, `"query":{}`,
	} {
		if len(asked) != 4 || !strings.Contains(asked[i], want) {
			t.Fatalf("call %d: %v, want %s", i, asked, want)
		}
	}
}

// TestPointersAreExpanded checks that pointers are expanded with one list request per target table, and that a
// pointer to a removed row stays a pointer.
func TestPointersAreExpanded(t *testing.T) {
	r := newRealm(t, nil)
	asked := map[string]string{}
	r.answer = func(_, text string) (string, error) {
		var in struct {
			Path  string
			Query map[string]any
		}
		if err := json.Unmarshal([]byte(text), &in); err != nil {
			return "", err
		}
		asked[in.Path] += text
		switch in.Path {
		case "/oserve/v2.4/table/books/record/":
			return `{"status":200,"body":{"objects":[
				{"id":"1","author":{"_table":"authors","id":"a"},"shop":{"_table":"gone","id":"s"},"created_by":9},
				{"id":"2","author":{"_table":"authors","id":"b"},"shop":null,"created_by":9}]}}`, nil
		case "/oserve/v2.4/table/authors/record/":
			return `{"status":200,"body":{"objects":[{"id":"a","name":"Ada","age":36}]}}`, nil
		case "/userve/v2.2/miniapp/user_profile/":
			return `{"status":200,"body":{"objects":[{"id":9,"nickname":"Eve"}]}}`, nil
		}
		return "", errors.New(`{"message":"no such table","status":404}`)
	}

	got := r.eval(`(async () => {
		const books = new BaaS.TableObject("books");
		const { data } = await books.expand(["author", "shop", "created_by"]).select("author.name,shop,created_by").find();
		for (const { author, shop, created_by } of data.objects) console.log(JSON.stringify([author, shop, created_by.nickname, created_by._table]));
		await books.find();
	})()`)
	want := `LOG [{"id":"a","_id":"a","name":"Ada","_table":"authors"},{"_table":"gone","id":"s"},"Eve",null]
LOG [{"_table":"authors","id":"b"},null,"Eve",null]
`
	if got != want {
		t.Errorf("%s", got)
	}

	for path, part := range map[string]string{
		"/oserve/v2.4/table/books/record/":   `"query":{"keys":"author,shop,created_by"}`,
		"/oserve/v2.4/table/authors/record/": `{\"id\":{\"$in\":[\"a\",\"b\"]}}`,
		"/userve/v2.2/miniapp/user_profile/": `{\"id\":{\"$in\":[9]}}`,
	} {
		if !strings.Contains(asked[path], part) || strings.Contains(asked[path], "expand") ||
			path != "/oserve/v2.4/table/books/record/" && strings.Count(asked[path], path) != 1 {
			t.Errorf("%s was asked %s", path, asked[path])
		}
	}
}

// TestUsersAreExpanded checks that pointers in custom fields of users are expanded like those of rows (F14).
func TestUsersAreExpanded(t *testing.T) {
	r := newRealm(t, nil)
	r.answer = func(_, text string) (string, error) {
		if strings.Contains(text, "/oserve/v2.4/table/cities/record/") {
			return `{"status":200,"body":{"objects":[{"id":"c","name":"Paris"}]}}`, nil
		}
		return `{"status":200,"body":{"id":9,"city_of":{"_table":"cities","id":"c"}}}`, nil
	}
	got := r.eval(`(async () => {
		const { data } = await new BaaS.User().expand("city_of").get(9);
		console.log(JSON.stringify(data.city_of));
	})()`)
	if got != `LOG {"id":"c","name":"Paris","_id":"c","_table":"cities"}`+"\n" {
		t.Errorf("%s", got)
	}
}
