// Package payvendor is a fake of the payment vendors chat (v2), alt and tpay: it takes orders, verifies their signatures
// as the vendors do, answers questions about them, and notifies. Merchants register first, with the key that verifies
// their requests:
//
//	PUT  /_local/payments/chat/<merchant_id>/   {"app_id", "merchant_key"}; the same for tpay
//	PUT  /_local/payments/alt/<merchant_id>/    {"app_id", "public_key"}; the answer has the vendor's public_key
//	GET  /_local/payments/                      the orders that the vendors took
//	POST /_local/payments/                      a payer pays, see Payment
//
// The beginning of the description of an order makes the vendor refuse it or not answer:
//
//	wrong   is refused
//	down    the connection breaks before the vendor reads the order
//	lost    the vendor takes the order, and the connection breaks before its first answer
package payvendor

import (
	"crypto/rand"
	"crypto/rsa"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"minicloud/shared/clock"
)

// Prefix is the path prefix of the vendors' APIs; the vendor's name follows.
const Prefix = "/_vendors/pay/"

// Serves reports whether a request is for one of the vendors' APIs.
func Serves(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, Prefix) }

// API serves the vendors.
type API struct {
	Clock clock.Clock
	Count func(operation string) // called for each order and question; not nil
	// Send sends notifications.
	Send func(*http.Request) (*http.Response, error)

	mu        sync.Mutex
	merchants map[string]Merchant // by vendor and merchant id
	orders    map[string]*Order   // by vendor, merchant id and number
	key       *rsa.PrivateKey     // of alt
}

// Merchant is a merchant of a vendor.
type Merchant struct {
	AppID       string `json:"app_id"`
	MerchantKey string `json:"merchant_key"` // of chat and tpay
	PublicKey   string `json:"public_key"`   // PEM, of merchants of alt
}

// Order is an order that a vendor took.
type Order struct {
	Vendor   string `json:"vendor"`
	Merchant string `json:"merchant_id"`
	Number   string `json:"number"` // the merchant's
	TradeNo  string `json:"id"`     // the vendor's
	Cents    int64  `json:"cents"`
	Type     string `json:"trade_type"`
	Notify   string `json:"notify_url"`
	Paid     bool   `json:"paid"`

	asked   map[string]string // what a repetition must ask, too
	answers int
	prepay  string
	paidAt  string
}

// Register adds a merchant of a vendor.
func (a *API) Register(vendor, id string, m Merchant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.merchants == nil {
		a.merchants = map[string]Merchant{}
	}
	a.merchants[vendor+" "+id] = m
}

func (a *API) merchant(vendor, id string) (Merchant, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, known := a.merchants[vendor+" "+id]
	return m, known
}

// ofApp returns the merchant of alt that has an application.
func (a *API) ofApp(appID string) (id string, m Merchant, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, m := range a.merchants {
		if id, alt := strings.CutPrefix(name, "alt "); alt && m.AppID == appID {
			return id, m, true
		}
	}
	return "", Merchant{}, false
}

// Orders returns the orders that the vendors took, sorted by their numbers.
func (a *API) Orders() []Order {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := []Order{}
	for _, key := range slices.Sorted(maps.Keys(a.orders)) {
		all = append(all, *a.orders[key])
	}
	return all
}

// find returns an order by the merchant's number.
func (a *API) find(vendor, merchant, number string) (Order, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.orders[vendor+" "+merchant+" "+number]; o != nil {
		return *o, true
	}
	return Order{}, false
}

// refusal is why a vendor refuses an order.
type refusal string

// The refusals; each vendor has its own codes for them.
const (
	taken    refusal = ""
	unwanted refusal = "unwanted"
	used     refusal = "number used"
	paid     refusal = "paid"
	silent   refusal = "no answer"
)

// take stores an order, once, and says what the vendor answers. asked is what a repetition must ask, too.
func (a *API) take(o Order, description string, asked map[string]string) (Order, refusal) {
	a.Count("Order")
	switch {
	case strings.HasPrefix(description, "down"):
		return o, silent
	case strings.HasPrefix(description, "wrong"):
		return o, unwanted
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	key := o.Vendor + " " + o.Merchant + " " + o.Number
	stored := a.orders[key]
	if stored == nil {
		if a.orders == nil {
			a.orders = map[string]*Order{}
		}
		o.asked, o.prepay, o.TradeNo = asked, "wx"+rand.Text(), strconv.Itoa(2026112600000000+len(a.orders))+o.Number
		o.TradeNo = o.TradeNo[:min(28, len(o.TradeNo))]
		stored = &o
		a.orders[key] = stored
	}
	stored.answers++
	switch {
	case stored.Paid:
		return *stored, paid
	case !maps.Equal(stored.asked, asked):
		return *stored, used
	case stored.answers == 1 && strings.HasPrefix(description, "lost"):
		return *stored, silent
	}
	return *stored, taken
}

// ServeHTTP serves the vendors' APIs.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	vendor, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	switch vendor + "/" + path {
	case "chat/pay/unifiedorder", "tpay/cgi-bin/pay/qpay_unified_order.cgi":
		a.xml(w, r, vendor, a.unifiedOrder)
	case "chat/pay/orderquery", "tpay/cgi-bin/pay/qpay_order_query.cgi":
		a.xml(w, r, vendor, a.orderQuery)
	case "alt/gateway.do":
		a.gateway(w, r)
	default:
		http.Error(w, "the local payment vendors do not serve "+r.URL.Path, http.StatusNotFound)
	}
}

// hangUp breaks the connection without an answer.
func hangUp() { panic(http.ErrAbortHandler) }
