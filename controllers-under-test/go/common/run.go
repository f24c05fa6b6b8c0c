package common

import (
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Main runs one variant until it gets a signal. KUBECONFIG, or the flag --kubeconfig, selects the API server.
func Main(steps Steps) {
	ctrl.SetLogger(zap.New())
	if err := run(steps); err != nil {
		ctrl.Log.Error(err, "ended")
		os.Exit(1)
	}
}

func run(steps Steps) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{"default": {}}},
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	reconciler := &Reconciler{Client: manager.GetClient(), Live: manager.GetAPIReader(), steps: steps}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Fleet{}, builder.WithPredicates(steps.Wakes...)).
		Owns(&corev1.Pod{}).
		Owns(&corev1.ConfigMap{}).
		Complete(reconciler)
	if err != nil {
		return err
	}
	if steps.Begin != nil {
		if err := steps.Begin(manager, reconciler); err != nil {
			return err
		}
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
