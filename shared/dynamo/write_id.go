package dynamo

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// WriteID identifies one write; all its attempts have the same WriteID. The client sends a single write again when its
// answer is lost, and $incr_by must not be applied twice (D28). A transaction has a token that DynamoDB recognizes for
// ten minutes; a single write, at half the price, stores its WriteID in the item instead:
//
//	w0 = the last write, w1 = the one before … w7
//
// If the first attempt succeeded, the condition of the second one fails and returns the item, without a further call.
// An item keeps eight WriteIDs, because others may write it between two attempts, which are milliseconds apart. More
// would make every scan read more: eight take 80 bytes of an updated item.
type WriteID string

const (
	keptWrites   = 8
	attrWrite    = "w" // prefix of the attribute names, followed by a number
	writeIDBytes = 6
)

// NewWriteID returns a random WriteID.
func NewWriteID() WriteID {
	var random [writeIDBytes]byte
	rand.Read(random[:])
	return WriteID(base64.RawURLEncoding.EncodeToString(random[:]))
}

// Put stores the WriteID in an item before the item is put.
func (w WriteID) Put(it Item) { it[attrWrite+"0"] = Text(string(w)) }

// Add makes an update store the WriteID in the item, on the condition that the item does not have it yet.
func (w WriteID) Add(update *types.Update) {
	if others, sets, has := strings.Cut(*update.UpdateExpression, "SET "); has {
		*update.UpdateExpression = others + writeSets + ", " + sets
	} else {
		*update.UpdateExpression = writeSets + " " + others
	}
	*update.ConditionExpression = "(" + *update.ConditionExpression + ") AND " + writeAbsent
	if update.ExpressionAttributeValues == nil { // of an update that only removes attributes
		update.ExpressionAttributeValues = Item{}
	}
	maps.Copy(update.ExpressionAttributeValues, Item{":write": Text(string(w)), ":none": Text("")})
}

// writeSets stores a WriteID; each assignment reads the item as it was before the update. writeAbsent is the condition
// that the item does not have it: a comparison with a missing attribute is false.
var writeSets, writeAbsent = func() (string, string) {
	sets, own := []string{"w0 = :write"}, []string{"w0 = :write"}
	for i := 1; i < keptWrites; i++ {
		sets = append(sets, fmt.Sprintf("w%d = if_not_exists(w%d, :none)", i, i-1))
		own = append(own, fmt.Sprintf("w%d = :write", i))
	}
	return "SET " + strings.Join(sets, ", "), "NOT (" + strings.Join(own, " OR ") + ")"
}()

// In reports whether the item has the WriteID.
func (w WriteID) In(it Item) bool {
	for i := range keptWrites {
		if w != "" && TextOf(it[attrWrite+strconv.Itoa(i)]) == string(w) {
			return true
		}
	}
	return false
}
