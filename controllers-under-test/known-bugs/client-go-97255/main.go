// Keeps a ConfigMap for each Widget, with the caches and events of two informer watchers.
package main

import (
	"context"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/workqueue"
)

const namespace = "default"

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

type controller struct {
	queue               workqueue.RateLimitingInterface
	creator             dynamic.ResourceInterface
	widgets, configMaps cache.Indexer
}

// follow starts an informer that enqueues the key of a Widget for each event.
func (c *controller) follow(ctx context.Context, client dynamic.ResourceInterface, keyOf func(metav1.Object) string) (cache.Indexer, cache.Controller) {
	listWatch := &cache.ListWatch{
		ListFunc:  func(options metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, options) },
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) { return client.Watch(ctx, options) },
	}
	indexer, informer, watcher, _ := watchtools.NewIndexerInformerWatcher(listWatch, &unstructured.Unstructured{})
	go func() {
		for event := range watcher.ResultChan() {
			object, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			if key := keyOf(object); key != "" {
				c.queue.Add(key)
			}
		}
	}()
	return indexer, informer
}

func ownKey(object metav1.Object) string { return namespace + "/" + object.GetName() }

func ownerKey(object metav1.Object) string {
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == widgetKind.Kind {
		return namespace + "/" + owner.Name
	}
	return ""
}

func (c *controller) reconcile(ctx context.Context, key string) error {
	cached, exists, err := c.widgets.GetByKey(key)
	if err != nil || !exists {
		return err
	}
	widget := cached.(*unstructured.Unstructured)
	if widget.GetDeletionTimestamp() != nil {
		return nil
	}
	name := widget.GetName() + "-" + string(widget.GetUID()[:8])
	if _, exists, err := c.configMaps.GetByKey(namespace + "/" + name); err != nil || exists {
		return err
	}
	configMap := &unstructured.Unstructured{}
	configMap.SetAPIVersion("v1")
	configMap.SetKind("ConfigMap")
	configMap.SetName(name)
	configMap.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(widget, widgetKind)})
	_, err = c.creator.Create(ctx, configMap, metav1.CreateOptions{})
	return err
}

func (c *controller) work(ctx context.Context) {
	for {
		key, isShutDown := c.queue.Get()
		if isShutDown {
			return
		}
		if err := c.reconcile(ctx, key.(string)); err != nil {
			fmt.Fprintf(os.Stderr, "reconcile of %s failed: %v\n", key, err)
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func main() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		panic(err)
	}
	client := dynamic.NewForConfigOrDie(config)
	widgets := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace(namespace)
	configMaps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)

	ctx := context.Background()
	queue := workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter())
	c := &controller{queue: queue, creator: configMaps}
	var ofWidgets, ofConfigMaps cache.Controller
	c.widgets, ofWidgets = c.follow(ctx, widgets, ownKey)
	c.configMaps, ofConfigMaps = c.follow(ctx, configMaps, ownerKey)
	cache.WaitForCacheSync(ctx.Done(), ofWidgets.HasSynced, ofConfigMaps.HasSynced)
	c.work(ctx)
}
