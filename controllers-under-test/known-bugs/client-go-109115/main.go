// Keeps as many ConfigMaps for each Widget as its spec asks for, and counts them in its status. An index finds them by their owners.
package main

import (
	"context"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const namespace = "default"

var (
	widgetKind        = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	widgetResource    = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	configMapResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

type controller struct {
	queue                   workqueue.RateLimitingInterface
	widgets, configMaps     dynamic.ResourceInterface
	ofWidgets, ofConfigMaps cache.SharedIndexInformer
}

// byOwner indexes an object by all its owners.
func byOwner(object interface{}) ([]string, error) {
	var uids []string
	for _, owner := range object.(*unstructured.Unstructured).GetOwnerReferences() {
		uids = append(uids, string(owner.UID))
	}
	return uids, nil
}

func (c *controller) reconcile(ctx context.Context, key string) error {
	cached, exists, err := c.ofWidgets.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		return err
	}
	widget := cached.(*unstructured.Unstructured)
	if widget.GetDeletionTimestamp() != nil {
		return nil
	}
	owned, err := c.ofConfigMaps.GetIndexer().ByIndex("owner", string(widget.GetUID()))
	if err != nil {
		return err
	}
	present := map[string]*unstructured.Unstructured{}
	for _, object := range owned {
		configMap := object.(*unstructured.Unstructured)
		present[configMap.GetName()] = configMap
	}

	size, _, _ := unstructured.NestedInt64(widget.Object, "spec", "size")
	count := int64(0)
	for i := int64(0); i < size; i++ {
		name := fmt.Sprintf("%s-%s-%d", widget.GetName(), widget.GetUID()[:8], i)
		if present[name] != nil {
			count++
			delete(present, name)
		} else if err := c.create(ctx, widget, name); err != nil {
			return err
		}
	}
	for name, configMap := range present {
		uid := configMap.GetUID()
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
		if err := c.configMaps.Delete(ctx, name, options); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}

	if reported, found, _ := unstructured.NestedInt64(widget.Object, "status", "size"); found && reported == count {
		return nil
	}
	widget = widget.DeepCopy()
	if err := unstructured.SetNestedField(widget.Object, count, "status", "size"); err != nil {
		return err
	}
	_, err = c.widgets.UpdateStatus(ctx, widget, metav1.UpdateOptions{})
	return err
}

// create does not mind a ConfigMap that the cache does not show yet: its event follows.
func (c *controller) create(ctx context.Context, widget *unstructured.Unstructured, name string) error {
	configMap := &unstructured.Unstructured{}
	configMap.SetAPIVersion("v1")
	configMap.SetKind("ConfigMap")
	configMap.SetName(name)
	configMap.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(widget, widgetKind)})
	_, err := c.configMaps.Create(ctx, configMap, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
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

// wake enqueues a Widget, or the Widget that controls a ConfigMap.
func (c *controller) wake(object interface{}) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	changed := object.(*unstructured.Unstructured)
	if changed.GetKind() == widgetKind.Kind {
		c.queue.Add(namespace + "/" + changed.GetName())
	} else if owner := metav1.GetControllerOf(changed); owner != nil && owner.Kind == widgetKind.Kind {
		c.queue.Add(namespace + "/" + owner.Name)
	}
}

func main() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		panic(err)
	}
	client := dynamic.NewForConfigOrDie(config)
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	c := &controller{
		queue:        workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter()),
		widgets:      client.Resource(widgetResource).Namespace(namespace),
		configMaps:   client.Resource(configMapResource).Namespace(namespace),
		ofWidgets:    factory.ForResource(widgetResource).Informer(),
		ofConfigMaps: factory.ForResource(configMapResource).Informer(),
	}
	if err := c.ofConfigMaps.AddIndexers(cache.Indexers{"owner": byOwner}); err != nil {
		panic(err)
	}
	for _, informer := range []cache.SharedIndexInformer{c.ofWidgets, c.ofConfigMaps} {
		informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    c.wake,
			UpdateFunc: func(_, object interface{}) { c.wake(object) },
			DeleteFunc: c.wake,
		})
	}
	ctx := context.Background()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	c.work(ctx)
}
