// Package refreshes retries a refused write of the settings with the newest resourceVersion, but with the content that it read before.
//
// Wrong: the resourceVersion claims that the writer has seen the newest content, but the content is that of an older read. What other
// writers changed in between is reverted, without a conflict.
package refreshes

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps with another Settle.
func Steps() common.Steps {
	steps := correct.Steps()
	right := steps.Settle
	steps.Settle = func(ctx context.Context, r *common.Reconciler, fleet *common.Fleet) error {
		settings := &corev1.ConfigMap{}
		name := client.ObjectKey{Namespace: fleet.Namespace, Name: fleet.Name + "-settings"}
		if err := r.Get(ctx, name, settings); errors.IsNotFound(err) || (err == nil && !metav1.IsControlledBy(settings, fleet)) {
			return right(ctx, r, fleet)
		} else if err != nil {
			return err
		}
		return settle(ctx, r, fleet, settings)
	}
	return steps
}

func settle(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, settings *corev1.ConfigMap) error {
	servers := strconv.Itoa(int(fleet.Spec.Servers))
	if settings.Data["map"] == fleet.Spec.Map && settings.Data["servers"] == servers {
		return nil
	}
	if settings.Data == nil {
		settings.Data = map[string]string{}
	}
	settings.Data["map"], settings.Data["servers"] = fleet.Spec.Map, servers
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		latest := &corev1.ConfigMap{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(settings), latest); err != nil {
			return client.IgnoreNotFound(err)
		}
		settings.ResourceVersion = latest.ResourceVersion
		return r.Update(ctx, settings)
	})
}
