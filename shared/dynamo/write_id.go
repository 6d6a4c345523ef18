package dynamo

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// WriteID names one write, the same in all attempts of it. A single write whose answer is lost is sent again by the
// client, and $incr_by must not happen twice by it (D28). Transactions carry a token that DynamoDB knows for ten
// minutes; a single write, at half the price, leaves its WriteID in the item instead:
//
//	w0 = the last write, w1 = the one before … w7
//
// The second attempt finds its WriteID there: its condition fails and brings the item, without a further call. There
// are eight of them, because others may write the item between two attempts, which are milliseconds apart; more would
// have every scan read more. They take 80 bytes of the items that have been updated.
type WriteID string

const (
	keptWrites   = 8
	attrWrite    = "w" // of the attributes, with a number behind
	writeIDBytes = 6
)

// NewWriteID returns a WriteID that no other write has.
func NewWriteID() WriteID {
	var random [writeIDBytes]byte
	rand.Read(random[:])
	return WriteID(base64.RawURLEncoding.EncodeToString(random[:]))
}

// Put leaves it in an item that is put.
func (w WriteID) Put(it Item) { it[attrWrite+"0"] = Text(string(w)) }

// Sets are the assignments that leave it in an item; every one reads the item as it was before the update.
func (w WriteID) Sets() []string { return writeSets }

// Absent is the condition that the write has not happened yet: comparing with an attribute that is not there is false.
func (w WriteID) Absent() string { return writeAbsent }

// Values are the parameters of Sets and Absent.
func (w WriteID) Values() Item { return Item{":write": Text(string(w)), ":none": Text("")} }

var writeSets, writeAbsent = func() ([]string, string) {
	sets, own := []string{"w0 = :write"}, []string{"w0 = :write"}
	for i := 1; i < keptWrites; i++ {
		sets = append(sets, fmt.Sprintf("w%d = if_not_exists(w%d, :none)", i, i-1))
		own = append(own, fmt.Sprintf("w%d = :write", i))
	}
	return sets, "NOT (" + strings.Join(own, " OR ") + ")"
}()

// In reports whether the write has left its WriteID in the item.
func (w WriteID) In(it Item) bool {
	for i := range keptWrites {
		if w != "" && TextOf(it[attrWrite+strconv.Itoa(i)]) == string(w) {
			return true
		}
	}
	return false
}
