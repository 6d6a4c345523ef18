package order

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

// Detail is the detail of a payment event on the bus (D48): the contract's trigger payload record, with
// gateway_extra_info and env, and for a refund refund_no, refund_amount and out_refund_no. Only miniapp, gateway_type,
// total_cost and one of the numbers are required.
type Detail struct {
	Scope   tenant.Scope
	Payment Order
}

// ParseDetail decodes a payment detail. It ignores unknown fields. It returns errs.Invalid, which names the invalid
// field.
func ParseDetail(text []byte) (Detail, error) {
	decoded, err := value.Decode("the detail", text)
	if err != nil {
		return Detail{}, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return Detail{}, errs.Invalid("the detail must be an object")
	}

	// The reader stores the first error, so that fields can be read without checks in between.
	r := reader{object: object}
	d := Detail{Scope: tenant.Scope{App: tenant.AppID(r.integer("miniapp")), Env: tenant.EnvID(r.text("env"))}}
	d.Payment = Order{
		ID: id.ID(r.integer("id")), Gateway: Gateway(r.text("gateway_type")),
		Status: Status(r.text("status")), Refund: Refund(r.text("refund_status")),
		TradeNo: r.text("trade_no"), TransactionNo: r.text("transaction_no"), Total: r.amount("total_cost"),
		MerchandiseSchema: r.integer("merchandise_schema_id"), MerchandiseRecord: r.key("merchandise_record_id"),
		Description: r.text("merchandise_description"), Snapshot: r.objectAt("merchandise_snapshot"),
		IP: r.text("ip_address"), CreatedBy: r.integer("created_by"),
		PaidAt: r.instant("paid_at"), CreatedAt: r.instant("created_at"), UpdatedAt: r.instant("updated_at"),
		Extra: r.objectAt("gateway_extra_info"), Currency: r.text("currency_type"),
	}
	if r.object["refund_no"] != nil || r.object["refund_amount"] != nil {
		d.Payment.Refunds = map[string]Amount{r.text("refund_no"): r.amount("refund_amount")}
	}

	d.Payment.RefundNo = r.text("out_refund_no")

	switch {
	case r.err != nil:
		return d, r.err
	case d.Scope.App <= 0:
		return d, errs.Invalid("miniapp is required")
	}
	if d.Scope.Env == "" {
		d.Scope.Env = tenant.Production
	}
	return d, nil
}

// JSON encodes the detail for the bus.
func (d Detail) JSON() ([]byte, error) {
	p := d.Payment
	all := p.Payload(d.Scope)
	all["env"], all["gateway_extra_info"] = string(d.Scope.Env), objectOf(p.Extra)
	all["currency_type"] = cmp.Or(p.Currency, Currency)
	all["created_at"], all["updated_at"] = secondsOrNil(p.CreatedAt), secondsOrNil(p.UpdatedAt)
	all["id"] = orNil(int64(p.ID))
	for no, amount := range p.Refunds { // a detail of a payment has at most one
		all["refund_no"], all["refund_amount"] = no, json.Number(amount.String())
	}
	if p.RefundNo != "" {
		all["out_refund_no"] = p.RefundNo
	}
	return json.Marshal(all)
}

// reader reads the members of an object and stores the first error in err. Null counts as not given.
type reader struct {
	object map[string]any
	err    error
}

func (r *reader) wrong(name, want string) {
	if r.err == nil {
		r.err = errs.Invalid("%s must be %s", name, want)
	}
}

func (r *reader) text(name string) string {
	s, ok := r.object[name].(string)
	if !ok && r.object[name] != nil {
		r.wrong(name, "a string")
	}
	return s
}

func (r *reader) integer(name string) int64 {
	v := r.object[name]
	if v == nil {
		return 0
	}
	number, ok := v.(json.Number)
	n, err := number.Int64()
	if !ok || err != nil || n < 0 || n >= 1<<53 {
		r.wrong(name, "a positive integer below 2^53")
	}
	return n
}

// key returns the id of a row, which is a string in some places of the contract and an integer in others.
func (r *reader) key(name string) string {
	switch v := r.object[name].(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return strconv.FormatInt(r.integer(name), 10)
	}
	r.wrong(name, "a string or an integer")
	return ""
}

func (r *reader) instant(name string) time.Time {
	n := r.integer(name)
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

func (r *reader) amount(name string) Amount {
	number, ok := r.object[name].(json.Number)
	if !ok {
		r.wrong(name, "a number")
		return 0
	}
	a, err := ParseAmount(name, number.String())
	if err != nil && r.err == nil {
		r.err = err
	}
	return a
}

func (r *reader) objectAt(name string) map[string]any {
	o, ok := r.object[name].(map[string]any)
	if !ok && r.object[name] != nil && r.object[name] != "" {
		r.wrong(name, "an object")
	}
	return o
}
