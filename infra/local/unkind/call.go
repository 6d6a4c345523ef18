package unkind

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// call is a call of DynamoDB, with what it touches.
type call struct {
	operation string
	writes    bool
	batch     bool
	parts     []part

	reading
}

// part is one item of a call; a query has one without a sort key.
type part struct {
	Item
	entry      json.RawMessage
	consistent bool
	units      int // write units, as far as the request tells
}

// attribute is a value of the protocol that is a text.
type attribute struct{ S string }

// reading has the members of requests that reads and writes have in common.
type reading struct {
	TableName, IndexName                     string
	Key, Item                                json.RawMessage
	ConsistentRead                           bool
	KeyConditionExpression, FilterExpression string
	ProjectionExpression, Select             string
	ScanIndexForward                         *bool
	ExpressionAttributeNames                 map[string]string
	ExpressionAttributeValues                map[string]json.RawMessage
	ExclusiveStartKey                        json.RawMessage
	RequestItems                             map[string]json.RawMessage
	TransactItems                            []map[string]reading // by action
}

// read reads a call. It has no parts if nothing can befall it.
func read(operation string, body []byte) (*call, error) {
	c := &call{operation: operation}
	if err := json.Unmarshal(body, &c.reading); err != nil {
		return nil, err
	}

	r := c.reading

	switch operation {
	case "PutItem", "UpdateItem", "DeleteItem":
		c.writes = true
		return c, c.add(r.TableName, r.of(), len(body))
	case "GetItem":
		return c, c.add(r.TableName, r.Key, 0)
	case "Query", "Scan":
		c.parts = []part{{Item: Item{Table: r.TableName, PK: r.partitionKey()}, consistent: r.ConsistentRead}}
	case "TransactWriteItems":
		c.writes = true
		for _, actions := range r.TransactItems {
			for _, action := range actions {
				// A transaction costs double.
				if err := c.add(action.TableName, action.of(), 2*len(action.Item)); err != nil {
					return nil, err
				}
			}
		}
	case "BatchWriteItem", "BatchGetItem":
		c.batch, c.writes = true, operation == "BatchWriteItem"
		return c, c.readBatch()
	}
	return c, nil
}

// of returns the part of a write that has its key.
func (r reading) of() json.RawMessage {
	if r.Item != nil {
		return r.Item
	}
	return r.Key
}

// add adds the item with the key in text.
func (c *call) add(table string, text json.RawMessage, bytes int) error {
	item, err := itemOf(table, text)
	c.parts = append(c.parts, part{Item: item, consistent: c.ConsistentRead, units: 1 + bytes/1024})
	return err
}

func itemOf(table string, text json.RawMessage) (Item, error) {
	var k struct {
		PK attribute `json:"pk"`
		SK attribute `json:"sk"`
	}
	err := json.Unmarshal(text, &k)
	return Item{table, k.PK.S, k.SK.S}, err
}

// readBatch reads the entries of a batch, table by table.
func (c *call) readBatch() error {
	for _, table := range slices.Sorted(maps.Keys(c.RequestItems)) {
		if !c.writes {
			var asked struct {
				Keys           []json.RawMessage
				ConsistentRead bool
			}
			if err := json.Unmarshal(c.RequestItems[table], &asked); err != nil {
				return err
			}
			for _, k := range asked.Keys {
				item, err := itemOf(table, k)
				if err != nil {
					return err
				}
				c.parts = append(c.parts, part{Item: item, entry: k, consistent: asked.ConsistentRead})
			}
			continue
		}

		var asked []json.RawMessage
		if err := json.Unmarshal(c.RequestItems[table], &asked); err != nil {
			return err
		}
		for _, entry := range asked {
			var w struct {
				PutRequest, DeleteRequest struct{ Item, Key json.RawMessage }
			}
			if err := json.Unmarshal(entry, &w); err != nil {
				return err
			}
			text := w.PutRequest.Item
			if text == nil {
				text = w.DeleteRequest.Key
			}
			item, err := itemOf(table, text)
			if err != nil {
				return err
			}
			c.parts = append(c.parts, part{Item: item, entry: entry, units: 1 + len(entry)/1024})
		}
	}
	return nil
}

