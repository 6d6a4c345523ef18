package prelude

import (
	"strings"
	"testing"
	"time"
)

const okAnswer = `{"status_code":200,"status_text":"OK","headers":{"content-type":"text/plain"},"body":"ok","base64":false}`

// requestCalls are requests to the internet (F18).
var requestCalls = []conversation{
	{"request sends data of a GET as its body", `const r = await BaaS.request({ url: "https://x.example/a?b=1#h", data: { c: ["d e", 2] }, headers: { "X-A": 1 } }); console.log(r.status, r.statusCode, r.data, r.headers.etag, Object.keys(r).join())`,
		"request", `{"url":"https://x.example/a?b=1","method":"GET","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/json","X-A":"1","User-Agent":"axios/1.21.1"},"body":"{\"c\":[\"d e\",2]}","base64":false}`,
		`{"status_code":200,"status_text":"OK","headers":{"content-type":"application/json; charset=utf-8","etag":"x"},"body":"{\"ok\":true}","base64":false}`,
		`200 200 { ok: true } x status,statusText,headers,data`},
	{"params, base and authorization", `const r = await BaaS.request.get("users", { baseURL: "https://x.example/v1/", params: { a: 1, at: new Date(0), none: null, o: { k: "v" } }, auth: { username: "ada", password: "é" } }); console.log(r.statusText, r.data)`,
		"request", `{"url":"https://x.example/v1/users?a=1&at=1970-01-01T00:00:00.000Z&o%5Bk%5D=v","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1","Authorization":"Basic YWRhOsOp"},"body":null,"base64":false}`, okAnswer, `OK ok`},
	{"a serializer of one's own", `await BaaS.request({ url: "https://x.example/", params: { a: [1, 2] }, paramsSerializer: { serialize: (p) => "a=" + p.a.join() } }); console.log("sent")`,
		"request", `{"url":"https://x.example/?a=1,2","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`, okAnswer, `sent`},
	{"request posts JSON", `const r = await BaaS.request.post("https://x.example/", { é: 1 }, { timeout: 1000, maxRedirects: 0 }); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"POST","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/json","User-Agent":"axios/1.21.1"},"body":"{\"é\":1}","base64":false,"timeout":1000,"max_redirects":0}`, okAnswer, `ok`},
	{"request posts a text", `await BaaS.request.put("https://x.example/", "a=1"); console.log("sent")`,
		"request", `{"url":"https://x.example/","method":"PUT","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/x-www-form-urlencoded","User-Agent":"axios/1.21.1"},"body":"a=1","base64":false}`, okAnswer, `sent`},
	{"request posts an object as a form", `await BaaS.request({ url: "https://x.example/", method: "patch", data: { a: "b c" }, headers: { "Content-Type": "application/x-www-form-urlencoded" } }); console.log("sent")`,
		"request", `{"url":"https://x.example/","method":"PATCH","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/x-www-form-urlencoded","User-Agent":"axios/1.21.1"},"body":"a=b+c","base64":false}`, okAnswer, `sent`},
	{"request posts a form", `await BaaS.request({ url: "https://x.example/", method: "POST", data: new URLSearchParams({ a: "b c" }) }); console.log("sent")`,
		"request", `{"url":"https://x.example/","method":"POST","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/x-www-form-urlencoded;charset=utf-8","User-Agent":"axios/1.21.1"},"body":"a=b+c","base64":false}`, okAnswer, `sent`},
	{"request posts bytes and reads bytes", `const r = await BaaS.request({ url: "https://x.example/", method: "PUT", data: new Uint8Array([0, 255]) }); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"PUT","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/x-www-form-urlencoded","User-Agent":"axios/1.21.1"},"body":"AP8=","base64":true}`,
		`{"status_code":200,"headers":{"content-type":"image/png"},"body":"iVBO","base64":true}`, `<Buffer 89 50 4e>`},
	{"a text as bytes", `const r = await BaaS.request("https://x.example/", { responseType: "arraybuffer" }); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`, okAnswer, `<Buffer 6f 6b>`},
	{"text is JSON whatever its type, unless it is asked for", `console.log((await BaaS.request("https://x.example/")).data, (await BaaS.request("https://x.example/", { responseType: "text" })).data)`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`{"status_code":200,"headers":{"content-type":"text/html"},"body":"[1]","base64":false}`, `[ 1 ] [1]`},
	{"request reads text sent as bytes", `const r = await BaaS.request("https://x.example/"); console.log(r.data)`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`{"status_code":200,"headers":{"content-type":"text/html"},"body":"w6k=","base64":true}`, `é`},
	{"a status outside of 200 to 299", `try { await BaaS.request.delete("https://x.example/") } catch (e) { console.log(e.name, e.message, e.code, e.isAxiosError, BaaS.request.isAxiosError(e), e.response.status, e.response.data, e.status) }`,
		"request", `{"url":"https://x.example/","method":"DELETE","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`{"status_code":404,"headers":{},"body":"no","base64":false}`, `RequestError Request failed with status code 404 ERR_BAD_REQUEST true true 404 no 404`},
	{"a status of one's own", `const r = await BaaS.request.head("https://x.example/", { validateStatus: (s) => s === 503 }); console.log(r.status)`,
		"request", `{"url":"https://x.example/","method":"HEAD","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`{"status_code":503,"headers":{},"body":"","base64":false}`, `503`},
	{"a server's failure", `await BaaS.request.options("https://x.example/").catch((e) => console.log(e.code))`,
		"request", `{"url":"https://x.example/","method":"OPTIONS","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`{"status_code":500,"headers":{},"body":"","base64":false}`, `ERR_BAD_RESPONSE`},
	{"too late", `await BaaS.request("https://x.example/", { timeout: 1000 }).catch((e) => console.log(e.code, e.message, e.response))`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false,"timeout":1000}`,
		`!{"message":"x.example did not answer","code":"ECONNABORTED"}`, `ECONNABORTED timeout of 1000ms exceeded undefined`},
	{"an address that is not to be called", `await BaaS.request("http://10.0.0.1/").catch((e) => console.log(e.name, e.code, e.message))`,
		"request", `{"url":"http://10.0.0.1/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`,
		`!{"message":"host \"10.0.0.1\" is a forbidden address (private)","code":"ERR_BLOCKED_ADDRESS"}`,
		`RequestError ERR_BLOCKED_ADDRESS host "10.0.0.1" is a forbidden address (private)`},
	{"too much", `await BaaS.request("https://x.example/", { maxContentLength: 1 }).catch((e) => console.log(e.code, e.message))`,
		"request", `{"url":"https://x.example/","method":"GET","headers":{"Accept":"application/json, text/plain, */*","User-Agent":"axios/1.21.1"},"body":null,"base64":false}`, okAnswer,
		`ERR_BAD_RESPONSE maxContentLength size of 1 exceeded`},
	{"transforms, defaults and interceptors", `const api = BaaS.request.create({ baseURL: "https://x.example", headers: { common: { A: "1" }, post: { B: "2" } } });
		api.interceptors.request.use((config) => ({ ...config, headers: { ...config.headers, C: "3" } }));
		const id = api.interceptors.request.use(() => { throw new Error("no") }); api.interceptors.request.eject(id);
		api.interceptors.response.use((r) => r.data + "!");
		console.log(await api.post("/a", { n: 1 }, { transformRequest: [(data, headers) => { headers.D = "4"; return JSON.stringify(data) + "#" }], transformResponse: (text) => text + text }))`,
		"request", `{"url":"https://x.example/a","method":"POST","headers":{"Accept":"application/json, text/plain, */*","Content-Type":"application/x-www-form-urlencoded","A":"1","B":"2","C":"3","D":"4","User-Agent":"axios/1.21.1"},"body":"{\"n\":1}#","base64":false}`, okAnswer, `okok!`},
}

// TestRefusesRequestsBeforeSending covers refused requests, and members that send nothing.
func TestRefusesRequestsBeforeSending(t *testing.T) {
	for src, want := range map[string]string{
		`BaaS.request()`:             "TypeError BaaS.request needs an object: { url, method, headers, data }",
		`BaaS.request({})`:           "TypeError BaaS.request needs a url",
		`BaaS.request({ url: "x" })`: "TypeError Invalid URL ERR_INVALID_URL",
		`BaaS.request("https://a/", { signal: AbortSignal.abort() })`:                                                                                          "CanceledError canceled ERR_CANCELED",
		`(() => { const { token, cancel } = BaaS.request.CancelToken.source(); cancel("stop"); return BaaS.request("https://a/", { cancelToken: token }) })()`: "CanceledError stop ERR_CANCELED",
		`console.log(BaaS.request.getUri({ url: "/a", baseURL: "https://x/", params: { b: "ü" } }))`:                                                           "https://x/a?b=%C3%BC",
		`BaaS.request.all([1, Promise.resolve(2)]).then(BaaS.request.spread((a, b) => console.log(a + b)))`:                                                    "3",
		`console.log(typeof BaaS.request.request, BaaS.request.defaults.headers.common.Accept, BaaS.request.isCancel(5))`:                                      "function application/json, text/plain, */* false",
		// Logging an error must not log the headers that were sent.
		`BaaS.request.post("https://a/", "secret", { headers: { key: "secret" }, maxBodyLength: 1 }).catch((e) => console.log(JSON.stringify(Object.keys(e)), require("util").inspect(e).includes("secret")))`: `["code"] false`,
	} {
		r := newRealm(t, nil)
		r.answer = func(string, string) (string, error) { return okAnswer, nil }
		got := r.eval(`(async () => ` + src + `)().catch((e) => console.log(...[e.name, e.message, e.code].filter((v) => v !== undefined)))`)
		if strings.TrimPrefix(got, "LOG ") != want+"\n" {
			t.Errorf("%s: %s", src, got)
		}
	}
}

// TestCancelsRequestInFlight checks that an abort signal cancels a request in flight.
func TestCancelsRequestInFlight(t *testing.T) {
	r := newRealm(t, nil)
	r.answer = func(string, string) (string, error) {
		time.Sleep(5 * time.Millisecond) // the response arrives after the timer is due
		return okAnswer, nil
	}
	got := r.eval(`const c = new AbortController();
		setTimeout(() => c.abort(), 1);
		BaaS.request("https://a/", { signal: c.signal }).then((r) => console.log("answered"), (e) => console.log(e.code, BaaS.request.isCancel(e)))`)
	if got != "LOG ERR_CANCELED true\n" {
		t.Errorf("%q", got)
	}
}
