package triggers

import (
	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/lab/sim"
	deployed "minicloud/infra/local/programs/plain"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/manage"
)

// programs are those of the template that have a part in the game, by name. Only the world outside of the platform is a
// fake: see outside.
func (g *Game) programs() map[string]sim.Program {
	all := map[string]sim.Program{"actionrunner": g.actionRunner}
	for _, name := range []string{"incomingwebhook", "paymentnotify", "platformevent", "recordtrigger", "timertick"} {
		all[name] = func(i *sim.Instance) any {
			i.Backend.Log = g.log
			return deployed.Programs[name](i.Backend)
		}
	}
	return all
}

// actionRunner is functions/actionrunner.
func (g *Game) actionRunner(i *sim.Instance) any {
	i.Backend.Log = g.log
	executor := actionrunner.Executor(i.Backend, i.Queues, secrets.Open(i.Backend))
	executor.Doers[trigger.TableOperation].(*action.TableOperations).Tables.Counts = nil // recordstream is not simulated
	g.Outside.Replace(i, executor.Doers)
	return actionrunner.Handler(i.Backend, i.Queues, g.Outside.Label(i, executor))
}

// tables are the service of all programs that write rows.
func tables(i *sim.Instance) any { return i.Backend.Tables() }

// owner is the part of functions/trigger that owners of triggers use here.
func owner(i *sim.Instance) any {
	return &manage.Service{
		Store: i.Backend.OwnTriggers(), Runs: i.Backend.Runs(), Queue: i.Queues.Actions(), IDs: i.Backend.IDs,
		Sealer: secrets.Open(i.Backend), Clock: i.Clock(),
	}
}

// owner returns the process of owners. No fault befalls its calls while the game is planted.
func (g *Game) owner() *sim.Instance { return g.World.Instance("owner", owner) }