// requestItems writes RequestItems with the parts for which keep holds.
func (c *call) requestItems(keep func(i int) bool) map[string]any {
	kept := map[string][]json.RawMessage{}
	for i, p := range c.parts {
		if keep(i) {
			kept[p.Table] = append(kept[p.Table], p.entry)
		}
	}

	all := map[string]any{}
	for table, entries := range kept {
		if c.writes {
			all[table] = entries
			continue
		}
		var asked map[string]any
		_ = json.Unmarshal(c.RequestItems[table], &asked) // it was read before
		asked["Keys"] = entries
		all[table] = asked
	}
	return all
}

// without is the request without the refused parts.
func (c *call) without(refused map[int]refusal) []byte {
	text, _ := json.Marshal(map[string]any{ // it was read as JSON
		"RequestItems": c.requestItems(func(i int) bool { return refused[i] == "" }),
	})
	return text
}

// withUndone adds the refused parts to what the database itself left undone.
func (c *call) withUndone(answer []byte, refused map[int]refusal) []byte {
	var out map[string]json.RawMessage
	if json.Unmarshal(answer, &out) != nil {
		return answer
	}
	member := "UnprocessedKeys"
	if c.writes {
		member = "UnprocessedItems"
	}

	left := map[string]json.RawMessage{}
	_ = json.Unmarshal(out[member], &left) // nothing is left where the member is missing
	for table, undone := range c.requestItems(func(i int) bool { return refused[i] != "" }) {
		text, _ := json.Marshal(undone) // it was read as JSON
		left[table] = merged(left[table], text)
	}
	out[member], _ = json.Marshal(left)
	text, _ := json.Marshal(out)
	return text
}

// merged joins two lists of writes, or two objects with keys.
func merged(a, b json.RawMessage) json.RawMessage {
	switch {
	case len(a) == 0:
		return b
	case bytes.HasPrefix(b, []byte("[")):
		return slices.Concat(bytes.TrimSuffix(a, []byte("]")), []byte(","), bytes.TrimPrefix(b, []byte("[")))
	}
	var one, two map[string]json.RawMessage
	_, _ = json.Unmarshal(a, &one), json.Unmarshal(b, &two) // both are objects
	one["Keys"] = merged(one["Keys"], two["Keys"])
	text, _ := json.Marshal(one)
	return text
}

// partitionKey returns the partition key that a query names.
func (r reading) partitionKey() string {
	m := isPK.FindStringSubmatch(r.KeyConditionExpression)
	if m == nil {
		return ""
	}
	return r.text(m[1])
}

// text returns a parameter that is a text.
func (r reading) text(parameter string) string {
	var a attribute
	_ = json.Unmarshal(r.ExpressionAttributeValues[parameter], &a) // "" where there is none
	return a.S
}

var (
	isPK    = regexp.MustCompile(`^\s*pk\s*=\s*(:\w+)`)
	compare = regexp.MustCompile(`sk\s*(<=|>=|=|<|>)\s*(:\w+)`)
	between = regexp.MustCompile(`(?i)sk\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)`)
	prefix  = regexp.MustCompile(`(?i)begins_with\s*\(\s*sk\s*,\s*(:\w+)\s*\)`)
)

// inRange reports whether a sort key satisfies the key condition of a query.
func (r reading) inRange(sk string) bool {
	_, rest, _ := strings.Cut(r.KeyConditionExpression, " AND ")
	if m := between.FindStringSubmatch(rest); m != nil {
		return sk >= r.text(m[1]) && sk <= r.text(m[2])
	}
	if m := prefix.FindStringSubmatch(rest); m != nil {
		return strings.HasPrefix(sk, r.text(m[1]))
	}
	if m := compare.FindStringSubmatch(rest); m != nil {
		order := strings.Compare(sk, r.text(m[2]))
		return map[string]bool{"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[m[1]]
	}
	return true
}
