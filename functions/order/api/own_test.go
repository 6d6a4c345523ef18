package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// TestOwnOrders is the matrix of strangers: an end user sees own orders only, whatever they ask for; an access token of
// the application sees all (C5); who has no session sees none.
func TestOwnOrders(t *testing.T) {
	p := newPlatform(t)
	staging, bank := tenant.Scope{App: 7, Env: testEnv}, tenant.Scope{App: 8, Env: tenant.Production}
	for i, o := range []struct {
		scope tenant.Scope
		user  int64
		no    string
	}{
		{shop, 70, "bob1"}, {shop, 71, "eve1"}, {shop, 70, "bob2"}, {staging, 70, "staged"}, {bank, 70, "banked"}, {shop, 0, "none"},
	} {
		p.pay(t, o.scope, order.Order{
			Gateway: order.Chatpay, TradeNo: "T" + o.no, TransactionNo: "N" + o.no, Total: 1, CreatedBy: o.user,
			MerchandiseRecord: "r", MerchandiseSchema: 12, CreatedAt: noon.Add(time.Duration(i-10) * time.Minute),
		})
	}

	const env, client = "X-Service-Env-ID", "X-Service-Client-ID"
	callers := []struct {
		name    string
		headers []string
		sees    string
	}{
		{"Bob", []string{"Authorization", "Service-r1 " + bobToken}, "bob2 bob1"},
		{"Eve", []string{"Authorization", "Service-r1 " + eveToken}, "eve1"},
		{"a guest", []string{"Authorization", "Service-r1 " + guestToken}, ""},
		{"Bob of staging", []string{"Authorization", "Service-r1 " + stagingToken, env, string(testEnv)}, "staged"},
		{"Bob of the bank", []string{"Authorization", "Service-r1 " + bobToken, client, "00000000000000000008"}, "banked"},
		{"the shop", nil, "none bob2 eve1 bob1"},
		{"the bank", []string{"Authorization", "Service-r1 bank", client, "00000000000000000008"}, "banked"},
	}
	all := []string{"bob1", "eve1", "bob2", "staged", "banked", "none"}
	for _, who := range callers {
		for _, path := range []string{list, older} {
			for _, query := range []string{
				"", "merchandise_record_id=r", "merchandise_schema_id=12", "gateway_type=chatpay", "status=success", "refund_status=",
				"where={}&order_by=&keys=", "merchandise_record_id=r&status=success", "created_by_id=71",
			} {
				if got := p.list(t, path+"?"+query, who.headers...); got != who.sees {
					t.Errorf("%s lists %q of %s, want %q", who.name, got, query, who.sees)
				}
			}
			// Only an access token selects a user.
			want := map[string]string{"the shop": "eve1", "the bank": ""}
			if _, trusted := want[who.name]; !trusted {
				want[who.name] = who.sees
			}
			if got := p.list(t, path+"?created_by=71", who.headers...); got != want[who.name] {
				t.Errorf("%s lists %q of Eve, want %q", who.name, got, want[who.name])
			}
			if got, want := p.list(t, path+"?order_by=created_at", who.headers...), reversed(who.sees); got != want {
				t.Errorf("%s lists %q, oldest first, want %q", who.name, got, want)
			}
			for _, no := range all {
				sees := strings.Contains(" "+who.sees+" ", " "+no+" ")
				for _, query := range []string{"trade_no=T" + no, "transaction_no=N" + no} {
					if got := p.list(t, path+"?"+query, who.headers...); (got == no) != sees || !sees && got != "" {
						t.Errorf("%s finds %q by %s", who.name, got, query)
					}
				}
				status, body := p.get(t, path+"N"+no+"/", who.headers...)
				if (status == 200) != sees || !sees && (status != 404 || strings.Contains(body, "T"+no)) {
					t.Errorf("%s reads %s: %d %s", who.name, no, status, body)
				}
			}
		}
	}

	for name, headers := range map[string][]string{
		"nobody": {"Authorization", ""}, "an old session": {"Authorization", "Service-r1 " + strings.Repeat("0", 32)},
		"Eve in staging": {"Authorization", "Service-r1 " + eveToken, env, string(testEnv)},
	} {
		for _, path := range []string{list, older, list + "Nbob1/"} {
			if status, body := p.get(t, path, headers...); status != 401 {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
	}
	// A missing order and another's have the same answer.
	_, missing := p.get(t, list+"Nnobody/", "Authorization", "Service-r1 "+bobToken)
	_, hidden := p.get(t, list+"Neve1/", "Authorization", "Service-r1 "+bobToken)
	if strings.Replace(hidden, "Neve1", "Nnobody", 1) != missing {
		t.Errorf("missing %s, hidden %s", missing, hidden)
	}
}

// list returns the numbers of the orders of a list, page by page.
func (p *platform) list(t testing.TB, path string, headers ...string) string {
	t.Helper()
	var numbers []string
	for path += "&limit=1"; path != ""; {
		status, body := p.get(t, path, headers...)
		var got struct {
			Meta struct {
				Next  *string
				Total int `json:"total_count"`
			}
			Objects []struct {
				No string `json:"transaction_no"`
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		for _, o := range got.Objects {
			numbers = append(numbers, strings.TrimPrefix(o.No, "N"))
		}
		if path = ""; got.Meta.Next != nil {
			path = *got.Meta.Next
		} else if got.Meta.Total != len(numbers) {
			t.Errorf("total_count is %d of %d", got.Meta.Total, len(numbers))
		}
	}
	return strings.Join(numbers, " ")
}

func reversed(words string) string {
	all := strings.Fields(words)
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return strings.Join(all, " ")
}

// TestOwnOrdersAreFoundByAnIndex: the list of a user costs the same among 3 and among 200 orders of others.
func TestOwnOrdersAreFoundByAnIndex(t *testing.T) {
	p := newPlatform(t)
	headers := []string{"Authorization", "Service-r1 " + bobToken}
	var costs [2]dynamotest.Cost
	for round, others := range []int{3, 200} {
		for i := range others {
			p.pay(t, shop, order.Order{
				Gateway: order.Chatpay, TransactionNo: fmt.Sprint("N", round, "-", i), Total: 1,
				CreatedBy: 71, CreatedAt: noon.Add(time.Duration(-i) * time.Minute),
			})
		}
		if round == 0 {
			p.pay(t, shop, order.Order{Gateway: order.Chatpay, TransactionNo: "Nmine", Total: 1, CreatedBy: 70, CreatedAt: noon.Add(-24 * time.Hour)})
		}
		store := p.orders.Store.(*orderdb.Store)
		client := store.Client
		store.Client = dynamotest.Metered(client, &costs[round])
		if got := p.list(t, list+"?status=success", headers...); got != "mine" {
			t.Errorf("Bob lists %q", got)
		}
		store.Client = client
	}
	if costs[0] != costs[1] || costs[1].Units > 4 {
		t.Errorf("the list costs %+v, then %+v", costs[0], costs[1])
	}
}
