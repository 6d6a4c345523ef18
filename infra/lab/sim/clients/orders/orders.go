// Package orders has a part of a game (package clients): orders of end users and their payments.
package orders

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/local/vendors/payvendor"
)

// Parts are all there are.
var Parts = []game.Named{{Name: "orders", Make: func() game.Part { return &orders{} }}}

// orders creates orders of end users at the payment vendors and pays them. Each paid order becomes a row by a trigger.
type orders struct {
	app    *client.Application
	buyers []*client.Application // as end users
	table  int64

	mu    sync.Mutex
	asked []purchase
}

// purchase is an order that a buyer asked for.
type purchase struct {
	buyer       int
	description string
	known       promise.Need
	number      string // at the vendor, "" = no answer came
	paid        bool
}

const (
	manyBuyers  = 3
	merchantKey = "192006250b4c09247ec02edce69f6a2d"
	orderPath   = "/hserve/v2.2/idp/pay/order/"
)

func (o *orders) Plant(g *game.Requests) (err error) {
	ctx := context.Background()
	if o.app, err = g.Application("orders"); err != nil {
		return err
	}
	if o.table, err = o.app.Table(ctx, "paid", client.Column{Name: "no", Type: "string"}); err != nil {
		return err
	}
	for _, vendor := range []string{"chat", "tpay"} {
		merchant := "merchant of " + string(o.app.Credentials.ClientID)
		g.PayVendors.Register(vendor, merchant, payvendor.Merchant{AppID: "wx1", MerchantKey: merchantKey})
		setting := map[string]any{"app_id": "wx1", "merchant_id": merchant, "merchant_key": merchantKey}
		paid := map[string]any{
			"name": vendor, "type": map[string]string{"chat": "chat_pay", "tpay": "tpay"}[vendor], "condition": map[string]any{},
			"actions": []any{map[string]any{"type": "table_operation", "settings": map[string]any{
				"table": o.table, "operation": "create",
				"assign": []any{map[string]any{"field": "no", "operator": "=", "value": "{{ trade_no }}"}},
			}}},
		}
		err = errors.Join(err, o.app.Call(ctx, "PUT", "/oserve/v3/payment-setting/"+vendor+"/", setting, &struct{}{}),
			o.app.Call(ctx, "POST", client.TriggersPath, paid, &struct{}{}))
	}
	for range manyBuyers {
		var session struct{ Token string }
		guest := o.app.With("")
		guest.Header = http.Header{"X-Service-Client-Id": {string(o.app.Credentials.ClientID)}}
		err = errors.Join(err, guest.Call(ctx, "POST", "/hserve/v2.0/login/anonymous/", map[string]any{}, &session))
		o.buyers = append(o.buyers, o.app.Service().With(session.Token))
	}
	return err
}

func (o *orders) Clients(g *game.Requests) (all []func(sim.Random)) {
	for b := range o.buyers {
		all = append(all, func(random sim.Random) {
			for n := range 4 {
				o.buy(g, random, b, n)
				g.Pause(random, 20*time.Second)
				o.read(g, b)
			}
		})
	}
	return all
}

// buy creates an order, and pays it or not. Some vendors refuse it, or do not answer the first time.
func (o *orders) buy(g *game.Requests, random sim.Random, b, n int) {
	g.Note("order created")
	word := []string{"tea", "tea", "tea", "lost", "wrong"}[random.IntN(5)]
	p := purchase{buyer: b, description: fmt.Sprintf("%s %d %d", word, b, n)}
	r := client.Request{Method: "POST", Path: orderPath, Key: fmt.Sprint("buy ", b, n), Body: map[string]any{
		"gateway_type": []string{"chatpay_native", "tpay"}[random.IntN(2)], "total_cost": "1.50",
		"merchandise_description": p.description,
	}}
	answer, effect := o.buyers[b].Repeat(random.Rand, r)
	switch p.known = answer.Known(); {
	case word == "wrong" && p.known == client.Acknowledged, word != "wrong" && p.known == client.Refused:
		g.Problem("orders: %q was answered %d %s", p.description, answer.Status, answer.Body)
	case p.known == client.Acknowledged:
		var made struct {
			No string `json:"trade_no"`
		}
		if err := answer.Decode(&made); err != nil || made.No == "" || effect.Wrong != "" {
			g.Problem("orders: %q was answered %s: %v %s", p.description, answer.Body, err, effect.Wrong)
		}
		p.number = made.No
		p.paid = o.pay(g, random, p)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, p)
}

