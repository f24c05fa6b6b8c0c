// Keeps a ConfigMap for each Widget. It needs their metadata only, so it caches nothing else.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

var (
	widgetKind    = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	configMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
)

func metadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	return object
}

type reconciler struct {
	client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := metadataOf(widgetKind)
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	key := client.ObjectKey{Namespace: widget.Namespace, Name: widget.Name + "-" + string(widget.UID[:8])}
	if err := r.Get(ctx, key, metadataOf(configMapKind)); !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace:       key.Namespace,
		Name:            key.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(widget, widgetKind)},
	}})
}

// ownerOf returns a request for the Widget that controls a ConfigMap.
func ownerOf(object client.Object) []ctrl.Request {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != widgetKind.Kind {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: owner.Name}}}
}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "ended")
		os.Exit(1)
	}
}

func run() error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Namespace: "default", MetricsBindAddress: "0"})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(metadataOf(widgetKind), builder.OnlyMetadata).
		Watches(&source.Kind{Type: metadataOf(configMapKind)}, handler.EnqueueRequestsFromMapFunc(ownerOf)).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
