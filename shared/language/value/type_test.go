package value

import (
	"strings"
	"testing"
)

// TestTypesAreComplete checks that each type accepts its own sample and defines every property used by other
// packages.
func TestTypesAreComplete(t *testing.T) {
	for _, kind := range kinds {
		c := Column{Name: "c", Type: kind.name}
		if kind.name == Array {
			c.Items = String
		}
		v, err := c.Convert(c.Sample())
		switch {
		case err != nil || !c.Holds(v) || !c.Equal(v, v) || c.Holds(nil):
			t.Errorf("%s: sample %v becomes %v, %v", kind.name, c.Sample(), v, err)
		case kind.article == "" || kind.needs == "" || len(kind.rules) == 0 || len(kind.assign) == 0:
			t.Errorf("%s: a text or a list of operators is missing", kind.name)
		case kind.ordered != (kind.key != nil) || kind.ordered != (len(kind.mark) == 1):
			t.Errorf("%s: an ordered type has keys, others have none", kind.name)
		case kind.ordered && (!strings.HasPrefix(c.Type.Key(v), kind.mark) || c.Type.Key(v) <= c.Type.Key(nil)):
			t.Errorf("%s: key %q of %v", kind.name, c.Type.Key(v), v)
		}
	}
}
