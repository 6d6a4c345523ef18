package httpapi

import (
	"encoding/json"
	"reflect"

	"minicloud/shared/id"
	"minicloud/shared/language/value"
)

// ID is an id in the API: an integer below 2^53, ordered by time.
type ID int64

// Seconds is a time in the API, in Unix seconds.
type Seconds int64

// Milliseconds is a time in the API, in Unix milliseconds.
type Milliseconds int64

// OK is a response that only reports success.
type OK struct {
	Status string `json:"status"`
}

// Done is the response of a successful request without other content.
var Done = OK{"ok"}

// Object is a JSON object with arbitrary members: numbers are json.Number, and duplicate members are refused.
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
	return json.Unmarshal(text, (*map[string]any)(o)) // null, or an error that names the type
}

// Accepted is the response to a bulk operation in the background. GET /oserve/v1/bulk-operation/{id}/ reports its
// progress.
type Accepted struct {
	Status    string `json:"status" enum:"ok"`
	Operation id.ID  `json:"operation_id"`
}

// InBackground returns the response to a change that an operation makes in the background.
func InBackground(operation id.ID) Accepted { return Accepted{Status: "ok", Operation: operation} }

// Either is a response with one of two forms; exactly one field is set. A form with a status other than the route's has
// a method Status() int.
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

// Forms returns the types of both forms, for the OpenAPI document.
func (Either[A, B]) Forms() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()}
}

// OrNull returns nil for a zero value, which responses show as null.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// Nullable is a body member that distinguishes null from absent.
type Nullable[T any] struct {
	Given bool
	Value *T // nil for null
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.Given = true
	return json.Unmarshal(text, &n.Value)
}

// Inner returns the type of the value, for the OpenAPI document.
func (Nullable[T]) Inner() reflect.Type { return reflect.TypeFor[T]() }
