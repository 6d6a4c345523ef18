package units

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"minicloud/infra/local/api"
)

const (
	functions = "/oserve/v1.3/cloud-function/"
	rows      = "/oserve/v2.4/table/%s/record/"
	row       = "/oserve/v2.6/table/%s/record/%s/"
	users     = "/userve/v2.2/miniapp/user_profile/"
)

// history is the number of runs and rows that exist when lists are measured.
const history = 30

// Request is one kind of measured request.
type Request struct {
	Name string
	send func(context.Context) error
}

// requests creates the data that the requests need and returns them in the order in which they must be measured: lists
// must see only the initial data.
func (b *Bench) requests(ctx context.Context) ([]Request, error) {
	if err := b.makeFunction(ctx); err != nil {
		return nil, err
	}
	plain, err := b.makeTable(ctx, "plain", false)
	if err != nil {
		return nil, err
	}
	indexed, err := b.makeTable(ctx, "indexed", true)
	if err != nil {
		return nil, err
	}

	if _, err := b.makeTable(ctx, "unique", false); err != nil {
		return nil, err
	}
	// Claims of the first rows are made with the index, so that the cost of a row does not depend on the background.
	_, err = b.client.Call(ctx, "POST", "/oserve/v2.6/schema/unique/index/", `{"fields":["height"],"unique":true}`)
	if err != nil {
		return nil, err
	}

	n := history
	change := func(field string) func() any {
		return func() any { n++; return map[string]any{field: fmt.Sprintf("value %d", n)} }
	}
	create := func() any { n++; return draft(n) }
	equal := fmt.Sprintf(rows, "indexed") + "?where=" + url.QueryEscape(`{"city":"city 3"}`)
	run := functions + "trivial/job/"
	return []Request{
		{Name: "unknown function, 404", send: b.refused("GET", functions+"unknown/", 404)},
		{Name: "token exchange", send: func(ctx context.Context) error { _, err := api.Connect(ctx, b.cloud); return err }},
		{Name: "job list, first page", send: b.call("GET", run, nil)},
		{Name: "synchronous run", send: b.call("POST", run, fixed(`{"data":{"n":1}}`))},
		{Name: "asynchronous run, until it has ended", send: b.call("POST", run, fixed(`{"data":{"n":1},"sync":false}`))},
		{Name: "debug run", send: b.call("POST", functions+"trivial/debug/", fixed(`{"data":{"n":1},"subject":"timer"}`))},
		{Name: "row list, first page", send: b.call("GET", fmt.Sprintf(rows, "plain"), nil)},
		{Name: "row list, equal to an indexed column", send: b.call("GET", equal, nil)},
		{Name: "row read", send: b.call("GET", fmt.Sprintf(rows, "plain")+plain+"/", nil)},
		{Name: "row update, no index", send: b.call("PUT", fmt.Sprintf(row, "plain", plain), change("city"))},
		{Name: "row update, an indexed column", send: b.call("PUT", fmt.Sprintf(row, "indexed", indexed), change("city"))},
		{Name: "row update, another column", send: b.call("PUT", fmt.Sprintf(row, "indexed", indexed), change("text"))},
		{Name: "row create, 0.5 KB, no index", send: b.call("POST", fmt.Sprintf(rows, "plain"), create)},
		{Name: "row create, 0.5 KB, two indexes", send: b.call("POST", fmt.Sprintf(rows, "indexed"), create)},
		{Name: "row create, 0.5 KB, a unique column", send: b.call("POST", fmt.Sprintf(rows, "unique"), create)},
		{Name: "row list, first page, expanded", send: b.call("GET", fmt.Sprintf(rows, "plain")+"?expand=created_by", nil)},
		{Name: "user list", send: b.call("GET", users, nil)},
		{Name: "payment on the bus, of a new order", send: b.pay},
		{Name: "order list, first page", send: b.orders("")},
		{Name: "order by its trade number", send: b.orders("?trade_no=T1")},
	}, nil
}

