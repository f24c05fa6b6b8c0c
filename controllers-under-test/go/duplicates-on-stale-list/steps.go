// Package duplicates creates as many servers as its cache lacks, with generated names.
//
// Wrong: a server that exists but has not reached the cache yet is created again. The extra one is deleted when the cache catches up, but
// for a while there are more servers than any spec asked for.
package duplicates

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps with a different Scale.
func Steps() common.Steps {
	steps := correct.Steps()
	steps.Scale = scale
	return steps
}

func scale(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
	var alive []corev1.Pod
	for _, pod := range pods {
		if pod.DeletionTimestamp.IsZero() {
			alive = append(alive, pod)
		}
	}
	for count := len(alive); count < int(fleet.Spec.Servers); count++ {
		pod := correct.NewPod(fleet)
		pod.GenerateName = fleet.Name + "-"
		if err := correct.Create(ctx, r, fleet, pod); err != nil {
			return err
		}
	}
	for i := int(fleet.Spec.Servers); i < len(alive); i++ {
		if err := r.End(ctx, &alive[i]); err != nil {
			return err
		}
	}
	return nil
}
