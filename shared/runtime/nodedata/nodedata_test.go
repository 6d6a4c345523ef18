package nodedata

import (
	"bytes"
	"errors"
	"testing"

	"minicloud/shared/runtime/hostcall"
)

// run is a fake Host with limited memory.
type run struct{ room int }

func (*run) Stopped() bool                            { return false }
func (*run) Aside(f func() (any, error)) (any, error) { return f() }
func (*run) Bytes(n int) ([]byte, error)              { return make([]byte, n), nil }
func (r *run) Reserve(n int) (release func(), err error) {
	if n > r.room {
		return nil, hostcall.ErrMemory
	}
	r.room -= n
	return func() { r.room += n }, nil
}

func TestDecompressesWhatItCompressed(t *testing.T) {
	for forth, back := range map[string]string{"gzip": "gunzip", "deflate": "inflate", "deflateRaw": "inflateRaw", "brotliCompress": "brotliDecompress"} {
		for _, size := range []int{0, 1, 4 << 10, 4<<10 + 1, 1 << 20} {
			r := &run{room: 48 << 20}
			data := bytes.Repeat([]byte("ab\x00"), size/3+1)[:size]
			packed, err := Call(r, forth, []any{data, float64(6)})
			if err != nil {
				t.Fatal(forth, err)
			}
			got, err := Call(r, back, []any{packed})
			if err != nil || !bytes.Equal(got.([]byte), data) {
				t.Errorf("%s of %d bytes: %v", back, size, err)
			}
			if r.room != 48<<20 {
				t.Errorf("%s keeps %d bytes", back, 48<<20-r.room)
			}
		}
	}
}

func TestGzipBombsStopAtLimits(t *testing.T) {
	bomb, err := Call(&run{room: 1 << 30}, "gzip", []any{make([]byte, 32<<20)})
	if err != nil {
		t.Fatal(err)
	}
	three := bytes.Repeat(bomb.([]byte), 3)

	var refusal *hostcall.Error
	_, err = Call(&run{room: 1 << 30}, "gunzip", []any{three})
	if !errors.As(err, &refusal) || refusal.Code != "ERR_BUFFER_TOO_LARGE" {
		t.Errorf("96 MB: %v", err)
	}
	if _, err = Call(&run{room: 1 << 30}, "gunzip", []any{bomb, float64(1000)}); !errors.As(err, &refusal) {
		t.Errorf("over its own limit: %v", err)
	}
	if _, err = Call(&run{room: 1 << 20}, "gunzip", []any{bomb}); !errors.Is(err, hostcall.ErrMemory) {
		t.Errorf("over the memory of the run: %v", err)
	}
}

func TestBrotliBombsStopAtLimits(t *testing.T) {
	bomb, err := Call(&run{room: 1 << 30}, "brotliCompress", []any{make([]byte, 64<<20), float64(5), float64(24)})
	if err != nil {
		t.Fatal(err)
	}

	var refusal *hostcall.Error
	_, err = Call(&run{room: 1 << 30}, "brotliDecompress", []any{bomb, float64(1000)})
	if !errors.As(err, &refusal) || refusal.Code != "ERR_BUFFER_TOO_LARGE" {
		t.Errorf("over its own limit: %v", err)
	}
	for _, room := range []int{1 << 20, 20 << 20} {
		if _, err = Call(&run{room: room}, "brotliDecompress", []any{bomb}); !errors.Is(err, hostcall.ErrMemory) {
			t.Errorf("over the memory of the run: %v", err)
		}
	}
	if _, err = Call(&run{room: 1 << 20}, "brotliCompress", []any{make([]byte, 1<<20)}); !errors.Is(err, hostcall.ErrMemory) {
		t.Errorf("compressed over the memory of the run: %v", err)
	}
}

func FuzzDecompress(f *testing.F) {
	for _, format := range []string{"gunzip", "inflate", "inflateRaw", "brotliDecompress"} {
		f.Add(format, []byte{0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 1, 0, 0})
		f.Add(format, []byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		if _, err := Call(&run{room: 20 << 20}, format, []any{data, float64(1 << 16)}); err != nil {
			var refusal *hostcall.Error
			if !errors.As(err, &refusal) && !errors.Is(err, hostcall.ErrMemory) {
				t.Errorf("%v is no refusal", err)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, label := range []string{"gbk", "big5", "shift_jis", "euc-kr", "utf-16be"} {
		f.Add(label, []byte{0xd6, 0xd0, 0x81}, true)
	}
	f.Fuzz(func(t *testing.T, label string, data []byte, more bool) {
		result, err := Call(&run{room: 8 << 20}, "decode", []any{label, data, more})
		if err == nil && int(result.([]any)[1].(float64)) > len(data) {
			t.Error("used more than there is")
		}
	})
}
