// Package oldcopy writes a lease annotation on each fleet every five minutes, into the copy of its last reconcile.
//
// Wrong: changes of labels and annotations trigger no reconcile, so the copy may be minutes old, but it is sent with the newest
// resourceVersion: what other writers changed meanwhile is lost.
package oldcopy

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

const every = 5 * time.Minute

// LeasedUntil is the annotation that is written.
const LeasedUntil = "games.example.com/leased-until"

// Steps returns the correct steps, and a timer.
func Steps() common.Steps {
	steps := correct.Steps()
	copies := &copies{of: map[client.ObjectKey]*common.Fleet{}}
	right := steps.Report
	steps.Report = func(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
		copies.keep(fleet)
		return right(ctx, r, fleet, pods)
	}
	steps.Begin = func(manager ctrl.Manager, r *common.Reconciler) error {
		return manager.Add(common.Periodically(every, func(ctx context.Context) { copies.lease(ctx, r) }))
	}
	return steps
}

type copies struct {
	lock sync.Mutex
	of   map[client.ObjectKey]*common.Fleet
}

func (c *copies) keep(fleet *common.Fleet) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.of[client.ObjectKeyFromObject(fleet)] = fleet.DeepCopy()
}

func (c *copies) lease(ctx context.Context, r *common.Reconciler) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for key, fleet := range c.of {
		lease := fleet.DeepCopy()
		if lease.Annotations == nil {
			lease.Annotations = map[string]string{}
		}
		lease.Annotations[LeasedUntil] = time.Now().Add(2 * every).UTC().Format(time.RFC3339)
		latest := &common.Fleet{}
		if err := r.Live.Get(ctx, key, latest); err != nil {
			delete(c.of, key)
			continue
		}
		lease.ResourceVersion = latest.ResourceVersion
		if err := r.Update(ctx, lease); errors.IsNotFound(err) {
			delete(c.of, key)
		}
	}
}
