package memdb

import (
	"maps"
	"slices"
)

// request has the members of all operations.
type request struct {
	write
	ReturnValues string
	ProjectionExpression,
	FilterExpression,
	KeyConditionExpression,
	Select string
	Limit              int
	ScanIndexForward   *bool
	ExclusiveStartKey  Item
	RequestItems       map[string]json0
	TransactItems      []transactItem
	ClientRequestToken string

	raw string
}

// write is one write, alone or in a transaction.
type write struct {
	TableName                 string
	Key                       Item
	Item                      Item
	ConditionExpression       string
	UpdateExpression          string
	ExpressionAttributeNames  map[string]any
	ExpressionAttributeValues map[string]any

	ReturnValuesOnConditionCheckFailure string
}

// maxItem is the size of the largest item, in bytes.
const maxItem = 400 << 10

var errTooLarge = invalid("Item size has exceeded the maximum allowed size")

// change is a write that was found possible.
type change struct {
	table       *table
	pk, sk      string
	before, now Item
	checks      bool // it is a condition only
}

// isAmong reports whether one of the changes is of the same item, which no request may write twice.
func (c change) isAmong(all []change) bool {
	return slices.ContainsFunc(all, func(other change) bool {
		return other.table == c.table && other.pk == c.pk && other.sk == c.sk
	})
}

// refused is a condition that does not hold.
func refused(w write, before Item) error {
	f := &failure{kind: "ConditionalCheckFailedException", message: "The conditional request failed"}
	if w.ReturnValuesOnConditionCheckFailure == "ALL_OLD" && before != nil {
		f.extra = map[string]any{"Item": before}
	}
	return f
}

// plan computes a write without making it. after returns the new item for the present one.
func (db *DB) plan(w write, key Item, after func(before Item) (Item, error)) (change, error) {
	t, err := db.table(w.TableName)
	if err != nil {
		return change{}, err
	}
	pk, sk, err := keyOf(key)
	if err != nil {
		return change{}, err
	}
	condition, err := parse(w.ConditionExpression, w.ExpressionAttributeNames, w.ExpressionAttributeValues)
	if err != nil {
		return change{}, err
	}

	c := change{table: t, pk: pk, sk: sk, before: t.get(pk, sk)}
	// DynamoDB evaluates the condition before the update, so its refusal hides errors of the update.
	if !condition(c.before) {
		return c, refused(w, c.before)
	}
	if c.now, err = after(c.before); err != nil {
		return c, err
	}
	if c.now != nil && sizeOf(c.now) > maxItem {
		return c, errTooLarge
	}
	return c, nil
}

func (db *DB) do(c change) {
	if !c.checks {
		c.table.put(db.clock.Now(), c.pk, c.sk, c.now)
	}
}

func (db *DB) planPut(w write) (change, error) {
	item, err := checkAll(w.Item)
	if err != nil {
		return change{}, err
	}
	if sizeOf(item) > maxItem {
		return change{}, errTooLarge
	}
	return db.plan(w, item, func(Item) (Item, error) { return item, nil })
}

func (db *DB) planDelete(w write) (change, error) {
	return db.plan(w, w.Key, func(Item) (Item, error) { return nil, nil })
}

func (db *DB) planUpdate(w write) (change, error) {
	all, err := parseUpdate(w.UpdateExpression, w.ExpressionAttributeNames, w.ExpressionAttributeValues)
	if err != nil {
		return change{}, err
	}
	for _, a := range all {
		if name := a.path[0].name; name == "pk" || name == "sk" {
			return change{}, invalid("One or more parameter values were invalid: Cannot update attribute %s. "+
				"This attribute is part of the key", name)
		}
	}

	return db.plan(w, w.Key, func(before Item) (Item, error) {
		// UpdateItem creates a missing item from its key.
		if before == nil {
			before = maps.Clone(w.Key)
		}
		return apply(before, all)
	})
}

func (db *DB) planCheck(w write) (change, error) {
	c, err := db.plan(w, w.Key, func(before Item) (Item, error) { return before, nil })
	c.checks = true
	return c, err
}

// single makes one write.
func (db *DB) single(in request, plan func(write) (change, error)) (any, error) {
	c, err := plan(in.write)
	if err != nil {
		return nil, err
	}
	db.do(c)

	answer := map[string]any{}
	switch {
	case in.ReturnValues == "ALL_OLD" && c.before != nil:
		answer["Attributes"] = c.before
	case in.ReturnValues == "ALL_NEW" && c.now != nil:
		answer["Attributes"] = c.now
	}
	return answer, nil
}

func (db *DB) putItem(in request) (any, error)    { return db.single(in, db.planPut) }
func (db *DB) updateItem(in request) (any, error) { return db.single(in, db.planUpdate) }
func (db *DB) deleteItem(in request) (any, error) { return db.single(in, db.planDelete) }

func (db *DB) getItem(in request) (any, error) {
	item, err := db.read(in.TableName, in.Key, in.ProjectionExpression, in.ExpressionAttributeNames)
	if err != nil || item == nil {
		return map[string]any{}, err
	}
	return map[string]any{"Item": item}, nil
}

func (db *DB) read(name string, key Item, projection string, names map[string]any) (Item, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	pk, sk, err := keyOf(key)
	if err != nil {
		return nil, err
	}
	// An invalid projection is an error also when there is no item.
	paths, err := parsePaths(projection, names)
	if err != nil {
		return nil, err
	}

	item := t.get(pk, sk)
	if item == nil {
		return nil, nil
	}
	return project(item, paths), nil
}
