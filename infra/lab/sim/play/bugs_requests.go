package play

import (
	"strings"
)

// The bugs of this file change what programs ask DynamoDB for.

// each calls f with every write of a request, alone or of a transaction.
func each(request map[string]any, f func(write map[string]any)) {
	f(request)
	parts, _ := request["TransactItems"].([]any)
	for _, part := range parts {
		for _, write := range asMap(part) {
			f(asMap(write))
		}
	}
}

// keyed returns the key of a write as one text.
func keyed(write map[string]any) string {
	for _, name := range []string{"Key", "Item"} {
		if key := asMap(write[name]); key != nil {
			return text(key, "pk") + " " + text(key, "sk")
		}
	}
	return ""
}

// withoutCondition drops the conditions of writes to a table whose keys have a text in them.
func withoutCondition(table, part string) func(program, operation string, request map[string]any) {
	return func(_, _ string, request map[string]any) {
		each(request, func(write map[string]any) {
			if write["TableName"] != table || !strings.Contains(keyed(write), part) || write["ConditionExpression"] == nil {
				return
			}
			condition := write["ConditionExpression"].(string)
			delete(write, "ConditionExpression")
			dropUnused(write, condition)
		})
	}
}

// dropUnused removes the parameters that only a dropped condition had: a request with others is refused.
func dropUnused(write map[string]any, condition string) {
	rest, _ := write["UpdateExpression"].(string)
	for _, parameters := range []string{"ExpressionAttributeValues", "ExpressionAttributeNames"} {
		members := asMap(write[parameters])
		for name := range members {
			if strings.Contains(condition, name) && !strings.Contains(rest, name) {
				delete(members, name)
			}
		}
		if len(members) == 0 {
			delete(write, parameters)
		}
	}
}

// withoutDeletes drops the deletions of a transaction whose keys have a text in them.
func withoutDeletes(part string) func(program, operation string, request map[string]any) {
	return func(_, _ string, request map[string]any) {
		parts, _ := request["TransactItems"].([]any)
		var kept []any
		for _, p := range parts {
			if remove := asMap(asMap(p)["Delete"]); remove == nil || !strings.Contains(keyed(remove), part) {
				kept = append(kept, p)
			}
		}
		if parts != nil {
			request["TransactItems"] = kept
		}
	}
}

// stale has tables not learn that there is something new about who listens to their rows.
func stale(_, _ string, request map[string]any) {
	each(request, func(write map[string]any) {
		update, _ := write["UpdateExpression"].(string)
		if write["TableName"] == "TablesTable" && strings.Contains(update, "ADD revision :one, ") {
			write["UpdateExpression"] = strings.Replace(update, "ADD revision :one, ", "ADD ", 1)
			delete(asMap(write["ExpressionAttributeValues"]), ":one")
		}
	})
}

// unheard has tables not learn who listens to their rows.
func unheard(_, _ string, request map[string]any) {
	each(request, func(write map[string]any) {
		values := asMap(write["ExpressionAttributeValues"])
		if write["TableName"] == "TablesTable" && values[":create"] != nil {
			for _, name := range []string{":create", ":update", ":delete"} {
				values[name] = map[string]any{"N": "0"}
			}
		}
	})
}

// sharedKey has evaluations of all triggers of a tenant in one place.
func sharedKey(_, _ string, request map[string]any) {
	for _, requests := range asMap(request["RequestItems"]) {
		list, _ := requests.([]any)
		for _, one := range list {
			key := asMap(asMap(asMap(one)["PutRequest"])["Item"])
			if pk := text(key, "pk"); strings.Contains(pk, "#seen#") {
				key["pk"] = map[string]any{"S": pk[:strings.Index(pk, "#")] + "#seen#101"}
			}
		}
	}
}

// withoutTenant stores runs without saying whose they are.
func withoutTenant(_, _ string, request map[string]any) {
	each(request, func(write map[string]any) {
		key := asMap(write["Item"])
		if pk := text(key, "pk"); strings.Contains(pk, "#run#") {
			key["pk"] = map[string]any{"S": scopesPlayed[0].String() + pk[strings.Index(pk, "#"):]}
		}
	})
}
