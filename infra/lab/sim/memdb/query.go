package memdb

import (
	"slices"
	"strings"
)

// maxPage limits the bytes that one query or scan reads.
const maxPage = 1 << 20

// page is the result of one query or scan.
type page struct {
	items   []Item
	count   int
	scanned int
	bytes   int
	last    Item // nil = all was looked at
}

func (db *DB) query(in request) (any, error) {
	t, err := db.table(in.TableName)
	if err != nil {
		return nil, err
	}
	pk, inRange, err := keyCondition(in)
	if err != nil {
		return nil, err
	}

	items := slices.Clone(t.partitions[pk])
	forward := in.ScanIndexForward == nil || *in.ScanIndexForward
	if !forward {
		slices.Reverse(items)
	}
	items = slices.DeleteFunc(items, func(item Item) bool { return !inRange(item) })
	if in.ExclusiveStartKey != nil {
		_, start, err := keyOf(in.ExclusiveStartKey)
		if err != nil {
			return nil, err
		}
		if _, at := kindOf(in.ExclusiveStartKey["pk"]); at != pk || !inRange(in.ExclusiveStartKey) {
			return nil, invalid("The provided starting key does not match the range key predicate")
		}
		items = slices.DeleteFunc(items, func(item Item) bool {
			order := strings.Compare(sortKey(item), start)
			// The start key is exclusive, and need not exist any more.
			return order == 0 || (order < 0) == forward
		})
	}
	return in.page(items)
}

func (db *DB) scan(in request) (any, error) {
	t, err := db.table(in.TableName)
	if err != nil {
		return nil, err
	}

	var items []Item
	// Sorted names instead of a hash order: a simulation must repeat itself with the same seed.
	for _, pk := range t.names {
		items = append(items, t.partitions[pk]...)
	}
	if in.ExclusiveStartKey != nil {
		pk, sk, err := keyOf(in.ExclusiveStartKey)
		if err != nil {
			return nil, err
		}
		items = slices.DeleteFunc(items, func(item Item) bool {
			_, at := kindOf(item["pk"])
			order := strings.Compare(at.(string), pk)
			return order < 0 || order == 0 && sortKey(item) <= sk
		})
	}
	return in.page(items)
}

// page looks at items until there are enough, and answers with those that pass the filter.
func (in request) page(items []Item) (any, error) {
	filter, err := parse(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	paths, err := parsePaths(in.ProjectionExpression, in.ExpressionAttributeNames)
	if err != nil {
		return nil, err
	}

	p := page{items: []Item{}}
	for i, item := range items {
		size := sizeOf(item)
		if p.scanned > 0 && p.bytes+size > maxPage {
			p.last = items[i-1]
			break
		}
		p.scanned++
		p.bytes += size
		if filter(item) {
			p.count++
			p.items = append(p.items, project(item, paths))
		}
		if in.Limit > 0 && p.scanned == in.Limit {
			p.last = item // also of the last there is: nobody has looked behind it
			break
		}
	}
	return in.answer(p), nil
}

func (in request) answer(p page) any {
	answer := map[string]any{"Count": p.count, "ScannedCount": p.scanned}
	if in.Select != "COUNT" {
		answer["Items"] = p.items
	}
	if p.last != nil {
		answer["LastEvaluatedKey"] = Item{"pk": p.last["pk"], "sk": p.last["sk"]}
	}
	return answer
}

// keyCondition reads pk = :value [AND a condition on sk].
func keyCondition(in request) (pk string, inRange condition, err error) {
	defer recoverInvalid(&err)
	p := newParser(in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	// DynamoDB accepts both orders; the programs always write pk first.
	if name := p.path(); len(name) != 1 || name[0].name != "pk" {
		return "", nil, invalid("Query condition missed key schema element: pk")
	}
	p.must("=")
	kind, content := kindOf(p.value())
	if kind != "S" {
		return "", nil, invalid(
			"One or more parameter values were invalid: Condition parameter type does not match schema type",
		)
	}

	inRange = func(Item) bool { return true }
	if p.take("AND") {
		inRange = p.negation()
	}
	if p.peek() != "" {
		return "", nil, invalid("Invalid KeyConditionExpression: Syntax error; token: %q", p.peek())
	}
	return content.(string), inRange, nil
}
