package unkind

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Next makes a call of the database behind, and returns its status and answer.
type Next func(operation string, body []byte) (status int, answer []byte, err error)

// Database is what AWS does to calls of DynamoDB. Tables have the keys pk and sk, both texts.
//
//	single write   throttled, or in conflict with a transaction
//	transaction    cancelled for the same reasons, which stand beside its parts
//	batch          done in part: what is left comes back as UnprocessedItems or UnprocessedKeys
//	read           throttled, or stale if it is not consistent
type Database struct {
	*Switches

	mu      sync.Mutex
	ongoing map[Item]bool // of transactions under way
	used    map[partition]*bucket
	changed []change // the oldest first
}

// Item names an item.
type Item struct{ Table, PK, SK string }

func (i Item) String() string { return i.Table + " " + i.PK + " " + i.SK }

// partition is all items of a table with the same partition key.
type partition struct{ table, pk string }

// refusal is why DynamoDB does not do something with an item; "" = it does.
type refusal string

const (
	conflict  refusal = "TransactionConflict"
	throttled refusal = "ThrottlingError"
	held      refusal = "held" // of a batch, for no reason that a caller could know
)

// messages of refusals, as DynamoDB words them.
var messages = map[refusal]string{
	conflict: "Transaction is ongoing for the item",
	throttled: "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your " +
		"table or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html",
}

// NewDatabase returns a database that treats its callers as the switches say; nil without switches.
func NewDatabase(s *Switches) *Database {
	if s == nil {
		return nil
	}
	return &Database{Switches: s, ongoing: map[Item]bool{}, used: map[partition]*bucket{}}
}

// Lasts draws how long a call takes to be done: a transaction is under way for some time.
func (d *Database) Lasts(operation string) time.Duration {
	if operation != "TransactWriteItems" {
		return 0
	}
	return time.Duration(d.Below(Conflicts)*int(time.Millisecond)) + time.Duration(d.Below(Conflicts)*1000)
}

// Answer makes a call, with the unkindness that befalls it. lasts is how long it is under way.
func (d *Database) Answer(operation string, body []byte, lasts time.Duration, next Next) (int, []byte, error) {
	if !d.anyOn(PartialBatches, Conflicts, StaleReads, StaleIndexes, HotPartitions) {
		return next(operation, body) // reading a call costs more than passing it on
	}
	c, err := read(operation, body)
	if err != nil || len(c.parts) == 0 {
		return next(operation, body) // the database says what is wrong
	}

	refused := d.refuse(c, lasts > 0)
	if answer := c.refused(refused); answer != nil {
		return http.StatusBadRequest, answer, nil
	}
	if len(refused) > 0 {
		body = c.without(refused)
	}
	if lasts > 0 {
		defer d.end(c)
		time.Sleep(lasts)
	}

	before := d.images(c, next)
	status, answer, err := next(operation, body)
	if err != nil || status != http.StatusOK {
		return status, answer, err
	}
	d.note(before)
	answer = d.stale(c, answer)
	d.spend(c, answer)
	if len(refused) > 0 {
		answer = c.withUndone(answer, refused)
	}
	return status, answer, nil
}

// refuse returns what DynamoDB does not do, by the parts of the call. A call that is not refused is under way then, if
// it lasts.
func (d *Database) refuse(c *call, lasts bool) map[int]refusal {
	refused := map[int]refusal{}
	if c.batch {
		// DynamoDB refuses a call as a whole of which it can do nothing.
		for i := range Undone(d.Switches, c.parts, len(c.parts)-1, part.String) {
			refused[i] = held
		}
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	for i, p := range c.parts {
		switch {
		case c.writes && d.ongoing[p.Item]:
			refused[i] = conflict
			d.Hit(Conflicts)
		case d.hot(p, c.writes):
			refused[i] = throttled
			d.Hit(HotPartitions)
		}
	}
	if len(refused) == 0 && lasts {
		for _, p := range c.parts {
			d.ongoing[p.Item] = true
		}
	}
	return refused
}

func (d *Database) end(c *call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range c.parts {
		delete(d.ongoing, p.Item)
	}
}

// refused is the answer to a call that is refused as a whole, nil if it is not.
func (c *call) refused(refused map[int]refusal) []byte {
	if len(refused) == 0 || c.batch && len(refused) < len(c.parts) {
		return nil
	}
	if c.operation == "TransactWriteItems" {
		return c.cancelled(refused)
	}
	for _, why := range refused {
		if why == conflict && !c.batch {
			return failure("TransactionConflictException", messages[conflict], nil)
		}
	}
	return failure("ThrottlingException", messages[throttled], nil)
}

// cancelled is the answer to a transaction, with a reason for each part.
func (c *call) cancelled(refused map[int]refusal) []byte {
	reasons, codes := make([]map[string]string, len(c.parts)), ""
	for i := range c.parts {
		code := "None"
		if why := refused[i]; why != "" {
			code = string(why)
			reasons[i] = map[string]string{"Code": code, "Message": messages[why]}
		} else {
			reasons[i] = map[string]string{"Code": code}
		}
		if i > 0 {
			codes += ", "
		}
		codes += code
	}
	return failure("TransactionCanceledException",
		fmt.Sprintf("Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", codes),
		map[string]any{"CancellationReasons": reasons})
}

// failure is an error as the protocol has it.
func failure(kind, message string, more map[string]any) []byte {
	members := map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + kind, "message": message}
	if kind == "TransactionCanceledException" {
		members["Message"] = message // this error's message has a capital, as its SDK model says
		delete(members, "message")
	}
	for name, value := range more {
		members[name] = value
	}
	text, _ := json.Marshal(members) // texts and lists of them always encode
	return text
}
