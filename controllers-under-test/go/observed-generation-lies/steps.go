// Package lies reports the generation of a newer read than the one that it acted on.
//
// Wrong: a client that waits for the generation to be observed then takes the servers of the older spec for those of the newer one.
package lies

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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
	latest := &common.Fleet{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(fleet), latest); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := latest.DeepCopy()
	acted := fleet.DeepCopy()
	correct.SetStatus(acted, pods)
	latest.Status = acted.Status
	latest.Status.ObservedGeneration = latest.Generation
	if equality.Semantic.DeepEqual(before.Status, latest.Status) {
		return nil
	}
	return r.Status().Update(ctx, latest)
}
