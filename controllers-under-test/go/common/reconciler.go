package common

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Finalizer keeps a fleet until its servers are deleted.
const Finalizer = "games.example.com/drain"

// FleetLabel is the label with the name of the fleet that a server belongs to.
const FleetLabel = "games.example.com/fleet"

// Steps are the parts of a reconcile. Each wrong variant replaces some of them.
type Steps struct {
	// Wakes are the predicates that decide which changes of a fleet trigger a reconcile.
	Wakes []predicate.Predicate
	// Hold writes the finalizers of a fleet, which are already changed in memory; before is the fleet as it was read.
	Hold func(ctx context.Context, r *Reconciler, fleet, before *Fleet) error
	// Settle creates or updates the settings that the servers read.
	Settle func(ctx context.Context, r *Reconciler, fleet *Fleet) error
	// Scale creates and deletes servers; pods are those of the fleet.
	Scale func(ctx context.Context, r *Reconciler, fleet *Fleet, pods []corev1.Pod) error
	// Report writes the status; pods are those of the fleet.
	Report func(ctx context.Context, r *Reconciler, fleet *Fleet, pods []corev1.Pod) error
	// Begin adds what runs beside the reconciles to the manager; nil for nothing.
	Begin func(manager ctrl.Manager, r *Reconciler) error
}

// Reconciler reconciles fleets. Its client reads from the cache.
type Reconciler struct {
	client.Client
	// Live reads from the API server.
	Live  client.Reader
	steps Steps
}

// Reconcile makes one fleet match its spec.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	fleet := &Fleet{}
	if err := r.Get(ctx, request.NamespacedName, fleet); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	pods, err := r.podsOf(ctx, fleet)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !fleet.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.drain(ctx, fleet, pods)
	}
	before := fleet.DeepCopy()
	mark := controllerutil.AddFinalizer
	if fleet.Spec.Servers == 0 && len(pods) == 0 {
		// Without servers there is nothing to clean up, so no finalizer is needed.
		mark = controllerutil.RemoveFinalizer
	}
	if mark(fleet, Finalizer) {
		if err := r.steps.Hold(ctx, r, fleet, before); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.steps.Settle(ctx, r, fleet); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.steps.Scale(ctx, r, fleet, pods); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.steps.Report(ctx, r, fleet, pods)
}

// drain deletes the servers, and removes the finalizer once there are none.
func (r *Reconciler) drain(ctx context.Context, fleet *Fleet, pods []corev1.Pod) error {
	before := fleet.DeepCopy()
	if !controllerutil.RemoveFinalizer(fleet, Finalizer) {
		return nil
	}
	for i := range pods {
		if err := r.End(ctx, &pods[i]); err != nil {
			return err
		}
	}
	if len(pods) > 0 {
		// Their deletion triggers a reconcile.
		return nil
	}
	return client.IgnoreNotFound(r.steps.Hold(ctx, r, fleet, before))
}

// End deletes the pod of a server. The UID precondition protects a new pod with the same name.
func (r *Reconciler) End(ctx context.Context, pod *corev1.Pod) error {
	if !pod.DeletionTimestamp.IsZero() {
		return nil
	}
	return client.IgnoreNotFound(r.Delete(ctx, pod, client.Preconditions{UID: &pod.UID}))
}

// podsOf lists the servers that this fleet controls, terminating ones included.
func (r *Reconciler) podsOf(ctx context.Context, fleet *Fleet) ([]corev1.Pod, error) {
	list := &corev1.PodList{}
	if err := r.List(ctx, list, client.InNamespace(fleet.Namespace)); err != nil {
		return nil, err
	}
	var owned []corev1.Pod
	for _, pod := range list.Items {
		if metav1.IsControlledBy(&pod, fleet) {
			owned = append(owned, pod)
		}
	}
	return owned, nil
}
