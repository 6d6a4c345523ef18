// Package requests has the clients of the open API and of the console (package game).
package requests

import "minicloud/infra/lab/sim/game"

// Parts are all there are.
var Parts = []game.Named{
	{Name: "jobs", Make: func() game.Part { return &jobs{} }},
	{Name: "bulks", Make: func() game.Part { return &bulks{} }},
	{Name: "tokens", Make: func() game.Part { return &tokens{} }},
	{Name: "accounts", Make: func() game.Part { return &accounts{} }},
	{Name: "indexes", Make: func() game.Part { return &indexes{} }},
	{Name: "promotions", Make: func() game.Part { return &promotions{} }},
	{Name: "codes", Make: func() game.Part { return &codes{} }},
}
