package httpapi

import (
	"encoding/json"
	"reflect"
)

// ID is an id of the wire: an integer below 2^53, ordered by time.
type ID int64

// Seconds is a time of the wire, in Unix seconds.
type Seconds int64

// Nullable is a member of a body that tells null from absent.
type Nullable[T any] struct {
	Given bool
	Value *T // nil for null
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.Given = true
	return json.Unmarshal(text, &n.Value)
}

var nullable = reflect.TypeFor[interface{ nullable() }]()

func (*Nullable[T]) nullable() {}

// Inner returns the type of the value, for descriptions of the member.
func (Nullable[T]) Inner() reflect.Type { return reflect.TypeFor[T]() }
