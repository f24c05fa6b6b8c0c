// Package finalizers writes the finalizers of a fleet as a merge patch without a resourceVersion.
//
// Wrong: a merge patch replaces the whole list. A finalizer that another writer has added, and the cache does not show yet, is lost.
package finalizers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps with another Hold.
func Steps() common.Steps {
	steps := correct.Steps()
	steps.Hold = hold
	return steps
}

func hold(ctx context.Context, r *common.Reconciler, fleet, before *common.Fleet) error {
	return r.Patch(ctx, fleet, client.MergeFrom(before))
}
