// Package resyncs repairs the settings of a fleet at each resync of its cache, about every ten hours, with those that it wrote last.
//
// Wrong: it updates the whole ConfigMap without a resourceVersion. What another writer has added since is lost.
package resyncs

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps, and a handler for resyncs.
func Steps() common.Steps {
	steps := correct.Steps()
	var lock sync.Mutex
	written := map[client.ObjectKey]*corev1.ConfigMap{}
	generations := map[client.ObjectKey]int64{}
	right := steps.Settle
	steps.Settle = func(ctx context.Context, r *common.Reconciler, fleet *common.Fleet) error {
		if err := right(ctx, r, fleet); err != nil {
			return err
		}
		key := client.ObjectKeyFromObject(fleet)
		lock.Lock()
		defer lock.Unlock()
		if generations[key] == fleet.Generation {
			return nil
		}
		settings := &corev1.ConfigMap{}
		if err := r.Live.Get(ctx, client.ObjectKey{Namespace: fleet.Namespace, Name: fleet.Name + "-settings"}, settings); err != nil {
			return client.IgnoreNotFound(err)
		}
		written[key], generations[key] = settings, fleet.Generation
		return nil
	}
	steps.Begin = func(manager ctrl.Manager, r *common.Reconciler) error {
		informer, err := manager.GetCache().GetInformer(context.Background(), &common.Fleet{})
		if err != nil {
			return err
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
			was, is := before.(*common.Fleet), after.(*common.Fleet)
			if was.ResourceVersion != is.ResourceVersion {
				return
			}
			lock.Lock()
			defer lock.Unlock()
			if settings := written[client.ObjectKeyFromObject(is)]; settings != nil {
				again := settings.DeepCopy()
				again.ResourceVersion = ""
				// Deleted settings are not created here; the next reconcile does that.
				_ = r.Update(context.Background(), again)
			}
		}})
		return err
	}
	return steps
}
