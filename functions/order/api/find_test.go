package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// runs is a fake authority: the run token of an application is its name.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	a := applications[token]
	return oauth.Run{Scope: tenant.Scope{App: a.ID, Env: tenant.Production}, JobID: "5", Root: 5}, a, nil
}

// TestFunctionsFindOrders: functions have more filters than endpoint 20, and no other caller finds the path.
func TestFunctionsFindOrders(t *testing.T) {
	p := newPlatform(t)
	for i := range 6 {
		n := string(rune('1' + i))
		o := order.Order{
			ID: 100 + id.ID(i), Gateway: order.Chatpay, TradeNo: "T" + n, TransactionNo: "N" + n, Total: 1,
			CreatedBy: 70 + int64(i%2), CreatedAt: noon.Add(time.Duration(i-10) * time.Second),
			PaidAt: noon.Add(time.Duration(i-9) * time.Second),
		}
		if i == 5 {
			o.Status, o.PaidAt = order.Pending, time.Time{}
		}
		p.pay(t, shop, o)
	}

	const find = "/dserve/v1/pay/order/"
	for query, want := range map[string]string{
		"": "654321", "id=102": "3", "id=102&status=pending": "", "id=7": "",
		"created_by_id=70": "531", "created_by_id=71": "642", "created_by_id=71&status=success": "42",
		"created_by_id=70&limit=2": "53", "created_by_id=70&limit=2&offset=1": "31", "created_by_id=70&offset=3": "",
		"created_at=1795348791":                            "2",
		"paid_at__gte=1795348793":                          "543",
		"paid_at__gte=1795348793&paid_at__lte=1795348794":  "43",
		"paid_at__lte=1795348791":                          "1",
		"paid_at__lte=1795348791&trade_no=T2":              "",
		"paid_at__lte=1795348791&gateway_type=altpay":      "",
		"paid_at__lte=&created_by_id=&created_at=&limit=3": "654",
	} {
		status, body := p.get(t, find+"?"+query, "Authorization", "Run shop")
		var got struct {
			Meta struct {
				Total int `json:"total_count"`
			}
			Objects []struct {
				Trade string `json:"trade_no"`
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
			t.Errorf("%s: %d %s", query, status, body)
		}
		numbers := ""
		for _, o := range got.Objects {
			numbers += strings.TrimPrefix(o.Trade, "T")
		}
		if numbers != want || !strings.Contains(query, "limit") && !strings.Contains(query, "offset") && got.Meta.Total != len(want) {
			t.Errorf("%s lists %s of %d, want %s", query, numbers, got.Meta.Total, want)
		}
	}

	for _, query := range []string{"id=x", "id=0", "created_by_id=-1", "created_at=noon", "paid_at__gte=1.5", "paid_at__lte=9007199254740992"} {
		name, _, _ := strings.Cut(query, "=")
		if status, body := p.get(t, find+"?"+query, "Authorization", "Run shop"); status != 400 || !strings.Contains(body, name) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	if status, body := p.get(t, find, "Authorization", "Run bank"); status != 200 || strings.Contains(body, "T1") {
		t.Errorf("another application: %d %s", status, body)
	}
	for _, authorization := range []string{"", "Service-r1 shop", "Bearer shop"} {
		if status, body := p.get(t, find, "Authorization", authorization); status != 404 {
			t.Errorf("%q: %d %s", authorization, status, body)
		}
	}
}
