package common

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Periodically runs do at equal intervals until the manager stops.
func Periodically(every time.Duration, do func(ctx context.Context)) manager.Runnable {
	return manager.RunnableFunc(func(ctx context.Context) error {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
				do(ctx)
			}
		}
	})
}
