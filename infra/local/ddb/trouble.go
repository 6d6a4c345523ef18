package ddb

import (
	"fmt"
	"strings"
	"time"

	"minicloud/shared/cache"
)

// remedies maps error texts of SQLite, the kernel and dynoxide to advice for the user. The first match is used.
var remedies = []struct{ said, remedy string }{
	{"disk is full", "the disk is full: free some space, then go on"},
	{"no space left", "the disk is full: free some space, then go on"},
	{"is locked", "another program uses the file (a database browser?): close it and start again"},
	{"malformed", damaged},
	{"not a database", damaged},
	{"not a valid sqlite database", damaged},
	{"disk i/o error", "the disk cannot be read or written: copy the folder to another, and name that with DATA_DIR"},
	{"permission denied", notYours},
	{"no such file", notYours},
	{"readonly", notYours},
	{"unable to open", notYours},
}

const (
	damaged  = "the file is damaged: restore it from a copy, or delete its folder to begin again without its data"
	foreign  = "move it away, or choose another folder with DATA_DIR"
	notYours = "see to it that the file and its folder are yours to write (ls -l, chmod u+rw, chown)"
)

// trouble wraps an error of the database with the file and the remedy.
func trouble(path string, err error) error {
	said := strings.ToLower(err.Error())
	for _, r := range remedies {
		if strings.Contains(said, r.said) {
			return fmt.Errorf("the database %s: %w: %s", path, err, r.remedy)
		}
	}
	return fmt.Errorf("the database %s: dynoxide: %w", path, err)
}

// tellEvery is the minimum interval between reports of the same fault.
const tellEvery = time.Minute

// troubles limits how often each fault is reported.
type troubles struct {
	path string
	tell func(error) // nil disables reports

	told cache.Map[string, time.Time] // time of the last report, by remedy
}

func (t *troubles) saw(answer []byte) {
	if t.tell == nil {
		return
	}

	said := strings.ToLower(string(answer[:min(len(answer), 4096)]))
	for _, r := range remedies {
		if !strings.Contains(said, r.said) {
			continue
		}

		var told time.Time
		t.told.Update(r.remedy, func(last time.Time) time.Time {
			told = last
			return time.Now()
		})
		// Every request fails when the disk is full; one line per period is enough.
		if time.Since(told) >= tellEvery {
			t.tell(fmt.Errorf("the database %s: %s: %s", t.path, r.said, r.remedy))
		}

		return
	}
}
