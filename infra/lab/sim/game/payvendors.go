package game

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/infra/local/vendors/payvendor"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/order/payment"
)

// PayVendors are the payment vendors: those of the local cloud, behind connections that break.
type PayVendors struct {
	*payvendor.API
	world *sim.World

	mu    sync.Mutex
	asked int
}

func newPayVendors(w *sim.World) *PayVendors {
	return &PayVendors{API: &payvendor.API{Clock: clock.System, Count: func(string) {}}, world: w}
}

// payClient is the connection of one process to the vendors.
type payClient struct {
	*PayVendors
	instance *sim.Instance
}

// vendorHosts are the vendors at the addresses of the template.
var vendorHosts = map[string]string{"api.mch.weixin.qq.com": "chat", "qpay.qq.com": "tpay", "openapi.alipay.com": "alt"}

// Do implements payment.Client. Some requests break before or after they have arrived, and some kill their program.
func (c payClient) Do(ctx context.Context, q payment.Query) (payment.Answer, error) {
	c.mu.Lock()
	c.asked++
	n := c.asked
	c.mu.Unlock()
	random := c.world.Random(fmt.Sprint("pay vendor ", n))
	if err := c.instance.Reach(ctx, random); err != nil {
		return payment.Answer{}, err
	}

	mishap := -1
	if random.Permille(5 * c.world.Rates.LostRequest) {
		mishap = random.IntN(4)
	}
	switch mishap {
	case 0:
		return payment.Answer{}, errs.Unavailable(0, "the vendor cannot be reached")
	case 1:
		c.world.Kill(c.instance)
		return payment.Answer{}, context.Canceled
	}
	answer, err := c.serve(q)
	switch mishap {
	case 2:
		return payment.Answer{}, errs.Unavailable(0, "the vendor reset the connection")
	case 3:
		c.world.Kill(c.instance)
		return payment.Answer{}, context.Canceled
	}
	return answer, err
}

// serve asks the vendor, which may break the connection.
func (v *PayVendors) serve(q payment.Query) (answer payment.Answer, err error) {
	r, err := http.NewRequest(q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return answer, err
	}
	r.Header.Set("Content-Type", q.ContentType)
	r.URL.Path = payvendor.Prefix + vendorHosts[r.URL.Host] + r.URL.Path
	defer func() {
		if recover() != nil {
			err = errs.Unavailable(0, "the vendor hung up")
		}
	}()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	return payment.Answer{Status: w.Code, Body: w.Body.Bytes()}, nil
}

// Notify sends a notification, which the vendor repeats until it is accepted; it reports whether it was. A notification
// that is to be refused is sent a few times.
func (v *PayVendors) Notify(random sim.Random, p payvendor.Payment) (accepted bool) {
	for range 5 {
		r, ok := v.Pay(p)
		if !ok {
			return false
		}
		if answer, err := v.world.RoundTrip(r); err == nil {
			text, _ := io.ReadAll(answer.Body) // it is in memory
			if strings.Contains(string(text), "SUCCESS") {
				return true
			}
			if p.Forged {
				return false
			}
		}
		time.Sleep(random.Jitter(15 * time.Second))
	}
	return false
}
