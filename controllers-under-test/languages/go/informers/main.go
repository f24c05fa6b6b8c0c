// Command informers watches ConfigMaps (typed, protobuf), Secrets (metadata only) and Buckets (dynamic) in the default namespace with
// client-go's shared informers, and prints the events. KUBECONFIG selects the API server; KUBE_FEATURE_WatchListClient decides whether the
// first list is streamed.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	typed, err := kubernetes.NewForConfig(binary)
	if err != nil {
		return err
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}

	stop := make(chan struct{})
	typedFactory := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace("default"))
	partialFactory := metadatainformer.NewFilteredSharedInformerFactory(partial, 0, "default", nil)
	untypedFactory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(untyped, 0, "default", nil)
	buckets := schema.GroupVersionResource{Group: "storage.example.com", Version: "v1", Resource: "buckets"}
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	all := map[string]cache.SharedIndexInformer{
		"config map": typedFactory.Core().V1().ConfigMaps().Informer(),
		"secret":     partialFactory.ForResource(secrets).Informer(),
		"bucket":     untypedFactory.ForResource(buckets).Informer(),
	}
	for kind, informer := range all {
		if err := watch(kind, informer); err != nil {
			return err
		}
	}
	typedFactory.Start(stop)
	partialFactory.Start(stop)
	untypedFactory.Start(stop)
	typedFactory.WaitForCacheSync(stop)
	partialFactory.WaitForCacheSync(stop)
	untypedFactory.WaitForCacheSync(stop)
	fmt.Println("synced")

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	close(stop)
	return nil
}

func watch(kind string, informer cache.SharedIndexInformer) error {
	say := func(what string, object any) {
		if last, gone := object.(cache.DeletedFinalStateUnknown); gone {
			object = last.Obj
		}
		if named, ok := object.(metav1.Object); ok {
			fmt.Printf("%s %s %s\n", kind, named.GetName(), what)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("added", object) },
		UpdateFunc: func(_, object any) { say("updated", object) },
		DeleteFunc: func(object any) { say("deleted", object) },
	})
	return err
}
