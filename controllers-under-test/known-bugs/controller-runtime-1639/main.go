// Annotates each Widget that is larger than 1, and copies its size into its status. It reads Widgets from the API server, not from a cache.
package main

import (
	"context"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const large = "example.com/large"

type reconciler struct {
	client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
			return err
		}
		isLarge := widget.Spec.Size > 1
		if _, isAnnotated := widget.Annotations[large]; isAnnotated == isLarge {
			return nil
		}
		if !isLarge {
			delete(widget.Annotations, large)
		} else if widget.Annotations == nil {
			widget.Annotations = map[string]string{large: "true"}
		} else {
			widget.Annotations[large] = "true"
		}
		return r.Update(ctx, widget)
	})
	if err == nil && widget.Status.Size != widget.Spec.Size {
		widget.Status.Size = widget.Spec.Size
		err = r.Status().Update(ctx, widget)
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

// specChanged ignores changes of the metadata and the status. A Widget that was deleted and created again may have the same generation.
var specChanged = predicate.Funcs{UpdateFunc: func(update event.UpdateEvent) bool {
	before, after := update.ObjectOld, update.ObjectNew
	return before.GetUID() != after.GetUID() || before.GetGeneration() != after.GetGeneration()
}}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "ended")
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	groupVersion := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                scheme,
		Namespace:             "default",
		MetricsBindAddress:    "0",
		ClientDisableCacheFor: []client.Object{&Widget{}},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}, builder.WithPredicates(specChanged)).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
