package dynamo

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A single write whose answer is lost is sent again by the client, and $incr_by
// must not happen twice by it (D28). Transactions carry a token that DynamoDB
// knows for ten minutes; a single UpdateItem, at half the price, signs the row
// instead:
//
//	w0 = the last writer, w1 = the one before … w7
//
// The second attempt finds its own writeID in the row: its condition fails and
// brings the row, without a further call. Eight of them, because others may write
// the row between two attempts, which are milliseconds apart (backoff); more
// would have every scan read more. Transactions leave them as they are. They
// take 80 bytes of the rows that have been changed, of others nothing.
const (
	keptWrites  = 8
	attrWriter  = "w"
	writerBytes = 6
	paramWriter = ":writer"
	paramNobody = ":nobody"
	LastWriter  = attrWriter + "0"
)

// WriteID is who makes one write, the same in all attempts of it.
type WriteID string

// NewWriteID returns a WriteID that no other write has.
func NewWriteID() WriteID {
	var random [writerBytes]byte
	rand.Read(random[:])
	return WriteID(base64.RawURLEncoding.EncodeToString(random[:]))
}

// Sets are the assignments that add it to a row; every one reads the row as it
// was before the update.
func (s WriteID) Sets() []string {
	sets := []string{LastWriter + " = " + paramWriter}
	for i := 1; i < keptWrites; i++ {
		sets = append(sets, writerAt(i)+" = if_not_exists("+writerAt(i-1)+", "+paramNobody+")")
	}
	return sets
}

// Absent is the condition that the write has not happened yet. A comparison
// with an attribute that is not there is false.
func (s WriteID) Absent() string {
	own := make([]string, keptWrites)
	for i := range own {
		own[i] = writerAt(i) + " = " + paramWriter
	}
	return "NOT (" + strings.Join(own, " OR ") + ")"
}

// Values are the parameters of sets.
func (s WriteID) Values() Item { return Item{paramWriter: Text(string(s)), paramNobody: Text("")} }

// In reports whether the row has been written by it.
func (s WriteID) In(row Item) bool {
	for i := range keptWrites {
		if TextOf(row[writerAt(i)]) == string(s) {
			return true
		}
	}
	return false
}

// Mark returns the update with the writeID, on the same condition: a
// revision is enough to let only the first attempt pass.
func (s WriteID) Mark(u types.Update) types.Update {
	set, rest, _ := strings.Cut(aws.ToString(u.UpdateExpression), "SET ")
	u.UpdateExpression = aws.String(set + "SET " + strings.Join(s.Sets(), ", ") + ", " + rest)
	values := s.Values()
	for name, v := range u.ExpressionAttributeValues {
		values[name] = v
	}
	u.ExpressionAttributeValues = values
	u.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	return u
}

func writerAt(i int) string { return attrWriter + strconv.Itoa(i) }
