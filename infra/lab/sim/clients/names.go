package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minicloud/infra/lab/sim/game"
	"minicloud/shared/tenant"
)

// Accounts are all users of a tenant that have an account, as the database has them: their names by kind, in the form
// in which they are claimed, with "password" and "closed".
func Accounts(g *game.Requests, scope tenant.Scope) map[string]map[string]string {
	all, prefix := map[string]map[string]string{}, scope.String()+"#user#"
	for _, it := range g.World.DB.Items("UsersTable") {
		if !strings.HasPrefix(game.Text(it, "pk"), prefix) || game.Text(it, "sk") != "account" {
			continue
		}
		has := map[string]string{}
		for kind, value := range map[string]string{
			"username": strings.ToLower(game.Text(it, "username")), "email": strings.ToLower(game.Text(it, "email")),
			"phone": game.Text(it, "phone_key"),
		} {
			if value != "" {
				has[kind] = kind + " " + value
			}
		}
		var providers map[string]map[string]any
		if err := json.Unmarshal([]byte(game.Text(it, "providers")), &providers); err == nil && providers["chat"]["openid"] != nil {
			has["chat.openid"] = fmt.Sprint("chat.openid ", providers["chat"]["openid"])
		}
		if hash := game.Text(it, "password_hash"); hash != "" {
			has["password"] = hash
		}
		if closed := game.Text(it, "closed_at"); closed != "" {
			has["closed"] = closed
		}
		all[game.Text(it, "user_id")] = has
	}
	return all
}

// JudgeNames looks for names without a claim, which two users may have, and for claims of names that nobody has.
func JudgeNames(g *game.Requests, scope tenant.Scope, accounts map[string]map[string]string) {
	claims := map[string]string{}
	for _, it := range g.World.DB.Items("UsersTable") {
		parts := strings.SplitN(game.Text(it, "pk"), "#", 3)
		if parts[0] != scope.String() || game.Text(it, "sk") != "owner" {
			continue
		}
		kind, id := parts[1], game.Text(it, "user_id")
		name := kind + " " + parts[2]
		if claims[name] = id; accounts[id][kind] != name {
			g.Problem("names: %s is claimed by %s, who has %q", name, id, accounts[id][kind])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(accounts)) {
		for kind, name := range accounts[id] {
			if kind != "password" && kind != "closed" && claims[name] != id {
				g.Problem("names: user %s has %s, which is claimed by %q", id, name, claims[name])
			}
		}
	}
}
