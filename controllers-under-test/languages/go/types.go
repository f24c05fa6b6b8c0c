package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "storage.example.com", Version: "v1"}

// BucketSpec is the desired state of a bucket.
type BucketSpec struct {
	SizeGiB int64  `json:"sizeGiB"`
	Region  string `json:"region,omitempty"`
}

// BucketStatus is the observed state of a bucket.
type BucketStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Endpoint           string             `json:"endpoint,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Bucket represents storage outside of the cluster.
type Bucket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BucketSpec   `json:"spec"`
	Status BucketStatus `json:"status,omitempty"`
}

// BucketList is a list of buckets.
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Bucket `json:"items"`
}

// DeepCopyObject returns a copy that shares no memory with the bucket.
func (in *Bucket) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = nil
	for _, condition := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, *condition.DeepCopy())
	}
	return &out
}

// DeepCopyObject copies the list and its items.
func (in *BucketList) DeepCopyObject() runtime.Object {
	out := BucketList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy(), Items: make([]Bucket, 0, len(in.Items))}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Bucket))
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Bucket{}, &BucketList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
