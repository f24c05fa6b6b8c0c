// Package ignoresconflict ignores a conflict of its status update.
//
// Wrong: nothing triggers a retry if the conflicting write did not change the generation: the predicate filters its event.
package ignoresconflict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/fleets/common"
	"example.com/fleets/correct"
)

// Steps returns the correct steps with another Report.
func Steps() common.Steps {
	steps := correct.Steps()
	right := steps.Report
	steps.Report = func(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
		err := right(ctx, r, fleet, pods)
		if errors.IsConflict(err) {
			ctrl.LoggerFrom(ctx).Info("the fleet has changed, its status is left as it is")
			return nil
		}
		return err
	}
	return steps
}
