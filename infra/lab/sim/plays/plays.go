// Package plays has all that a game can be about: the parts of the simulation come together here.
package plays

import (
	"slices"

	"minicloud/infra/lab/sim/clients/files"
	"minicloud/infra/lab/sim/clients/orders"
	"minicloud/infra/lab/sim/clients/people"
	"minicloud/infra/lab/sim/clients/proofs"
	"minicloud/infra/lab/sim/clients/rows"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/requests"
	"minicloud/infra/lab/sim/triggers"
)

// Parts are all parts of requests.
var Parts = slices.Concat(requests.Parts, files.Parts, orders.Parts, people.Parts, proofs.Parts, rows.Parts)

// Run plays one seed of what the words of the options name: parts of requests, or triggers. It must be called within a
// synctest bubble.
func Run(seed uint64, o game.Options) game.Report {
	if o.Says(game.AllWord) || slices.ContainsFunc(Parts, func(p game.Named) bool { return o.Says(p.Name) }) {
		return game.Run(seed, o, game.Of(Parts))
	}
	return game.Run(seed, o, triggers.Of)
}
