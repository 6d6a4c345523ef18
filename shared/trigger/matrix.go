package trigger

import (
	"fmt"
	"slices"
	"strings"
)

// matrixTypes are the columns of the matrix, in the contract's order; tpay
// stands behind them.
var matrixTypes = []Type{
	TypeTable, TypeChatPay, TypeTimer, TypeFileOperation, TypeIncomingWebhook, TypeChatMessage, TypeAltPay, TypeTPay,
}

// matrix is the contract's grid of what a trigger may do. Two things it leaves
// open are settled by D34: tpay is like chat pay, and SMS go everywhere.
var matrix = []struct {
	allowed string
	action  ActionType
}{
	// Table  Chat pay  Timer  File op  Incoming webhook  Chat message push  Alt pay  Tpay
	{" Y      Y         Y      Y        Y                 Y                  Y        Y", Email},
	{" Y      Y         Y      Y        Y                 Y                  Y        Y", TemplateMessage},
	{" Y      Y         N      Y        Y                 Y                  Y        Y", Webhook},
	{" Y      Y         N      Y        Y                 Y                  Y        Y", TableOperation},
	{" Y      Y         Y      Y        Y                 Y                  Y        Y", CloudFunction},
	{" Y      Y         Y      Y        Y                 Y                  Y        Y", SMS},
}

// Allowed reports whether a trigger of the type may have such an action.
func Allowed(t Type, a ActionType) bool {
	column := slices.Index(matrixTypes, t)
	for _, row := range matrix {
		if row.action == a && column >= 0 {
			return strings.Fields(row.allowed)[column] == "Y"
		}
	}
	return false
}

// Forbidden is the sentence of G8.
func Forbidden(t Type, a ActionType) string {
	return fmt.Sprintf("%s trigger cannot have %s action", article(string(t)), article(string(a)))
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeio", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
