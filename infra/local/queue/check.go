package queue

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Error is an error response of SQS.
type Error struct {
	Type    string // such as "QueueDoesNotExist"
	Query   string // the code of the older query protocol, if it differs
	Message string
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

func invalid(format string, a ...any) *Error {
	return &Error{Type: "InvalidParameterValue", Message: fmt.Sprintf(format, a...)}
}

// ofBatch returns an error of a batch, whose code in the older protocol has a prefix.
func ofBatch(kind, format string, a ...any) *Error {
	return &Error{Type: kind, Query: "AWS.SimpleQueueService." + kind, Message: fmt.Sprintf(format, a...)}
}

var groupID = regexp.MustCompile("^[A-Za-z0-9!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]{1,128}$")

// attributeName and ownName check the name of a message attribute: no part between its periods is empty, and the
// prefixes of AWS are reserved.
var (
	attributeName = regexp.MustCompile(`^[\w-]+(\.[\w-]+)*$`)
	ownName       = regexp.MustCompile(`(?i)^(aws|amazon)\.`)
)

// size returns the bytes that count against the maximum size: body and attributes.
func (o *Outgoing) size() int {
	n := len(o.Body)
	for name, a := range o.Attributes {
		n += len(name) + len(a.DataType) + len(a.StringValue) + len(a.BinaryValue)
	}
	return n
}

// check returns an error for a message that SQS refuses.
func (o *Outgoing) check(limit int) error {
	limit = cmp.Or(limit, MaxBytes)
	switch {
	case o.Body == "":
		return &Error{Type: "MissingParameter", Message: "The request must contain the parameter MessageBody."}
	case o.size() > limit:
		return invalid("One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", limit)
	case strings.ContainsFunc(o.Body, forbidden):
		return &Error{Type: "InvalidMessageContents", Message: "Invalid characters found. Valid unicode characters are " +
			"#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"}
	case o.Delay > maxDelay:
		return invalid("Value %d for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.",
			int(o.Delay.Seconds()))
	case o.Group != "" && !groupID.MatchString(o.Group):
		return invalid("Value %s for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include "+
			"alphanumeric and punctuation characters. 1 to 128 in length.", o.Group)
	case len(o.Attributes) > 10:
		return invalid("Number of message attributes [%d] exceeds the allowed maximum [10].", len(o.Attributes))
	case o.Deduplication != "":
		return invalid("Value %s for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter "+
			"that is not valid for this queue type.", o.Deduplication)
	}
	for name, a := range o.Attributes {
		if err := a.check(name); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for an attribute that SQS refuses.
func (a Attribute) check(name string) error {
	// A data type may have a custom label: "Number.int".
	kind, _, _ := strings.Cut(a.DataType, ".")
	_, notNumber := strconv.ParseFloat(a.StringValue, 64)
	switch {
	case !attributeName.MatchString(name) || ownName.MatchString(name) || len(name) > 256:
		return invalid("The message attribute name '%s' is invalid. Attribute name can contain A-Z, a-z, 0-9, "+
			"underscore (_), hyphen (-), and period (.) characters.", name)
	case kind != "String" && kind != "Number" && kind != "Binary":
		return invalid("The type of message (user) attribute '%s' is invalid. You must use only the following supported "+
			"type prefixes: Binary, Number, String.", name)
	case a.StringValue == "" && len(a.BinaryValue) == 0:
		return invalid("Message (user) attribute '%s' must contain a non-empty value of type '%s'.", name, kind)
	case kind == "Number" && notNumber != nil:
		return invalid("Can't cast the value of message (user) attribute '%s' to a number.", name)
	}
	return nil
}

func forbidden(r rune) bool {
	return (r < 0x20 && r != '\t' && r != '\n' && r != '\r') || r == 0xFFFE || r == 0xFFFF
}
