package permission

import (
	"encoding/json"
	"strings"
)

// Lists returns the stored form of the read and the write permission of a row, [[readers],[writers]]. One text takes a
// scan a fifth less time than two attributes with lists.
func Lists(read, write []string) string {
	text, _ := json.Marshal([][]string{read, write}) // texts always encode
	return string(text)
}

// ParseLists parses what Lists returned. Invalid text gives nobody any permission.
func ParseLists(text string) (read, write []string) {
	if read, write, ok := plainLists(text); ok {
		return read, write
	}
	var lists [2][]string
	_ = json.Unmarshal([]byte(text), &lists)
	return lists[0], lists[1]
}

// plainLists parses text without escapes, as nearly all is: encoding/json takes ten times as long, and a list parses it
// for each row. ok is false for other text.
func plainLists(text string) (read, write []string, ok bool) {
	if strings.Contains(text, `\`) {
		return nil, nil, false
	}
	if read, text, ok = plainList(text, "["); !ok {
		return nil, nil, false
	}
	write, text, ok = plainList(text, ",")
	return read, write, ok && text == "]"
}

// plainList parses a list of strings behind a separator, and returns the rest.
func plainList(text, separator string) (list []string, rest string, ok bool) {
	if text, ok = strings.CutPrefix(text, separator); !ok {
		return nil, "", false
	}
	if rest, ok = strings.CutPrefix(text, "null"); ok {
		return nil, rest, true
	}
	if rest, ok = strings.CutPrefix(text, "[]"); ok {
		return []string{}, rest, true
	}
	for next := "["; ; next = "," {
		if text, ok = strings.CutPrefix(text, next+`"`); !ok {
			return nil, "", false
		}
		var entry string
		if entry, text, ok = strings.Cut(text, `"`); !ok {
			return nil, "", false
		}
		list = append(list, entry)
		if rest, ok = strings.CutPrefix(text, "]"); ok {
			return list, rest, true
		}
	}
}
