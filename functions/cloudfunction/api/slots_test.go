package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// TestRejectsRunsOverTheSlotLimit sends concurrent requests: as many run as the plan allows, never more, and the last
// is refused after a wait of 2 s (D20). Other applications and the other plan are not affected.
func TestRejectsRunsOverTheSlotLimit(t *testing.T) {
	for _, plan := range []sandbox.Plan{sandbox.PlanFree, sandbox.PlanPersonal} {
		t.Run(string(plan), func(t *testing.T) {
			t.Parallel()
			p := withFunction(t)
			patience := &heldTime{now: p.time()}
			p.jobs.Clock, p.jobs.Pause = patience.clock, patience.pause
			p.play(
				t,
				step{
					method: "POST", path: functions, header: "Authorization: Bearer bank", body: `{"name":"pay","function_code":"1"}`,
					status: 201,
				},
			)
			p.play(t, step{method: "POST", path: functions, body: `{"name":"other","function_code":"1"}`, status: 201})
			changed := "other"
			if plan == sandbox.PlanPersonal {
				changed = "pay"
			}
			p.play(t, step{method: "PATCH", path: functions + changed + "/", body: `{"plan_circle":"P_PERSONAL"}`, status: 202})

			var begun atomic.Int32 // no run ends before all have begun
			release := make(chan struct{})
			p.runner.run = func(sandbox.Request) (sandbox.Result, error) {
				begun.Add(1)
				<-release
				return sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil
			}
			var requests sync.WaitGroup
			var fulfilled, refused atomic.Int32
			patience.passWhile(func() bool { return begun.Load() >= int32(job.Slots(plan)) })
			began, waited := patience.clock(), make(chan time.Duration, job.Slots(plan)+1)
			for range job.Slots(plan) + 1 {
				requests.Go(func() {
					answer := text(t, p.send(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`}))
					switch {
					case strings.HasPrefix(answer, `{"code":0,`):
						fulfilled.Add(1)
					case strings.Contains(answer, `"type":"ScheduleError"`):
						refused.Add(1)
						waited <- patience.clock().Sub(began)
					default:
						t.Errorf("answer %s", answer)
					}
				})
			}
			select {
			case d := <-waited:
				if d < 2*time.Second {
					t.Errorf("refused after %v", d)
				}
			case <-time.After(3 * time.Minute):
				t.Errorf("none is refused, %d run", begun.Load())
			}
			patience.passWhile(func() bool { return false }) // later requests have unlimited time
			free := make(chan string)
			for _, s := range []step{{path: functions + "pay/job/", header: "Authorization: Bearer bank"}, {path: functions +
				"other/job/"}} {
				s.method, s.body, s.status = http.MethodPost, `{"data":{}}`, 200
				go func() { free <- p.play(t, s) }()
			}
			for deadline := time.Now().Add(3 * time.Minute); begun.Load() < int32(job.Slots(plan)+2) &&
				time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			close(release)
			for range 2 {
				if answer := <-free; !strings.HasPrefix(answer, `{"code":0,`) {
					t.Errorf("beside full slots: %s", answer)
				}
			}
			requests.Wait()
			if f, r, m := int(fulfilled.Load()), int(refused.Load()), int(begun.Load()); f != job.Slots(plan) || r != 1 ||
				m != job.Slots(plan)+2 {
				t.Errorf("%d fulfilled, %d refused, %d at once with the two beside", f, r, m)
			}
			if got := p.jobsOf(t, "status=schedule_failed"); len(got) != 1 {
				t.Errorf("%d jobs schedule_failed", len(got))
			}
			if slots, err := p.jobs.Store.Slots(t.Context(), shop.ID); err != nil || len(slots) != 0 {
				t.Errorf("slots are held: %v, %v", slots, err)
			}
		})
	}
}

// heldTime is a clock that advances only in pauses, and only while may allows it: no wait times out because the
// machine is slow.
type heldTime struct {
	mu  sync.Mutex
	now time.Time
	may func() bool
}

func (h *heldTime) passWhile(may func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.may = may
}

func (h *heldTime) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *heldTime) pause(ctx context.Context, d time.Duration) error {
	h.mu.Lock()
	if h.may != nil && h.may() {
		h.now = h.now.Add(d)
	}
	h.mu.Unlock()
	return clock.Sleep(ctx, time.Millisecond)
}
