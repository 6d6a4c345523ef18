package queue

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
)

// fullDisk is a fake file on a disk with room for a limited number of bytes.
type fullDisk struct {
	*os.File
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.File.Write(p)
	}
	n, _ := f.File.Write(p[:f.room])
	f.room = 0
	return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
}

func TestFullDiskRefusesChanges(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	r.sendTo(t, "Jobs", "before", "")
	disk := &fullDisk{File: r.journal.file.(*os.File), room: 20}
	r.journal.file = disk

	_, err := r.client.SendMessage(
		t.Context(), &sqs.SendMessageInput{QueueUrl: r.url("Jobs"), MessageBody: aws.String("refused")},
	)
	failure, ok := errors.AsType[smithy.APIError](err)
	if !ok || failure.ErrorCode() != "InternalFailure" ||
		!strings.Contains(failure.ErrorMessage(), "queues.jsonl cannot be written: no space left on device") {
		t.Errorf("SendMessage on a full disk: %v", err)
	}
	// A message whose receive cannot be recorded is not received. It is visible again once the disk has room.
	if got, err := r.Receive(t.Context(), "Jobs", 10, 0, -1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("received %v, %v", got, err)
	}
	disk.room = 1 << 20
	r.sendTo(t, "Jobs", "after", "")
	if got := r.bodies(t, "Jobs", 10); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("received %v", got)
	}

	again, said := openAndListen(t, dir)
	if got := again.bodies(t, "Jobs", 10); !slices.Equal(got, []string{"before", "after"}) || said.Len() > 0 {
		t.Errorf("after a restart %v; it said %s", got, said)
	}
}

// openAndListen opens the queues again, as after a kill, and returns the log output.
func openAndListen(t *testing.T, dir string) (*rig, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	b, err := Open(dir, wanted, open(t, t.TempDir()).clock.Now, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &rig{Broker: b}, &said
}

func TestReportsAndKeepsBrokenJournalLines(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	r.sendTo(t, "Jobs", "first", "")
	garbage := []string{
		"\x00\x00\x00", `{"op":"send","queue":"Jobs","mess{"op":"send"}`, `{}`, `{"op":"lose","queue":"Jobs","id":"x"}`,
		`{"op":"send","queue":"Jobs"}`, ``,
	}
	if _, err := r.journal.file.Write([]byte(strings.Join(garbage, "\n") + "\n")); err != nil {
		t.Fatal(err)
	}
	r.sendTo(t, "Jobs", "second", "")
	if _, err := r.journal.file.Write([]byte(`{"op":"purge"`)); err != nil {
		t.Fatal(err)
	}

	again, said := openAndListen(t, dir)
	if got := again.bodies(t, "Jobs", 10); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("received %v", got)
	}
	for _, want := range []string{"line=2 ", "line=3 ", "line=4 ", "line=5 ", "line=6 ", "line=7 ", "line=9 ", "file=" +
		filepath.Join(dir, "queues.jsonl "), "kept_in=" + filepath.Join(dir, "queues.jsonl.skipped")} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("no %q in what was said:\n%s", want, said)
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "queues.jsonl.skipped"))
	if want := strings.Join(garbage, "\n") + "\n" + `{"op":"purge"` + "\n"; err != nil || string(kept) != want {
		t.Errorf("kept %q, %v; want %q", kept, err, want)
	}
	again.Close()
	if _, silent := openAndListen(t, dir); silent.Len() > 0 {
		t.Errorf("said again: %s", silent)
	}
}
