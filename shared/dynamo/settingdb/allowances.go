package settingdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Allowances implements the stores of package allowance. Its items belong to an application; the environment of their
// key is production:
//
//	pk = <scope>#allowance   sk = mail, sms, verification   a budget: day, spent
//	                                                        of mail also: suppressing, and for each sender
//	                                                        status_<key>, sent_<key>, bounced_<key>, complained_<key>
//	                         sk = sender#<key>              a sender: what sending does not need
//	                         sk = suppressed#<address>      an address that gets no mails
//
// What is counted before a mail is one item, so that a mail costs one write unit.
type Allowances struct {
	Client *dynamo.Client
	Table  string
}

func allowancePK(app tenant.AppID) string {
	return tenant.Scope{App: app, Env: tenant.Production}.String() + "#allowance"
}

func senderSK(key string) string { return "sender#" + key }

const suppressedSK = "suppressed#"

// countOf decodes a budget, with the counts of one sender.
func countOf(it dynamo.Item, sender string) allowance.Count {
	number := func(name string) int { return int(dynamo.IntegerOf(it[name])) }
	return allowance.Count{
		Day: number("day"), Spent: number("spent"), Suppressing: it["suppressing"] != nil,
		Sender: allowance.Reputation{
			Status: allowance.Status(dynamo.TextOf(it["status_"+sender])), Sent: number("sent_" + sender),
			Bounced: number("bounced_" + sender), Complained: number("complained_" + sender),
		},
	}
}

// Spend makes one conditional UpdateItem of a small item. If its answer is lost, the client repeats it and it counts
// twice, which costs the application a part of its budget.
func (s *Allowances) Spend(
	ctx context.Context, app tenant.AppID, k allowance.Kind, p allowance.Spending,
) (c allowance.Count, ok bool, err error) {
	update, condition := "ADD spent :n", "#day = :day AND spent <= :left"
	values := dynamo.Item{
		":n": dynamo.Number(int64(p.N)), ":day": dynamo.Number(int64(p.Day)), ":left": dynamo.Number(int64(p.Most - p.N)),
	}
	if p.Sender != "" {
		update += ", #sent_" + p.Sender + " :n"
		condition += ofConfirmed(p.Sender, values)
	}
	return s.count(ctx, dynamo.Update(s.Table, allowancePK(app), string(k), update, condition, values), p.Sender)
}

// ofConfirmed returns the condition that a sender is confirmed.
func ofConfirmed(sender string, values dynamo.Item) string {
	values[":confirmed"] = dynamo.Text(string(allowance.Confirmed))
	return " AND #status_" + sender + " = :confirmed"
}

// count makes an update of a budget. ok is false if its condition failed; the count is the stored one then.
func (s *Allowances) count(
	ctx context.Context, update dynamo.Part, sender string,
) (c allowance.Count, ok bool, err error) {
	it, err := dynamo.UpdateItem(ctx, s.Client, update)
	if dynamo.ConditionFailed(err) {
		return countOf(dynamo.ItemAt(err, 0), sender), false, nil
	}
	return countOf(it, sender), err == nil, dynamo.Wrap("count a message", err)
}

// BeginDay makes one conditional UpdateItem.
func (s *Allowances) BeginDay(
	ctx context.Context, app tenant.AppID, k allowance.Kind, p allowance.Spending, old, kept allowance.Reputation,
) (c allowance.Count, ok bool, err error) {
	update, condition := "SET #day = :day, spent = :n", "(attribute_not_exists(#day) OR #day < :day)"
	values := dynamo.Item{":n": dynamo.Number(int64(p.N)), ":day": dynamo.Number(int64(p.Day))}
	if p.Sender != "" {
		condition += ofConfirmed(p.Sender, values)
		kept.Sent += p.N
		for _, of := range []struct {
			name     string
			old, new int
		}{
			{"sent", old.Sent, kept.Sent}, {"bounced", old.Bounced, kept.Bounced},
			{"complained", old.Complained, kept.Complained},
		} {
			attribute := "#" + of.name + "_" + p.Sender
			update += ", " + attribute + " = :" + of.name
			condition += " AND (" + attribute + " = :old_" + of.name
			if of.old == 0 { // never counted
				condition += " OR attribute_not_exists(" + attribute + ")"
			}
			condition += ")"
			values[":"+of.name], values[":old_"+of.name] = dynamo.Number(int64(of.new)), dynamo.Number(int64(of.old))
		}
	}
	return s.count(ctx, dynamo.Update(s.Table, allowancePK(app), string(k), update, condition, values), p.Sender)
}

