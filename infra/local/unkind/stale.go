package unkind

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// change is a write as its item was before.
type change struct {
	item   Item
	before image
	at     time.Time
}

// image is an item, nil where there is none.
type image map[string]json.RawMessage

// images reads the items that a call will write, as they are before, if anybody may see them later.
func (d *Database) images(c *call, next Next) []change {
	if !c.writes || !d.On(StaleReads) && !d.On(StaleIndexes) {
		return nil
	}

	keys := map[string]any{}
	changes := make([]change, len(c.parts))
	for i, p := range c.parts {
		changes[i].item = p.Item
		of, _ := keys[p.Table].(map[string]any)
		if of == nil {
			of = map[string]any{"ConsistentRead": true, "Keys": []any{}}
			keys[p.Table] = of
		}
		of["Keys"] = append(of["Keys"].([]any), map[string]attribute{"pk": {p.PK}, "sk": {p.SK}})
	}
	body, _ := json.Marshal(map[string]any{"RequestItems": keys}) // texts always encode
	status, answer, err := next("BatchGetItem", body)
	var found struct{ Responses map[string][]image }
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &found) != nil {
		return nil // the write says what is wrong
	}
	for table, items := range found.Responses {
		for _, it := range items {
			if i := slices.IndexFunc(changes, func(c change) bool { return c.item == it.item(table) }); i >= 0 {
				changes[i].before = it
			}
		}
	}
	return changes
}

func (i image) item(table string) Item {
	var pk, sk attribute
	_, _ = json.Unmarshal(i["pk"], &pk), json.Unmarshal(i["sk"], &sk) // every item has its keys
	return Item{table, pk.S, sk.S}
}

// note keeps changes that were made, for as long as a read may lag.
func (d *Database) note(changes []change) {
	if len(changes) == 0 {
		return
	}
	longest := time.Duration(max(d.Number(StaleReads), d.Number(StaleIndexes))) * time.Millisecond
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.changed = slices.DeleteFunc(d.changed, func(c change) bool { return now.Sub(c.at) > longest })
	for _, c := range changes {
		c.at = now
		d.changed = append(d.changed, c)
	}
}

// past returns the items of a table that have changed since a time drawn for this read, as they were at that time.
func (d *Database) past(table string, k Kind) map[Item]image {
	lag := time.Duration(d.Below(k)+1) * time.Millisecond
	d.mu.Lock()
	defer d.mu.Unlock()
	past := map[Item]image{}
	for _, c := range d.changed { // the oldest change of an item since then has what it was
		if _, known := past[c.item]; !known && c.item.Table == table && time.Since(c.at) < lag {
			past[c.item] = c.before
		}
	}
	return past
}

// stale makes the answer of an eventually consistent read that of an earlier time.
func (d *Database) stale(c *call, answer []byte) []byte {
	k := StaleReads
	if c.IndexName != "" {
		k = StaleIndexes
	}
	if c.writes || !d.On(k) {
		return answer
	}
	var out map[string]json.RawMessage
	if json.Unmarshal(answer, &out) != nil {
		return answer
	}

	changed := false
	switch c.operation {
	case "GetItem":
		changed = !c.ConsistentRead && d.staleItem(c, out)
	case "BatchGetItem":
		changed = d.staleBatch(c, out)
	default:
		changed = !c.ConsistentRead && d.staleList(c, out, k)
	}
	if !changed {
		return answer
	}
	d.Hit(k)
	text, _ := json.Marshal(out) // it was read as JSON
	return text
}

func (d *Database) staleItem(c *call, out map[string]json.RawMessage) bool {
	before, known := d.past(c.TableName, StaleReads)[c.parts[0].Item]
	if !known {
		return false
	}
	delete(out, "Item")
	if before != nil {
		out["Item"], _ = json.Marshal(c.project(before))
	}
	return true
}

func (d *Database) staleBatch(c *call, out map[string]json.RawMessage) (changed bool) {
	var found map[string][]image
	if json.Unmarshal(out["Responses"], &found) != nil {
		return false
	}
	for table, text := range c.RequestItems {
		var asked reading
		if json.Unmarshal(text, &asked) != nil || asked.ConsistentRead {
			continue
		}
		past := d.past(table, StaleReads)
		for _, p := range c.parts {
			before, known := past[p.Item]
			if !known || p.Table != table {
				continue
			}
			changed = true
			found[table] = slices.DeleteFunc(found[table], func(i image) bool { return i.item(table) == p.Item })
			if before != nil {
				found[table] = append(found[table], asked.project(before))
			}
		}
	}
	out["Responses"], _ = json.Marshal(found)
	return changed
}

// staleList replaces, removes and adds the items of a query or scan. Behind a filter, items can only be missing: what
// they were is not compared with it.
func (d *Database) staleList(c *call, out map[string]json.RawMessage, k Kind) (changed bool) {
	var items []image
	if json.Unmarshal(out["Items"], &items) != nil {
		return false
	}
	past, whole := d.past(c.TableName, k), c.FilterExpression == "" && c.IndexName == ""

	kept := []image{}
	for _, it := range items {
		item := c.listed(it)
		whole = whole && item.SK != "" // otherwise nobody knows which items these are
		before, known := past[item]
		delete(past, item)
		switch {
		case !known:
			kept = append(kept, it)
		case before == nil || c.IndexName != "" && !before.has(it):
			changed = true
		case whole:
			changed = true
			kept = append(kept, c.project(before))
		default:
			kept = append(kept, it)
		}
	}
	if whole && c.operation == "Query" && out["LastEvaluatedKey"] == nil && c.ExclusiveStartKey == nil {
		for _, item := range slices.SortedFunc(maps.Keys(past), func(a, b Item) int { return strings.Compare(a.SK, b.SK) }) {
			if before := past[item]; before != nil && item.PK == c.parts[0].PK && c.inRange(item.SK) {
				kept, changed = append(kept, c.project(before)), true
			}
		}
		slices.SortStableFunc(kept, func(a, b image) int {
			order := strings.Compare(a.item("").SK, b.item("").SK)
			if f := c.ScanIndexForward; f != nil && !*f {
				return -order
			}
			return order
		})
	}
	out["Items"], _ = json.Marshal(kept)
	out["Count"], _ = json.Marshal(len(kept))
	return changed
}

// listed names an item of a query or scan. A query may leave out the partition key, which all its items share.
func (c *call) listed(i image) Item {
	item := i.item(c.TableName)
	item.PK = cmp.Or(item.PK, c.parts[0].PK)
	return item
}

// has reports whether an item had the attributes that an index shows of it now.
func (i image) has(shown image) bool {
	for name, value := range shown {
		if string(i[name]) != string(value) {
			return false
		}
	}
	return true
}

// project returns the attributes that a read asks for. Paths into lists and maps return the whole attribute.
func (r reading) project(i image) image {
	if r.ProjectionExpression == "" {
		return i
	}
	out := image{}
	for path := range strings.SplitSeq(r.ProjectionExpression, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(path), ".")
		if full := r.ExpressionAttributeNames[name]; full != "" {
			name = full
		}
		if value, there := i[name]; there {
			out[name] = value
		}
	}
	return out
}