// pay puts the payment of a new order on the bus.
func (b *Bench) pay(ctx context.Context) error {
	b.paid++
	_, err := b.client.Call(ctx, "POST", "/_local/events", fmt.Sprintf(
		`{"detail-type":"payment","detail":{"miniapp":%d,"gateway_type":"chatpay","trade_no":"T%d","transaction_no":"N%d",
		"total_cost":1.5,"created_by":70,"merchandise_record_id":"r1","merchandise_description":"green tea"}}`,
		b.cloud.Credentials.Miniapp, b.paid, b.paid))
	return err
}

// orders returns a request that lists the orders made by pay, with the credentials of the application's own servers.
func (b *Bench) orders(query string) func(context.Context) error {
	service := &api.Client{Base: b.cloud.URL, Header: http.Header{
		"Authorization": {"Service-r1 " + b.client.Token}, "X-Service-Client-Id": {b.cloud.Credentials.ClientID},
	}}
	return as(service, "GET", "/hserve/v2.2/idp/pay/order/"+query, nil)
}

// as returns a request of a client whose body is built anew each time; a nil body sends none.
func as(c *api.Client, method, path string, body func() any) func(context.Context) error {
	return func(ctx context.Context) error {
		if body == nil {
			return c.Send(ctx, method, path, nil, nil)
		}
		return c.Send(ctx, method, path, body(), nil)
	}
}

// always returns the same body each time.
func always(body any) func() any { return func() any { return body } }

// numbered returns bodies with one member, whose format has a verb for a number.
func numbered(name, format string) func() any {
	n := 0
	return func() any { n++; return map[string]any{name: fmt.Sprintf(format, n)} }
}

// fixed returns the same JSON each time.
func fixed(body string) func() any { return always(json.RawMessage(body)) }

// call returns a request of the demo application.
func (b *Bench) call(method, path string, body func() any) func(context.Context) error {
	return as(b.client, method, path, body)
}

// refused returns a request that must fail with this status.
func (b *Bench) refused(method, path string, status int) func(context.Context) error {
	return func(ctx context.Context) error {
		answer, err := b.client.Call(ctx, method, path, "")
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("status %d:", status)) {
			return fmt.Errorf("want status %d, got %w %s", status, err, answer)
		}
		return nil
	}
}

// makeFunction creates a function with a history of runs.
func (b *Bench) makeFunction(ctx context.Context) error {
	const code = "exports.main = async (event) => event.data.n"
	_, err := b.client.Call(ctx, "POST", functions, `{"name":"trivial","function_code":"`+code+`"}`)
	for n := 0; n < history && err == nil; n++ {
		_, err = b.client.Call(ctx, "POST", functions+"trivial/job/", `{"data":{"n":1}}`)
	}
	return err
}

// makeTable creates a table with rows, with two indexed columns or none, and returns the id of a row.
func (b *Bench) makeTable(ctx context.Context, name string, indexed bool) (string, error) {
	schema := fmt.Sprintf(`{"name":%q,"schema":{"fields":[{"name":"city","type":"string","indexed":%t},
		{"name":"height","type":"number","indexed":%t},{"name":"text","type":"string"}]}}`, name, indexed, indexed)
	if _, err := b.client.Call(ctx, "POST", "/oserve/v1.8/table/", schema); err != nil {
		return "", err
	}

	var made struct {
		ID string `json:"id"`
	}
	for n := range history {
		if err := b.client.Send(ctx, "POST", fmt.Sprintf(rows, name), draft(n), &made); err != nil {
			return "", err
		}
	}
	return made.ID, nil
}

// draft returns row n, about 0.5 KB in its stored form.
func draft(n int) map[string]any {
	return map[string]any{"city": fmt.Sprint("city ", n%10), "height": float64(n) + 0.5, "text": strings.Repeat("x", 300)}
}
