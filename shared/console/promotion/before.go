package promotion

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/compress"
	"minicloud/shared/errs"
)

// Before is the state of an object before its step.
type Before struct {
	Definition Definition `json:"definition"`
	Code       []byte     `json:"code,omitempty"`    // of a deleted function, gzip
	Enabled    bool       `json:"enabled,omitempty"` // of a trigger
}

// maxBefore is the maximum size of the stored previous state, in bytes.
const maxBefore = 4 << 20

// pack encodes the states before the steps; nil = the object did not exist.
func pack(before []*Before) ([]byte, error) {
	text, err := json.Marshal(before)
	if err != nil {
		return nil, fmt.Errorf("pack what was before: %w", err)
	}
	packed := compress.Gzip(text)
	if len(packed) > maxBefore {
		return nil, errs.Invalid("items: the state to keep for a rollback is over %d MB: promote fewer items at a time",
			maxBefore>>20)
	}
	return packed, nil
}

// unpack decodes the result of pack.
func unpack(packed []byte) (before []*Before, err error) {
	if err := compress.ReadJSON(packed, &before); err != nil {
		return nil, fmt.Errorf("unpack what was before: %w", err)
	}
	return before, nil
}