// GiveBack makes one conditional UpdateItem.
func (s *Allowances) GiveBack(ctx context.Context, app tenant.AppID, k allowance.Kind, p allowance.Spending) error {
	update := "ADD spent :n"
	if p.Sender != "" {
		update += ", #sent_" + p.Sender + " :n"
	}
	return dynamo.Do(ctx, s.Client, "take back a count", nil, dynamo.Update(
		s.Table, allowancePK(app), string(k), update, "#day = :day",
		dynamo.Item{":n": dynamo.Number(int64(-p.N)), ":day": dynamo.Number(int64(p.Day))},
	))
}

// Count makes one GetItem.
func (s *Allowances) Count(
	ctx context.Context, app tenant.AppID, k allowance.Kind, sender string,
) (allowance.Count, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, allowancePK(app), string(k))
	return countOf(it, sender), err
}

// Suppressed makes one BatchGetItem.
func (s *Allowances) Suppressed(
	ctx context.Context, app tenant.AppID, addresses []string,
) (suppressed []string, err error) {
	var keys []dynamo.Item
	for i, address := range addresses {
		if !slices.Contains(addresses[:i], address) { // DynamoDB rejects duplicate keys
			keys = append(keys, dynamo.Key(allowancePK(app), suppressedSK+address))
		}
	}
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read suppressed addresses", err)
	}
	for sk := range found {
		suppressed = append(suppressed, strings.TrimPrefix(sk, suppressedSK))
	}
	return suppressed, nil
}

// senderItem is the stored form of an allowance.Sender.
type senderItem struct {
	Address     string             `dynamodbav:"address"`
	Status      allowance.Status   `dynamodbav:"sender_status"`
	Reason      string             `dynamodbav:"why,omitempty"`
	Records     []allowance.Record `dynamodbav:"records,omitempty"`
	ConfirmedAt time.Time          `dynamodbav:"confirmed_at"`
	ClosedAt    time.Time          `dynamodbav:"closed_at"`
	Code        string             `dynamodbav:"code,omitempty"`
	CodeExpires time.Time          `dynamodbav:"code_ends_at"`
	Token       string             `dynamodbav:"made_by,omitempty"`

	Reputation allowance.Reputation `dynamodbav:"-"` // beside the budget
}

// Sender makes one GetItem.
func (s *Allowances) Sender(ctx context.Context, app tenant.AppID, key string) (allowance.Sender, error) {
	it, err := dynamo.Get[senderItem](ctx, s.Client, s.Table, allowancePK(app), senderSK(key),
		errs.NotFound("the sender was never verified"))
	return allowance.Sender(it), err
}

// AskSender runs one transaction of one put.
func (s *Allowances) AskSender(ctx context.Context, app tenant.AppID, of allowance.Sender) error {
	it := dynamo.Encode(allowancePK(app), senderSK(allowance.Key(of.Address)), senderItem{
		Address: of.Address, Status: of.Status, Records: of.Records, Code: of.Code, CodeExpires: of.CodeExpires,
		Token: of.Token,
	})
	condition, values := "NOT sender_status IN (:confirmed, :closed)", dynamo.Item{
		":confirmed": dynamo.Text(string(allowance.Confirmed)), ":closed": dynamo.Text(string(allowance.Closed)),
	}
	if of.Token != "" { // a request that is repeated while it is under way
		condition += " AND (attribute_not_exists(made_by) OR made_by <> :by)"
		values[":by"] = dynamo.Text(of.Token)
	}
	return dynamo.DoTransact(ctx, s.Client, "put a sender",
		errs.Conflict("another request has changed the sender %s", of.Address),
		dynamo.Put(s.Table, it, "attribute_not_exists(pk) OR "+condition, values))
}

// errSender is the error of a change that another one preceded.
var errSender = errs.Conflict("another request is changing the same sender, try again")

// ConfirmSender makes one transaction: the sender, and its status beside the budget.
func (s *Allowances) ConfirmSender(ctx context.Context, app tenant.AppID, of allowance.Sender, code string) error {
	key := allowance.Key(of.Address)
	return dynamo.Do(ctx, s.Client, "confirm a sender", errSender,
		dynamo.Update(s.Table, allowancePK(app), senderSK(key),
			"SET sender_status = :confirmed, confirmed_at = :at, made_by = :by REMOVE #code", "#code = :code", dynamo.Item{
				":confirmed": dynamo.Text(string(allowance.Confirmed)), ":code": dynamo.Text(code),
				":at": dynamo.Number(of.ConfirmedAt.UnixMilli()), ":by": dynamo.Text(of.Token),
			}),
		dynamo.Update(s.Table, allowancePK(app), string(allowance.Mails), "SET #status_"+key+" = :confirmed", "",
			dynamo.Item{":confirmed": dynamo.Text(string(allowance.Confirmed))}))
}

