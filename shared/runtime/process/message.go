package process

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"minicloud/shared/runtime/engine"
)

// runHeader is the header of frames of the kinds frameRun and frameCheck.
type runHeader struct {
	Function  string            `json:"function"`
	Digest    string            `json:"digest"`
	TimeoutMS int               `json:"timeout_ms,omitempty"`
	MemoryMB  int               `json:"memory_mb,omitempty"`
	Variables map[string]string `json:"variables,omitempty"`
	CodeSize  int               `json:"code_size"` // size of the compressed code; the event follows it
}

// hello is the first message of a child, sent once it is sealed and ready.
type hello struct {
	Absent []string `json:"absent,omitempty"` // walls that this kernel does not support
}

// call is a host call of user code.
type call struct {
	ID      int32           `json:"id"`
	Op      string          `json:"op"`
	Payload json.RawMessage `json:"payload"`
}

// reply is the result of a call.
type reply struct {
	ID   int32  `json:"id"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// end is the last frame of a run. The settlement is sent earlier, in a frame of its own.
type end struct {
	ElapsedMS float64 `json:"elapsed_ms"`
	Peak      int64   `json:"peak"`
	Spoiled   bool    `json:"spoiled,omitempty"`
}

// levels are the levels of log lines; the index is their code in a frame.
var levels = []string{"LOG", "INFO", "WARN", "ERROR"}

func encodeLine(at time.Time, level, text string) [][]byte {
	code := byte(0)
	for i, l := range levels {
		if l == level {
			code = byte(i)
		}
	}
	head := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro()))
	return [][]byte{append(head, code), []byte(text)}
}

func decodeLine(body []byte) (at time.Time, level, text string, err error) {
	if len(body) < 9 || int(body[8]) >= len(levels) {
		return time.Time{}, "", "", errFrame
	}
	micros := int64(binary.BigEndian.Uint64(body))
	return time.UnixMicro(micros).UTC(), levels[body[8]], string(body[9:]), nil
}

// validSettlement validates a settlement from the child, which is not trusted.
func validSettlement(s engine.Settlement) bool {
	switch {
	case s.Outcome == "fulfilled":
		return s.Error == nil && len(s.Data) <= engine.MaxResult && json.Valid(s.Data)
	case s.Outcome == "execution_failed", s.Outcome == "deadline_exceeded":
		return s.Error != nil && s.Data == nil
	}
	return false
}
