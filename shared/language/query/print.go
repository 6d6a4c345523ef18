package query

import (
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/geo"
)

// String implements Predicate.
func (a And) String() string { return string(a.append(nil)) }

// String implements Predicate.
func (o Or) String() string { return string(o.append(nil)) }

// String implements Predicate.
func (t *Term) String() string { return string(t.append(nil)) }

func (a And) append(text []byte) []byte {
	if len(a) == 0 {
		return append(text, "{}"...)
	}
	return appendGroup(text, "$and", a)
}

func (o Or) append(text []byte) []byte { return appendGroup(text, "$or", o) }

func appendGroup(text []byte, name string, parts []Predicate) []byte {
	text = append(text, `{"`+name+`":[`...)
	for i, part := range parts {
		if i > 0 {
			text = append(text, ',')
		}
		text = part.append(text)
	}
	return append(text, "]}"...)
}

func (t *Term) append(text []byte) []byte {
	text = append(text, '{')
	text = appendJSON(text, t.Field())
	text = append(text, `:{"`+string(t.Op)+`":`...)
	switch operand := t.Operand.(type) {
	case Regex:
		text = appendJSON(text, operand.Pattern)
		if operand.Options != "" {
			text = append(text, `,"$options":`...)
			text = appendJSON(text, operand.Options)
		}
	case geo.Geometry:
		text = appendJSON(text, operand.JSON())
	case Center:
		text = appendJSON(text, map[string]any{
			"radius": operand.Radius, "coordinates": []any{operand.Position.Lon, operand.Position.Lat},
		})
	case Near:
		m := map[string]any{"geometry": geo.Geometry{Point: operand.Position}.JSON(), "min_distance": operand.Min}
		if operand.Max >= 0 {
			m["max_distance"] = operand.Max
		}
		text = appendJSON(text, m)
	default:
		text = appendJSON(text, operand)
	}

	return append(text, "}}"...)
}

// appendJSON appends v as JSON with sorted keys. It panics if v is not a decoded JSON value.
func appendJSON(text []byte, v any) []byte {
	encoded, err := value.Encode(v)
	if err != nil {
		panic("query: operand that is not JSON: " + err.Error())
	}
	return append(text, encoded...)
}
