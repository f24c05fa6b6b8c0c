// Command fake-client measures controller-runtime's fake client: fake-client CREATES OBJECTS prints JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func main() {
	creates, _ := strconv.Atoi(os.Args[1])
	objects, _ := strconv.Atoi(os.Args[2])
	ctx := context.Background()
	newClient := func() client.Client { return fake.NewClientBuilder().WithScheme(scheme.Scheme).Build() }

	began := time.Now()
	server := newClient()
	must(server.List(ctx, &corev1.NamespaceList{}))
	start := time.Since(began)

	began = time.Now()
	for at := 0; at < creates; at++ {
		create(ctx, server, at)
	}
	created := time.Since(began) / time.Duration(creates)

	for at := creates; at < creates+objects; at++ {
		create(ctx, server, at)
	}
	// A fake client cannot be reset: it is replaced by a new one.
	began = time.Now()
	server = newClient()
	must(server.List(ctx, &corev1.ConfigMapList{}))
	reset := time.Since(began)

	must(json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"startMs": ms(start), "createMs": ms(created), "resetMs": ms(reset), "memoryMb": residentMb(),
	}))
}

func create(ctx context.Context, server client.Client, at int) {
	must(server.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("a-%d", at)},
		Data:       map[string]string{"a": "b"},
	}))
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func residentMb() float64 {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kb, _ := strconv.ParseFloat(fields[1], 64)
			return kb / 1024
		}
	}
	return 0
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
