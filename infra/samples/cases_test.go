package samples

// cases are the arguments of each sample and its expected result.
var cases = []struct {
	sample  string
	data    string            // JSON argument of the sample
	answers map[string]string // responses of the platform and other servers, see platform.answers; "404!text" refuses
	want    string
	log     string
}{
	{sample: "sum", data: `{"a":1,"b":2}`, want: `{"sum":3}`},
	{sample: "sum-callback", data: `{"a":1,"b":2}`, want: `{"sum":3}`},
	{
		sample: "sum-module", data: `{"text":"abc"}`,
		want: `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`,
	},
	{
		sample: "paid", data: `{"merchandise_record_id":"5f","total_cost":9.9,"trade_no":"42"}`,
		answers: map[string]string{"PUT /oserve/v2.6/table/goods/record/5f/": `{"id":"5f"}`}, want: "9.9",
	},
	{sample: "paid", data: `{"merchandise_record_id":null}`, want: "null"},
	{
		sample: "invoke", data: `{"goods":"tea"}`, want: "5", answers: map[string]string{
			"invoke price": `{"code":0,"data":5,"error":{}}`, "invoke report": `{"status":"ok","job_id":8}`,
		},
	},
	{
		sample: "invoke", data: `{}`, want: "Error: no price: sold out", answers: map[string]string{
			"invoke price": `{"code":1,"data":null,"error":{"type":"Error","message":"sold out"}}`,
		},
	},
	{
		sample: "rows", data: `{}`, want: "1", log: "1 [ 'Ada' ]", answers: map[string]string{
			"GET /oserve/v2.4/table/city/record/": `{"meta":{"total_count":1},
				"objects":[{"id":"5f","mayor":{"_table":"people","id":"6a"}}]}`,
			"GET /oserve/v2.4/table/people/record/":  `{"meta":{},"objects":[{"id":"6a","name":"Ada"}]}`,
			"POST /oserve/v2.4/table/city/record/":   `{"id":"7b","name":"Lyon"}`,
			"PUT /oserve/v2.6/table/city/record/":    `{"succeed":1,"operation_result":[]}`,
			"PUT /oserve/v2.6/table/city/record/7b/": `{"id":"7b"}`,
		},
	},
	{
		sample: "users", data: `{"password":"secret","group":3}`, want: `["ada"]`, answers: map[string]string{
			"POST /dserve/v1/user/profile/":              `{"id":9}`,
			"PATCH /oserve/v1/miniapp/group/membership/": `null`,
			"GET /userve/v2.2/miniapp/user_profile/":     `{"meta":{},"objects":[{"id":9,"_username":"ada"}]}`,
		},
	},
	{
		sample: "orders", data: `{}`, want: "11", answers: map[string]string{
			"GET /dserve/v1/pay/order/": `{"meta":{},"objects":[{"total_cost":9.5},{"total_cost":1.5}]}`,
		},
	},
	{
		sample: "uploads", data: `{"category":"c1"}`, want: `"https://f.example.com/x.csv"`, answers: map[string]string{
			"POST /oserve/v2.1/upload/": `{"id":"5f","path":"https://f.example.com/x.csv","file_link":"https://f.example.com/x.csv",` +
				`"cdn_path":"x.csv","name":"prices.csv","created_at":7,"policy":"p","authorization":"a","upload_url":"https://a.example.com/upload/5f/"}`,
			"POST /upload/5f/":                       `{"code":200,"message":"ok","file_size":15,"mimetype":"text/csv"}`,
			"POST /oserve/v2.4/table/report/record/": `{"id":"60"}`,
			"GET /oserve/v2.2/file/":                 `{"meta":{},"objects":[{"id":"4f"}]}`,
			"DELETE /oserve/v2.2/file/":              `null`,
		},
	},
	{
		sample: "mail", data: `{"recipient":"ada@example.com","name":"Ada"}`, want: `"ok"`,
		answers: map[string]string{"POST /dserve/v1/message/mail/": `{"status":"ok"}`},
	},
	{
		sample: "news", data: `{"what":"green tea"}`, want: `"ok"`,
		answers: map[string]string{"POST /dserve/v1/message/sms/": `{"status":"ok"}`},
	},
	{
		sample: "request", data: `{"city":"Lyon"}`, want: "21",
		answers: map[string]string{"request GET https://weather.example.com/v1/now?city=Lyon": `{"temperature":21}`},
	},
	{
		sample: "request", data: `{"city":"Lyon"}`, want: "null", log: "WARN ",
		answers: map[string]string{"request GET https://weather.example.com/v1/now?city=Lyon": `601!the server is silent`},
	},
	{
		sample: "fetch", data: `{"id":7}`, want: `{"ok":true}`,
		answers: map[string]string{"request POST https://hooks.example.com/orders": `{"ok":true}`},
	},
	{
		sample: "https", data: `{"id":7}`, want: `{"status":200,"body":"{\"ok\":true}"}`,
		answers: map[string]string{"request POST https://api.example.com:443/v1/orders": `{"ok":true}`},
	},
	{sample: "validator", data: `{"event":"create","payload":{"people":-1}}`, want: "false"},
	{sample: "validator", data: `{"event":"bulk_delete"}`, want: "true"},
	{
		sample: "validator", data: `{"event":"update","payload":{"name":""}}`, want: "Error: a city has a name",
	},
	{sample: "files", data: `{}`, want: "39"},
	{
		sample: "errors", data: `{"id":"5f"}`, want: `"Lyon"`,
		answers: map[string]string{"GET /oserve/v2.4/table/city/record/5f/": `{"id":"5f","name":"Lyon"}`},
	},
	{
		sample: "errors", data: `{"id":"5f"}`, want: "null",
		answers: map[string]string{"GET /oserve/v2.4/table/city/record/5f/": `404!no row 5f`},
	},
	{
		sample: "errors", data: `{"id":"5f"}`, want: "Error: the city cannot be read",
		answers: map[string]string{"GET /oserve/v2.4/table/city/record/5f/": `503!later`},
	},
}