// CloseSender makes one transaction: the sender, and its status beside the budget.
func (s *Allowances) CloseSender(ctx context.Context, app tenant.AppID, key, reason string, at time.Time) error {
	return s.turn(ctx, app, key, allowance.Confirmed, allowance.Closed, "SET sender_status = :to, why = :why, closed_at = :at",
		"SET #status_"+key+" = :to", dynamo.Item{":why": dynamo.Text(reason), ":at": dynamo.Number(at.UnixMilli())}, nil)
}

// ReopenSender makes one transaction: the sender, and its status and counts beside the budget.
func (s *Allowances) ReopenSender(ctx context.Context, app tenant.AppID, key string) error {
	return s.turn(ctx, app, key, allowance.Closed, allowance.Confirmed, "SET sender_status = :to REMOVE why, closed_at",
		"SET #status_"+key+" = :to, #sent_"+key+" = :zero, #bounced_"+key+" = :zero, #complained_"+key+" = :zero",
		nil, dynamo.Item{":zero": dynamo.Number(0)})
}

// turn changes the status of a sender in both of its items.
func (s *Allowances) turn(
	ctx context.Context, app tenant.AppID, key string, from, to allowance.Status, sender, beside string,
	ofSender, ofBudget dynamo.Item,
) error {
	with := func(values dynamo.Item) dynamo.Item {
		all := dynamo.Item{":from": dynamo.Text(string(from)), ":to": dynamo.Text(string(to))}
		maps.Copy(all, values)
		return all
	}
	return dynamo.Do(ctx, s.Client, "change a sender", errSender,
		dynamo.Update(s.Table, allowancePK(app), senderSK(key), sender, "sender_status = :from", with(ofSender)),
		dynamo.Update(s.Table, allowancePK(app), string(allowance.Mails), beside, "#status_"+key+" = :from", with(ofBudget)))
}

// Record makes one transaction, the suppressed address and the counts, and a GetItem.
func (s *Allowances) Record(ctx context.Context, app tenant.AppID, f allowance.Feedback) (allowance.Count, error) {
	sum := sha256.Sum256([]byte(f.ID))
	once := "#feedback_" + hex.EncodeToString(sum[:8])
	suppress := dynamo.Update(s.Table, allowancePK(app), suppressedSK+f.Address,
		"SET #kind = :kind, why = :why, suppressed_at = :at, "+once+" = :one", "attribute_not_exists("+once+")", dynamo.Item{
			":kind": dynamo.Text(f.Kind), ":why": dynamo.Text(f.Reason), ":at": dynamo.Number(f.At.UnixMilli()),
			":one": dynamo.Number(1),
		})
	counted := "SET suppressing = :one"
	if f.Counts {
		attribute := map[string]string{allowance.Bounce: "#bounced_", allowance.Complaint: "#complained_"}[f.Kind]
		counted += " ADD " + attribute + f.Sender + " :one"
	}
	err := dynamo.Do(ctx, s.Client, "record feedback", nil, suppress, dynamo.Update(
		s.Table, allowancePK(app), string(allowance.Mails), counted, "", dynamo.Item{":one": dynamo.Number(1)},
	))
	if err != nil {
		return allowance.Count{}, err
	}
	return s.Count(ctx, app, allowance.Mails, f.Sender)
}

// suppressionItem is the stored form of an allowance.Suppression.
type suppressionItem struct {
	Address string    `dynamodbav:"sk"` // after suppressedSK
	Kind    string    `dynamodbav:"kind"`
	Reason  string    `dynamodbav:"why"`
	At      time.Time `dynamodbav:"suppressed_at"`
}

// Suppressions makes one Query.
func (s *Allowances) Suppressions(
	ctx context.Context, app tenant.AppID, r page.Request,
) (page.Page[allowance.Suppression], error) {
	in := named(s.Table, allowancePK(app), suppressedSK, r)
	list := func(yield func(allowance.Suppression, error) bool) {
		for it, err := range dynamo.Each[suppressionItem](ctx, s.Client, in) {
			it.Address = strings.TrimPrefix(it.Address, suppressedSK)
			if !yield(allowance.Suppression(it), err) {
				return
			}
		}
	}
	return page.Collect(r, list, nil, func(one allowance.Suppression) page.Cursor { return page.Cursor(one.Address) })
}

// Unsuppress runs one transaction of one deletion.
func (s *Allowances) Unsuppress(ctx context.Context, app tenant.AppID, address string) error {
	return dynamo.DoTransact(ctx, s.Client, "allow an address", errs.NotFound("the address is not suppressed"),
		dynamo.Delete(s.Table, allowancePK(app), suppressedSK+address, dynamo.Exists, nil))
}
