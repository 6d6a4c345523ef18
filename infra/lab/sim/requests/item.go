package requests

import (
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
)

// text is an attribute of an item as text, "" where there is none.
func text(it map[string]any, name string) string {
	members, _ := it[name].(map[string]any)
	for _, v := range members {
		return fmt.Sprint(v)
	}
	return ""
}

// number is an attribute as a number, 0 where there is none.
func number(it map[string]any, name string) int64 {
	n, _ := strconv.ParseInt(text(it, name), 10, 64)
	return n
}

// isRecord reports whether an item of JobsTable is the record of an ended job.
func isRecord(it map[string]any) bool {
	return text(it, "finished") != "" && !strings.Contains(text(it, "pk"), "#slots")
}

func mapsKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }
