package strictjson

import (
	"encoding/json"
	"strconv"

	"minicloud/shared/errs"
)

// Text is a member of a body that clients send as a string or as an integer, such as a phone number or a code: 1 and "1"
// are equal. null counts as absent.
type Text string

// ReadMember decodes the member; it returns errs.Invalid for any other JSON.
func (t *Text) ReadMember(field string, raw []byte) error {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case err == nil:
		*t = Text(strconv.FormatInt(n, 10))
	case raw[0] != '"' || json.Unmarshal(raw, (*string)(t)) != nil:
		return errs.Invalid("%s must be a string or an integer", field)
	}
	return nil
}
