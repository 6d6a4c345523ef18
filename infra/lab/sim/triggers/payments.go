package triggers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/seed/demo"
	"minicloud/shared/order/payment"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/trigger"
)

// payments pays orders: some by events of the bus, some by notifications of the vendor, each told several times and at
// once, some with another amount.
type payments struct{}

func (payments) plant(g *Game, t *model.Tenant, random sim.Random) error {
	b := g.owner().Backend
	settings := b.PaymentSettings(secrets.Open(b))
	_, err := settings.Put(context.Background(), t.Scope, payment.Chat, payment.Patch{
		AppID: aws.String("wx1"), MerchantID: aws.String(t.Mark),
		Secrets: map[string]*string{payment.MerchantKey: aws.String("key of " + t.Mark)},
	})
	if err != nil {
		return err
	}

	return g.insertSome(t, 1+random.IntN(2), func() (trigger.Trigger, *model.Trigger) {
		pays := trigger.Trigger{Type: trigger.TypeChatPay, Condition: &trigger.PaymentCondition{}}
		return t.Add(random, pays, "chat_pay", nil)
	})
}

func (payments) play(g *Game, t *model.Tenant, random sim.Random) {
	var all sync.WaitGroup
	defer all.Wait()
	for n := range 2 + random.IntN(4) {
		g.Pause(random, 10*time.Second)
		random := g.World.Random(fmt.Sprint("trade ", t.Scope, n))
		all.Go(func() {
			time.Sleep(random.Jitter(0))
			(&trade{g: g, tenant: t, no: fmt.Sprintf("T%d", n), cents: 100 + 10*n}).play(random)
		})
	}
}

// trade is one order on its way.
type trade struct {
	g      *Game
	tenant *model.Tenant
	no     string
	cents  int
	events int
	begun  time.Time
}

func (d *trade) play(random sim.Random) {
	paid := random.IntN(5) > 0
	d.begun = time.Now()
	first := []string{"pending", "failed", "success"}[random.IntN(3)]
	if first != "success" || !paid { // the first one creates the order: whoever contradicts it comes later
		if first == "success" {
			first = "pending"
		}
		d.tell(first, d.cents, "")
	}

	var several sync.WaitGroup
	if paid {
		for n := range 1 + random.IntN(3) {
			by := func() { d.tell("success", d.cents, "") }
			if random.IntN(2) == 0 && (n > 0 || first != "success") {
				by = func() { d.notify(n) }
			}
			if random.IntN(3) == 0 {
				time.Sleep(random.Jitter(time.Duration(random.IntN(300)) * time.Millisecond))
			}
			time.Sleep(random.Jitter(0))
			several.Go(by)
		}
		several.Wait()
	}
	if random.IntN(3) == 0 {
		d.tell("success", d.cents+1, "total_cost")
	}
	if paid && random.IntN(2) == 0 {
		d.refund()
	}
	if !paid {
		return
	}
	d.g.NoteOccurrence(model.Occurrence{
		Tenant: d.tenant, Index: "chat_pay", Event: "trade " + d.no, At: d.begun, Seen: d.begun, Need: promise.Must,
		Data: map[string]any{
			"trade_no": d.no, "total_cost": float64(d.cents) / 100, "status": "success", "miniapp": float64(d.tenant.Scope.App),
		},
	})
}

// tell puts a payment on the bus.
func (d *trade) tell(status string, cents int, refused string) {
	d.g.mu.Lock()
	d.events++
	id := fmt.Sprintf("payment-%s-%d", d.no, d.events)
	d.g.mu.Unlock()
	d.g.deliver(d.tenant, id, "payment", map[string]any{
		"gateway_type": "chatpay", "trade_no": d.no, "status": status, "created_by": 77,
		"total_cost": json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100)), "merchandise_description": d.tenant.Mark,
	}, refused)
}

// notify is the vendor: it notifies until it is told that it has succeeded.
func (d *trade) notify(n int) {
	random := d.g.World.Random(fmt.Sprint("vendor ", d.tenant.Scope, d.no, n))
	fields := map[string]string{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": "wx1", "mch_id": d.tenant.Mark, "trade_type": "JSAPI",
		"out_trade_no": d.no, "total_fee": fmt.Sprint(d.cents), "attach": d.tenant.Mark,
	}
	told := client.Request{
		Method: "POST", Path: "/hserve/v1/pay/notify/chat/" + string(d.tenant.App.ClientID) + "/?env=" + string(d.tenant.Scope.Env),
		Body: client.Notification("key of "+d.tenant.Mark, fields),
	}
	for {
		answer := client.Over(d.g.World, demo.Credentials{}).Send(context.Background(), told)
		if strings.Contains(string(answer.Body), "SUCCESS") {
			return
		}
		time.Sleep(random.Jitter(15 * time.Second))
	}
}

// refund changes an order that is paid, which is no payment.
func (d *trade) refund() {
	_, _ = d.g.World.Do("support", support, func(ctx context.Context, handlers any) error {
		for _, it := range d.g.orders(d.tenant, d.no) {
			_, err := handlers.(*dynamodb.Client).UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: aws.String("OrdersTable"), Key: map[string]types.AttributeValue{
					"pk": &types.AttributeValueMemberS{Value: game.Text(it, "pk")},
					"sk": &types.AttributeValueMemberS{Value: game.Text(it, "sk")},
				},
				UpdateExpression: aws.String("SET refund = :partial"), ExpressionAttributeValues: map[string]types.AttributeValue{
					":partial": &types.AttributeValueMemberS{Value: "partial"},
				},
			})
			return err
		}
		return nil
	})
}

func support(i *sim.Instance) any { return i.Backend.DynamoDB }

// orders are a tenant's, those of one trade or all.
func (g *Game) orders(t *model.Tenant, no string) (all []memdb.Item) {
	for _, it := range g.World.DB.Items("OrdersTable") {
		mine := game.Text(it, "pk") == t.Scope.String()+"#orders" && strings.HasPrefix(game.Text(it, "sk"), "order#")
		if mine && (no == "" || game.Text(it, "trade_no") == no) {
			all = append(all, it)
		}
	}
	return all
}

// settle looks at the orders: of each trade that was paid there is one that says so.
func (payments) settle(g *Game, t *model.Tenant) {
	var paid promise.Ledger
	for _, h := range g.Occurrences {
		if h.Tenant == t && h.Index == "chat_pay" {
			paid.Expect(strings.TrimPrefix(h.Event, "trade ")+" success", promise.Must)
		}
	}
	found, orders := map[string]int{}, map[string]int{}
	for _, it := range g.orders(t, "") {
		no, status := game.Text(it, "trade_no"), game.Text(it, "status")
		if orders[no]++; orders[no] > 1 || status == "success" {
			found[no+" "+status]++
		}
	}
	g.Compare("orders of "+t.Scope.String(), &paid, promise.Found{Times: found})
}
