package objects

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// name is the bucket of the tests.
const name = "FilesBucket"

// box receives events.
type box struct {
	mu   sync.Mutex
	all  []map[string]any
	down bool
	came chan string // keys of those that came
}

func newBox() *box { return &box{came: make(chan string, 100)} }

func (b *box) put(detailType string, resources []string, _ time.Time, detail []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("down")
	}
	var d map[string]any
	if err := json.Unmarshal(detail, &d); err != nil {
		return err
	}
	d["type"], d["resources"] = detailType, strings.Join(resources, " ")
	b.all = append(b.all, d)
	b.came <- d["object"].(map[string]any)["key"].(string)
	return nil
}

// notify opens the store of a folder with events.
func notify(t *testing.T, dir string, b *box, numbers unkind.Numbers) *Store {
	t.Helper()
	store, err := Open(dir, []string{name, "quiet"}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	e := Events{Put: b.put, Failed: func(error) {}, Unkind: unkind.New(numbers, rand.New(rand.NewPCG(1, 2)), nil)}
	if err := store.Notify(e, []string{name}); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestEvent has the form of S3's documentation.
func TestEvent(t *testing.T) {
	b := newBox()
	store := notify(t, t.TempDir(), b, nil)
	defer store.Close()
	about := Object{Key: "a/ä b.png", Cause: Cause{Reason: "POST Object", RequestID: "r1", Address: "127.0.0.1"}}
	if _, err := store.Write(name, about, strings.NewReader("hello"), nil); err != nil {
		t.Fatal(err)
	}
	if err := store.Put("quiet", "b", nil); err != nil {
		t.Fatal(err)
	}
	<-b.came
	got := b.all[0]
	object := got["object"].(map[string]any)
	if s, _ := object["sequencer"].(string); len(s) != 16 {
		t.Errorf("sequencer %q", s)
	}
	delete(object, "sequencer")
	want := map[string]any{
		"type": "Object Created", "resources": "arn:aws:s3:::" + name, "version": "0", "event-version": "1.0",
		"bucket":     map[string]any{"name": name},
		"object":     map[string]any{"key": "a/ä b.png", "size": 5.0, "etag": "5d41402abc4b2a76b9719d911017c592"},
		"request-id": "r1", "requester": "000000000000", "source-ip-address": "127.0.0.1", "reason": "POST Object",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEventsSurviveAKill: an object that is in its place has its event sent by the next process, also if it was replaced
// or deleted meanwhile; an object that never came there has none.
func TestEventsSurviveAKill(t *testing.T) {
	dir, b := t.TempDir(), newBox()
	b.down = true
	store := notify(t, dir, b, nil)
	for _, key := range []string{"a", "a", "deleted", "placed", "unplaced"} {
		if err := store.Put(name, key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Delete(name, "deleted"); err != nil {
		t.Fatal(err)
	}
	// Killed before the link is renamed, and before the object is.
	links, err := filepath.Glob(filepath.Join(store.pending(name), "*"))
	if err != nil || len(links) != 5 {
		t.Fatalf("%q, %v", links, err)
	}
	for _, link := range links[3:] {
		if err := os.Rename(link, link+newSuffix); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(store.path(name, "unplaced")); err != nil {
		t.Fatal(err)
	}
	store.Close()

	b.down = false
	again := notify(t, dir, b, nil)
	came := map[string]int{}
	for range 4 {
		came[<-b.came]++
	}
	again.Close()
	if diff := cmp.Diff(map[string]int{"a": 2, "deleted": 1, "placed": 1}, came); diff != "" || len(b.came) > 0 {
		t.Errorf("%d more %s", len(b.came), diff)
	}
	if left, err := os.ReadDir(again.pending(name)); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestUnkindEvents come late and twice.
func TestUnkindEvents(t *testing.T) {
	b := newBox()
	store := notify(t, t.TempDir(), b, unkind.Numbers{unkind.LateEvents: 5, unkind.DuplicateEvents: 1000})
	defer store.Close()
	if err := store.Put(name, "a", nil); err != nil {
		t.Fatal(err)
	}
	<-b.came
	<-b.came
	if b.all[0]["object"].(map[string]any)["sequencer"] != b.all[1]["object"].(map[string]any)["sequencer"] {
		t.Errorf("they are two events: %v", b.all)
	}
}
