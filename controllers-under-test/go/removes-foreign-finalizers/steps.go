// Package finalizers writes the finalizers of a fleet as a merge patch without a version.
//
// Wrong: a merge patch replaces a list as a whole. A finalizer that somebody else has added since the cache heard of the fleet is gone.
package finalizers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps are the right ones but for Hold.
func Steps() common.Steps {
	steps := correct.Steps()
	steps.Hold = hold
	return steps
}

func hold(ctx context.Context, r *common.Reconciler, fleet, before *common.Fleet) error {
	return r.Patch(ctx, fleet, client.MergeFrom(before))
}
