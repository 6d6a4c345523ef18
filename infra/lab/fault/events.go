package fault

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The ledgers of events.
const (
	paidOrders  = "paid orders"
	paymentRuns = "runs by payments"
	hookRuns    = "runs by hooks"
)

// events is the load of payments, which a vendor notifies until it is heard, and of calls of an incoming webhook. Each
// payment becomes one order, and fires once; each call fires once.
type events struct {
	app      *Application
	platform *Platform
	name     string
	next     atomic.Int64
	paid     int64 // id of the trigger
	hook     int64
	path     string // of the hook

	mu       sync.Mutex
	payments []effect
	calls    []addition
}

const (
	merchantKey  = "0123456789abcdef0123456789abcdef"
	settingPath  = "/oserve/v3/payment-setting/chat/"
	triggersPath = "/oserve/v3/trigger/"
	ordersPath   = "/hserve/v2.2/idp/pay/order/?limit=1000"
)

func (l *events) plant(ctx context.Context) error {
	setting := map[string]any{"app_id": "wxapp", "merchant_id": "100", "merchant_key": merchantKey}
	if err := l.app.call(ctx, "PUT", settingPath, setting, &struct{}{}); err != nil {
		return err
	}

	var made struct {
		ID      int64  `json:"id"`
		HookURL string `json:"hook_url"`
	}
	action := map[string]any{"type": "cloud_function", "settings": map[string]any{"function": functionName}}
	trigger := map[string]any{"name": "paid", "type": "chat_pay", "condition": map[string]any{}, "actions": []any{action}}
	if err := l.app.call(ctx, "POST", triggersPath, trigger, &made); err != nil {
		return err
	}
	l.paid = made.ID

	trigger["name"], trigger["type"] = "called", "incoming_webhook"
	if err := l.app.call(ctx, "POST", triggersPath, trigger, &made); err != nil {
		return err
	}
	l.hook = made.ID
	l.path = made.HookURL[strings.Index(made.HookURL, "/oserve/"):]
	return nil
}

func (l *events) clients() []client {
	return []client{
		{700 * time.Millisecond, l.pay}, {500 * time.Millisecond, l.call}, {100 * time.Millisecond, l.look},
	}
}

// look reads triggers and orders, as their owner does meanwhile.
func (l *events) look(*rand.Rand) {
	l.app.send(context.Background(), request{method: "GET", path: triggersPath})
	service := *l.app
	service.scheme = "Service-r1"
	service.send(context.Background(), request{method: "GET", path: ordersPath})
}

// pay notifies of a payment until the platform says that it knows.
func (l *events) pay(*rand.Rand) {
	trade := fmt.Sprintf("%s%d", strings.ReplaceAll(l.name, " ", ""), l.next.Add(1))
	e := effect{mark: trade}
	for begun := time.Now(); e.known != acknowledged && time.Since(begun) < repeatFor; time.Sleep(repeatAfter) {
		r := l.app.raw(
			context.Background(), "/hserve/v1/pay/notify/chat/"+string(l.app.credentials.ClientID)+"/", notification(trade),
		)
		if r.known() == acknowledged && strings.Contains(string(r.body), "SUCCESS") {
			e.known = acknowledged
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.payments = append(l.payments, e)
}

// notification is what the vendor posts, signed with the merchant's key.
func notification(trade string) []byte {
	fields := map[string]string{
		"appid": "wxapp", "mch_id": "100", "nonce_str": trade, "openid": "o", "out_trade_no": trade,
		"result_code": "SUCCESS",
		"return_code": "SUCCESS", "time_end": "20261121120000", "total_fee": "150", "trade_type": "JSAPI",
		"transaction_id": "T" + trade,
	}
	var text, body strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&text, "%s=%s&", name, fields[name])
		fmt.Fprintf(&body, "<%s><![CDATA[%s]]></%s>", name, fields[name], name)
	}
	sum := md5.Sum([]byte(text.String() + "key=" + merchantKey))
	sign := strings.ToUpper(hex.EncodeToString(sum[:]))
	return []byte("<xml>" + body.String() + "<sign>" + sign + "</sign></xml>")
}

// call calls the hook once.
func (l *events) call(*rand.Rand) {
	r := l.app.raw(context.Background(), l.path, []byte(`{"n":1}`))
	e := r.effect(fmt.Sprint("call ", l.next.Add(1)))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, addition{effect: e, sum: "calls", amount: 1})
}

// open counts payments and calls that have not been seen to fire.
func (l *events) open(ctx context.Context) (int, error) {
	paid, err := l.runs(ctx, l.paid)
	if err != nil {
		return 0, err
	}
	called, err := l.runs(ctx, l.hook)
	if err != nil {
		return 0, err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	missing := 0
	for _, e := range l.payments {
		if e.known == acknowledged && paid[e.mark] == 0 {
			missing++
		}
	}
	calls := 0
	for _, c := range l.calls {
		if c.known == acknowledged {
			calls++
		}
	}
	return missing + max(calls-total(called), 0), nil
}

func total(found map[string]int) (n int) {
	for _, m := range found {
		n += m
	}
	return n
}

// runs counts the log entries of a trigger by what they are about.
func (l *events) runs(ctx context.Context, trigger int64) (map[string]int, error) {
	found := map[string]int{}
	path := fmt.Sprintf("%s%d/log/?limit=1000", triggersPath, trigger)
	_, err := l.app.list(ctx, path, func(object json.RawMessage) error {
		var entry struct {
			Subject string `json:"subject_id"`
		}
		if err := json.Unmarshal(object, &entry); err != nil {
			return err
		}
		found[entry.Subject]++
		return nil
	})
	return found, err
}

func (l *events) judge(ctx context.Context, r *Report) error {
	paid, err := l.runs(ctx, l.paid)
	if err != nil {
		return err
	}
	called, err := l.runs(ctx, l.hook)
	if err != nil {
		return err
	}
	orders := map[string]int{}
	service := *l.app
	service.scheme = "Service-r1"
	_, err = service.list(ctx, ordersPath, func(object json.RawMessage) error {
		var order struct {
			Trade  string `json:"trade_no"`
			Status string `json:"status"`
		}
		if err := json.Unmarshal(object, &order); err != nil {
			return err
		}
		if order.Status == "success" {
			orders[order.Trade]++
		}
		return nil
	})
	if err != nil {
		return err
	}

	r.Ledger(paidOrders).effects(l.payments, orders)
	r.Ledger(paymentRuns).effects(l.payments, paid)
	r.Ledger(hookRuns).sums(l.calls, map[string]int64{"calls": int64(total(called))})
	return nil
}

// raw posts a body as it is, as strangers do.
func (a *Application) raw(ctx context.Context, path string, body []byte) reply {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+path, strings.NewReader(string(body)))
	if err != nil {
		return reply{err: err}
	}
	return a.do(req)
}
