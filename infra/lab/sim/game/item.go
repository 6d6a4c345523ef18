package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Text is an attribute of an item as text, "" where there is none.
func Text(it map[string]any, name string) string {
	members, _ := it[name].(map[string]any)
	for _, v := range members {
		return fmt.Sprint(v)
	}
	return ""
}

// Number is an attribute as a number, 0 where there is none.
func Number(it map[string]any, name string) int64 {
	n, _ := strconv.ParseInt(Text(it, name), 10, 64)
	return n
}

// IsRecord reports whether an item of JobsTable is the record of an ended job.
func IsRecord(it map[string]any) bool {
	return Text(it, "finished") != "" && !strings.Contains(Text(it, "pk"), "#slots")
}
