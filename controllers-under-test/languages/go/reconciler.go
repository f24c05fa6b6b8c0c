package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "storage.example.com/cleanup"

// reconciler keeps the settings (owned, so that the garbage collector deletes them) and the credentials (not owned: they represent
// something outside of the cluster, and the finalizer keeps the bucket until they are deleted).
type reconciler struct {
	client.Client
}

func (r *reconciler) setUp(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&Bucket{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Reconcile makes one bucket match its spec.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	bucket := &Bucket{}
	if err := r.Get(ctx, request.NamespacedName, bucket); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !bucket.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, bucket)
	}
	if controllerutil.AddFinalizer(bucket, finalizer) {
		// The update triggers the next reconcile.
		return ctrl.Result{}, r.Update(ctx, bucket)
	}
	if err := r.provide(ctx, bucket); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, bucket)
}

func (r *reconciler) provide(ctx context.Context, bucket *Bucket) error {
	settings := &corev1.ConfigMap{ObjectMeta: childMeta(bucket, "settings")}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, settings, func() error {
		if settings.Data == nil {
			settings.Data = map[string]string{}
		}
		settings.Data["sizeGiB"] = strconv.FormatInt(bucket.Spec.SizeGiB, 10)
		settings.Data["region"] = bucket.Spec.Region
		return controllerutil.SetControllerReference(bucket, settings, r.Scheme())
	})
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	credentials := &corev1.Secret{ObjectMeta: childMeta(bucket, "credentials")}
	_, err = controllerutil.CreateOrPatch(ctx, r.Client, credentials, func() error {
		credentials.Data = map[string][]byte{"user": []byte("bucket-" + bucket.Name)}
		return nil
	})
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	return nil
}

func (r *reconciler) report(ctx context.Context, bucket *Bucket) error {
	before := bucket.DeepCopyObject().(*Bucket)
	bucket.Status.ObservedGeneration = bucket.Generation
	bucket.Status.Endpoint = fmt.Sprintf("https://%s.%s.storage.example.com", bucket.Name, bucket.Spec.Region)
	meta.SetStatusCondition(&bucket.Status.Conditions, metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		Reason:             "Provided",
		Message:            fmt.Sprintf("%d GiB in %s", bucket.Spec.SizeGiB, bucket.Spec.Region),
		ObservedGeneration: bucket.Generation,
	})
	if equality.Semantic.DeepEqual(before.Status, bucket.Status) {
		return nil
	}
	return r.Status().Update(ctx, bucket)
}

func (r *reconciler) cleanUp(ctx context.Context, bucket *Bucket) error {
	credentials := &corev1.Secret{ObjectMeta: childMeta(bucket, "credentials")}
	if err := r.Delete(ctx, credentials); client.IgnoreNotFound(err) != nil {
		return err
	}
	before := bucket.DeepCopyObject().(*Bucket)
	if !controllerutil.RemoveFinalizer(bucket, finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return client.IgnoreNotFound(r.Patch(ctx, bucket, patch))
}

func childMeta(bucket *Bucket, suffix string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: bucket.Name + "-" + suffix, Namespace: bucket.Namespace}
}
