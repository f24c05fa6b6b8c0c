// Package correct is the correct fleet controller.
//
// Servers have fixed names, so a second create of the same one fails, even if the cache is stale; every write of an object that has other
// writers sends the resourceVersion that was read; every error, conflicts included, is retried with back-off.
package correct

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"example.com/fleets/common"
)

// Steps returns the correct steps.
func Steps() common.Steps {
	return common.Steps{
		Wakes:  []predicate.Predicate{predicate.GenerationChangedPredicate{}},
		Hold:   hold,
		Settle: settle,
		Scale:  scale,
		Report: report,
	}
}

func hold(ctx context.Context, r *common.Reconciler, fleet, before *common.Fleet) error {
	return r.Patch(ctx, fleet, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func settle(ctx context.Context, r *common.Reconciler, fleet *common.Fleet) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fleet.Name + "-settings", Namespace: fleet.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error {
		if settings.Data == nil {
			settings.Data = map[string]string{}
		}
		settings.Data["map"] = fleet.Spec.Map
		settings.Data["servers"] = strconv.Itoa(int(fleet.Spec.Servers))
		return controllerutil.SetControllerReference(fleet, settings, r.Scheme())
	})
	return err
}

func scale(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
	var names []string
	for i := range fleet.Spec.Servers {
		names = append(names, fmt.Sprintf("%s-%d", fleet.Name, i))
	}
	for _, name := range names {
		// A terminating server keeps its name until it is deleted, and the deletion triggers a reconcile.
		if slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.Name == name }) {
			continue
		}
		pod := NewPod(fleet)
		pod.Name = name
		if err := Create(ctx, r, fleet, pod); err != nil {
			return err
		}
	}
	for i := range pods {
		if !slices.Contains(names, pods[i].Name) {
			if err := r.End(ctx, &pods[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// NewPod returns the pod of a server, without a name.
func NewPod(fleet *common.Fleet) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Labels: map[string]string{common.FleetLabel: fleet.Name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "server", Image: "registry.example.com/game-server:1"}}},
	}
}

// Create creates a server of this fleet.
func Create(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pod *corev1.Pod) error {
	if err := controllerutil.SetControllerReference(fleet, pod, r.Scheme()); err != nil {
		return err
	}
	return r.Client.Create(ctx, pod)
}

// report compares the status with the API server's: the cache may not show the last status write of this controller yet, and no reconcile
// follows to correct that, because a change of the status triggers none.
func report(ctx context.Context, r *common.Reconciler, fleet *common.Fleet, pods []corev1.Pod) error {
	latest := &common.Fleet{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(fleet), latest); err != nil {
		return client.IgnoreNotFound(err)
	}
	if latest.UID != fleet.UID || latest.Generation != fleet.Generation {
		// The cache will receive the change, and that triggers another reconcile.
		return nil
	}
	before := latest.DeepCopy()
	SetStatus(latest, pods)
	if equality.Semantic.DeepEqual(before.Status, latest.Status) {
		return nil
	}
	return r.Status().Update(ctx, latest)
}

// SetStatus sets the status of a fleet from its spec and its pods.
func SetStatus(fleet *common.Fleet, pods []corev1.Pod) {
	servers := int32(0)
	for _, pod := range pods {
		if pod.DeletionTimestamp.IsZero() {
			servers++
		}
	}
	fleet.Status.ObservedGeneration = fleet.Generation
	fleet.Status.Servers = servers
	fleet.Status.Map = fleet.Spec.Map
	complete := metav1.Condition{
		Type:               "Complete",
		Status:             metav1.ConditionFalse,
		Reason:             "Scaling",
		Message:            fmt.Sprintf("%d of %d servers", servers, fleet.Spec.Servers),
		ObservedGeneration: fleet.Generation,
	}
	if servers == fleet.Spec.Servers {
		complete.Status, complete.Reason = metav1.ConditionTrue, "Scaled"
	}
	meta.SetStatusCondition(&fleet.Status.Conditions, complete)
}
