package httpapi

import (
	"encoding/json"
	"reflect"

	"minicloud/shared/id"
	"minicloud/shared/language/value"
)

// ID is an id of the wire: an integer below 2^53, ordered by time.
type ID int64

// Seconds is a time of the wire, in Unix seconds.
type Seconds int64

// Milliseconds is a time of the wire, in Unix milliseconds.
type Milliseconds int64

// OK is the answer that tells nothing but success.
type OK struct {
	Status string `json:"status"`
}

// Done is the answer OK.
var Done = OK{"ok"}

// Object is a JSON object of any members: numbers are json.Number, and no member comes twice.
type Object map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(text []byte) error {
	decoded, err := value.Decode("the request body", text)
	if err != nil {
		return err
	}
	if object, ok := decoded.(map[string]any); ok {
		*o = object
		return nil
	}
	return json.Unmarshal(text, (*map[string]any)(o)) // null, or an error that names what it is
}

// Accepted is the response to a bulk operation in the background. GET /oserve/v1/bulk-operation/{id}/ reports its
// progress.
type Accepted struct {
	Status    string `json:"status" enum:"ok"`
	Operation id.ID  `json:"operation_id"`
}

// InBackground is the answer of a change that an operation makes in the background.
func InBackground(operation id.ID) Accepted { return Accepted{Status: "ok", Operation: operation} }

// Either is an answer of one of two forms: of the one that is set. A form with another status than that of the route
// has a method Status() int.
type Either[A, B any] struct {
	One   *A
	Other *B
}

func (e Either[A, B]) form() any {
	if e.One != nil {
		return *e.One
	}
	return *e.Other
}

// Forms returns the types of both forms, for descriptions of the answer.
func (Either[A, B]) Forms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()}
}

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

// Inner returns the type of the value, for descriptions of the member.
func (Nullable[T]) Inner() reflect.Type { return reflect.TypeFor[T]() }