// pay has the vendor notify in a way of its own; it reports whether somebody paid.
func (o *orders) pay(g *game.Requests, random sim.Random, p purchase) bool {
	genuine := payvendor.Payment{Number: p.number}
	wrong := []payvendor.Payment{
		{Number: p.number, Forged: true}, {Number: p.number, Cents: 1}, {Number: p.number, Currency: "USD"},
	}[random.IntN(3)]
	late := func() { time.Sleep(random.Jitter(time.Duration(random.IntN(120)) * time.Second)) }
	strange := func() {
		g.Note("order notified wrongly")
		if accepted := g.PayVendors.Notify(random, wrong); accepted && wrong.Forged {
			g.Problem("orders: a forged notification of %q was accepted", p.description)
		}
	}

	switch random.IntN(6) {
	case 0: // nobody pays
		strange()
		return false
	case 1: // the vendor tells nobody: the questions find out
		g.Note("order paid in silence")
		g.PayVendors.Pay(genuine)
		return true
	case 2: // late, and wrong ones come first
		strange()
		late()
	case 3: // wrong ones come later
		defer strange()
	}
	g.Note("order paid")
	g.AtOnce("vendor of "+p.number, 1+random.IntN(3), 3*time.Second, func(random sim.Random, _ int) {
		g.PayVendors.Notify(random, genuine)
	})
	return true
}

// read lists a buyer's orders, of which none is another's.
func (o *orders) read(g *game.Requests, b int) {
	g.Note("own orders listed")
	found := map[string]string{}
	_, err := client.List(context.Background(), o.buyers[b], orderPath+"?limit=3", func(row bought) error {
		found[row.Description] = row.Status
		if !strings.Contains(row.Description, fmt.Sprintf(" %d ", b)) {
			g.Problem("orders: buyer %d sees %q", b, row.Description)
		}
		return nil
	})
	if err != nil {
		return // an outage
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.asked {
		switch status := found[p.description]; {
		case p.buyer != b:
		case p.known == client.Acknowledged && status == "", p.known == client.Refused && status != "failed":
			g.Problem("orders: buyer %d sees %q as %q", b, p.description, status)
		case status == "success" && !p.paid:
			g.Problem("orders: %q was not paid, and is a success", p.description)
		}
	}
}

// bought is an order as its buyer sees it.
type bought struct {
	Description string `json:"merchandise_description"`
	Status      string
	TradeNo     string `json:"trade_no"`
}

// Open counts the paid orders that are no success yet, or have no row.
func (o *orders) Open(g *game.Requests) (n int) {
	rows, stored := o.rows(g), o.stored(g)
	for _, p := range o.asked {
		if p.paid && (rows[p.number] == 0 || len(stored[p.description]) != 1 || stored[p.description][0].Status != "success") {
			n++
		}
	}
	return n
}

// stored are the orders of the application by description.
func (o *orders) stored(g *game.Requests) map[string][]bought {
	all := map[string][]bought{}
	for _, it := range g.World.DB.Items("OrdersTable") {
		if game.Text(it, "pk") == o.app.Scope.String()+"#orders" {
			description := game.Text(it, "description")
			all[description] = append(all[description], bought{
				Description: description, Status: game.Text(it, "status"), TradeNo: game.Text(it, "trade_no"),
			})
		}
	}
	return all
}

// rows counts the rows that the triggers made, by number.
func (o *orders) rows(g *game.Requests) map[string]int {
	found := map[string]int{}
	type row struct{ No string }
	_, err := client.List(context.Background(), o.app, client.RowsPath(o.table)+"?limit=100", func(r row) error {
		found[r.No]++
		return nil
	})
	if err != nil {
		g.Problem("orders: list of rows: %v", err)
	}
	return found
}

// Judge compares orders, rows and what the vendors took.
func (o *orders) Judge(g *game.Requests) {
	stored, paid := o.stored(g), promise.Ledger{}
	numbers := map[string]bool{}
	for _, p := range o.asked {
		all := stored[p.description]
		if len(all) > 1 || len(all) == 0 && p.known != client.Unknown {
			g.Problem("orders: %q is there %d times", p.description, len(all))
		}
		for _, one := range all {
			want := map[bool]string{true: "success", false: "pending"}[p.paid]
			if p.known == client.Refused {
				want = "failed"
			}
			if numbers[one.TradeNo] = true; one.Status != want && p.known != client.Unknown {
				g.Problem("orders: %q is %s, want %s", p.description, one.Status, want)
			}
		}
		if p.paid {
			paid.Expect(p.number, promise.Must)
		}
	}
	g.Tell("rows of orders", paid.Judge(promise.Found{Times: o.rows(g)}))
	// The order is stored before its vendor takes it.
	for _, known := range g.PayVendors.Orders() {
		if !numbers[known.Number] {
			g.Problem("orders: the vendor took %s, which is not stored", known.Number)
		}
	}
	for b := range o.buyers {
		o.read(g, b)
	}
}
