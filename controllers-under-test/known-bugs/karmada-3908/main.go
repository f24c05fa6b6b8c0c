// Keeps a pod for each Widget. Its cache of pods is stripped of what it does not need, with the transform function of karmada.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/karmada-io/karmada/pkg/util/fedinformer"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const namespace = "default"

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

type controller struct {
	queue             workqueue.RateLimitingInterface
	pods              corev1client.PodInterface
	ofWidgets, ofPods cache.SharedIndexInformer
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
	name := widget.GetName() + "-" + string(widget.GetUID()[:8])
	if _, exists, err := c.ofPods.GetIndexer().GetByKey(namespace + "/" + name); err != nil || exists {
		return err
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(widget, widgetKind)},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "widget", Image: "registry.example.com/widget:1"}}},
	}
	_, err = c.pods.Create(ctx, pod, metav1.CreateOptions{})
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

// wakeAll enqueues all Widgets: a stripped pod does not tell its owner.
func (c *controller) wakeAll(interface{}) {
	for _, key := range c.ofWidgets.GetIndexer().ListKeys() {
		c.queue.Add(key)
	}
}

func (c *controller) wake(widget interface{}) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(widget); err == nil {
		c.queue.Add(key)
	}
}

func handle(informer cache.SharedIndexInformer, wake func(interface{})) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    wake,
		UpdateFunc: func(_, object interface{}) { wake(object) },
		DeleteFunc: wake,
	})
	if err != nil {
		panic(err)
	}
}

func main() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	widgetResource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	pods := corev1client.NewForConfigOrDie(config).Pods(namespace)
	listWatch := &cache.ListWatch{
		ListFunc:  func(options metav1.ListOptions) (runtime.Object, error) { return pods.List(ctx, options) },
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) { return pods.Watch(ctx, options) },
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0, namespace, nil)
	c := &controller{
		queue:     workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter()),
		pods:      pods,
		ofWidgets: factory.ForResource(widgetResource).Informer(),
		ofPods:    cache.NewSharedIndexInformer(listWatch, &corev1.Pod{}, 0, cache.Indexers{}),
	}
	if err := c.ofPods.SetTransform(fedinformer.PodTransformFunc); err != nil {
		panic(err)
	}
	handle(c.ofWidgets, c.wake)
	handle(c.ofPods, c.wakeAll)
	go c.ofPods.Run(ctx.Done())
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), c.ofPods.HasSynced, c.ofWidgets.HasSynced)
	c.work(ctx)
}
