package runlog

import (
	"strings"
	"testing"

	"minicloud/shared/compress"
	"minicloud/shared/sandbox"
)

func TestLogKeepsItsText(t *testing.T) {
	for _, text := range []string{
		"", "a line\n", "\x1f\x8b", strings.Repeat("a line\n", 100), strings.Repeat("é\n", 1<<19),
	} {
		packed := Pack(text)
		if packed.Bytes != len(text) {
			t.Fatal(packed.Bytes)
		}
		if got, err := packed.Text(); err != nil || got != text {
			t.Errorf("%d bytes come back as %d, %v", len(text), len(got), err)
		}
		if _, got, err := Of(sandbox.Result{LogGzip: compress.Gzip([]byte(text)), Log: "short"}); text != "" &&
			(err != nil || got != text) {
			t.Errorf("a compressed log of %d bytes comes as %d, %v", len(text), len(got), err)
		}
	}
	if _, err := (Log{Stored: []byte("\x1f\x8b no gzip")}).Text(); err == nil {
		t.Error("a damaged log is read")
	}
}

// TestStoresShortLogsUncompressed; short logs that older versions compressed are still readable.
func TestStoresShortLogsUncompressed(t *testing.T) {
	const text = "event.data: {}\nreturn: 1\n"
	if l := Pack(text); string(l.Stored) != text {
		t.Errorf("%d bytes are kept as %q", len(text), l.Stored)
	}
	if got, err := (Log{Stored: compress.Gzip([]byte(text)), Bytes: len(text)}).Text(); err != nil || got != text {
		t.Errorf("a compressed log comes as %q, %v", got, err)
	}
	long := strings.Repeat("a line of a log\n", 1000)
	if l := Pack(long); len(l.Stored) > len(long)/20 {
		t.Errorf("%d bytes are kept as %d", len(long), len(l.Stored))
	}
	allocated := testing.AllocsPerRun(100, func() { Pack(text) })
	if allocated > 2 {
		t.Errorf("a short log takes %v allocations", allocated)
	}
}

func TestCompressesLogsOverShortLog(t *testing.T) {
	for n, packed := range map[int]bool{0: false, 1: false, shortLog: false, shortLog + 1: true} {
		text := strings.Repeat("x", n)
		if l := Pack(text); (string(l.Stored) != text) != packed || l.Bytes != n || (l.Stored == nil) != (n == 0) {
			t.Errorf("%d bytes are kept as %d", n, len(l.Stored))
		}
	}
}
