package fault

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	merchantKey  = "0123456789abcdef0123456789abcdef"
	settingPath  = "/oserve/v3/payment-setting/chat/"
	triggersPath = "/oserve/v3/trigger/"
	ordersPath   = "/hserve/v2.2/idp/pay/order/?limit=1000"
)

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

// raw posts a body as it is, as strangers do.
func (a *Application) raw(ctx context.Context, path string, body []byte) reply {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+path, strings.NewReader(string(body)))
	if err != nil {
		return reply{err: err}
	}
	return a.do(req)
}

// service is the application as its own servers call it, which may read orders.
func (a *Application) service() *Application {
	service := *a
	service.scheme = "Service-r1"
	return &service
}

// look reads triggers and orders, as their owner does meanwhile.
func (a *Application) look() {
	a.send(context.Background(), request{method: "GET", path: triggersPath})
	a.service().send(context.Background(), request{method: "GET", path: ordersPath})
}

func total(found map[string]int) (n int) {
	for _, m := range found {
		n += m
	}
	return n
}
