// Package common is what all variants of the fleet controller share: the API types, the manager, and the order of a reconcile.
package common

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "games.example.com", Version: "v1"}

// FleetSpec is the desired state of a fleet.
type FleetSpec struct {
	Servers int32  `json:"servers"`
	Map     string `json:"map,omitempty"`
}

// FleetStatus is the observed state of a fleet.
type FleetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Servers            int32              `json:"servers,omitempty"`
	Map                string             `json:"map,omitempty"`
	LastReconciled     string             `json:"lastReconciled,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Fleet is a number of game servers with common settings.
type Fleet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FleetSpec   `json:"spec"`
	Status FleetStatus `json:"status,omitempty"`
}

// FleetList is a list of fleets.
type FleetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Fleet `json:"items"`
}

// DeepCopy returns a copy that shares no memory with the fleet.
func (in *Fleet) DeepCopy() *Fleet {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = nil
	for _, condition := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, *condition.DeepCopy())
	}
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *Fleet) DeepCopyObject() runtime.Object { return in.DeepCopy() }

// DeepCopyObject copies the list and its items.
func (in *FleetList) DeepCopyObject() runtime.Object {
	out := FleetList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy(), Items: make([]Fleet, 0, len(in.Items))}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopy())
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Fleet{}, &FleetList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
