package memdb

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// table is a table with the keys pk and sk, both texts.
type table struct {
	name       string
	partitions map[string][]Item // by sort key
	names      []string          // of the partitions, in the order of a scan
	streams    bool
	records    []Record
	sequence   int
}

// Record is a change in the stream of a table, as a stream record has it.
type Record struct {
	Sequence string
	Kind     string // INSERT, MODIFY, REMOVE
	At       time.Time
	Old, New Item // nil = there was, is, none
}

// Keys are those of the item.
func (r Record) Keys() Item {
	of := r.New
	if of == nil {
		of = r.Old
	}
	return Item{"pk": of["pk"], "sk": of["sk"]}
}

// keyOf reads a primary key.
func keyOf(item Item) (pk, sk string, err error) {
	kp, p := kindOf(item["pk"])
	ks, s := kindOf(item["sk"])
	if kp != "S" || ks != "S" {
		return "", "", invalid("One or more parameter values were invalid: Missing the key pk or sk in the item")
	}

	pk, sk = p.(string), s.(string)
	switch {
	case pk == "" || sk == "":
		return "", "", invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot " +
			"contain an empty string value")
	// The limits are bytes of UTF-8, as len counts.
	case len(pk) > 2048 || len(sk) > 1024:
		return "", "", invalid(
			"One or more parameter values were invalid: Size of hashkey or rangekey has exceeded the limit",
		)
	}
	return pk, sk, nil
}

func sortKey(item Item) string {
	_, sk := kindOf(item["sk"])
	return sk.(string)
}

// find returns where in its partition an item is or would be.
func (t *table) find(pk, sk string) (at int, found bool) {
	return slices.BinarySearchFunc(t.partitions[pk], sk, func(item Item, sk string) int {
		return strings.Compare(sortKey(item), sk)
	})
}

func (t *table) get(pk, sk string) Item {
	if at, found := t.find(pk, sk); found {
		return t.partitions[pk][at]
	}
	return nil
}

// put writes an item, nil to delete it, and its record.
func (t *table) put(now time.Time, pk, sk string, item Item) {
	at, found := t.find(pk, sk)
	var old Item
	switch {
	case found && item == nil:
		old = t.partitions[pk][at]
		t.partitions[pk] = slices.Delete(t.partitions[pk], at, at+1)
	case found:
		old = t.partitions[pk][at]
		t.partitions[pk] = slices.Clone(t.partitions[pk])
		t.partitions[pk][at] = item
	case item != nil:
		if t.partitions[pk] == nil {
			i := sort.SearchStrings(t.names, pk)
			if i == len(t.names) || t.names[i] != pk {
				t.names = slices.Insert(t.names, i, pk)
			}
		}
		t.partitions[pk] = slices.Insert(t.partitions[pk], at, item)
	}

	t.record(now, old, item)
}

// record adds a stream record. A write that changes nothing has no record, as on DynamoDB.
func (t *table) record(now time.Time, old, item Item) {
	if !t.streams || old == nil && item == nil || old != nil && item != nil && sameItems(old, item) {
		return
	}

	r := Record{Kind: "MODIFY", At: now, Old: old, New: item}
	switch {
	case old == nil:
		r.Kind = "INSERT"
	case item == nil:
		r.Kind = "REMOVE"
	}
	t.sequence++
	r.Sequence = strconv.Itoa(100_000_000_000 + t.sequence)
	t.records = append(t.records, r)
}
