// Package staleretry retries a refused status update inside RetryOnConflict, with reads from its cache.
//
// Wrong: the cache does not have the version that caused the conflict yet, so each attempt sends the same old resourceVersion again, ten
// milliseconds apart, until RetryOnConflict gives up.
package staleretry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps with another Report.
func Steps() common.Steps {
	steps := correct.Steps()
	steps.Report = report
	return steps
}

func report(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &common.Fleet{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(fleet), latest); err != nil {
			return client.IgnoreNotFound(err)
		}
		before := latest.DeepCopy()
		correct.SetStatus(latest, pods)
		if equality.Semantic.DeepEqual(before.Status, latest.Status) {
			return nil
		}
		return r.Status().Update(ctx, latest)
	})
}
