// The benchmark's Flux: fluxcd/pkg/ssa, which kustomize-controller and the flux command are built on, applied
// to one file as its controller would: read, normalise, ApplyAllStaged. In sync it is one GET and one dry run
// an object, and no write.
//
//	flux KUBECONFIG FILE
//
// Prints how many objects were created, configured, unchanged; exits 1 on an error.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/fluxcd/pkg/ssa/utils"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	concurrency = 16
	qps         = 1000 // client-go's own limit of 5 would be what is measured
	burst       = 1000
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: flux KUBECONFIG FILE")
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard())
	changes, err := apply(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	counts := map[ssa.Action]int{}
	for _, entry := range changes.Entries {
		counts[entry.Action]++
	}
	for _, action := range []ssa.Action{ssa.CreatedAction, ssa.ConfiguredAction, ssa.UnchangedAction} {
		fmt.Printf("%s: %d\n", action, counts[action])
	}
}

func apply(ctx context.Context, kubeconfig, file string) (*ssa.ChangeSet, error) {
	objects, err := read(file)
	if err != nil {
		return nil, err
	}
	manager, mapper, err := connect(kubeconfig)
	if err != nil {
		return nil, err
	}
	place(objects, mapper)
	return manager.ApplyAllStaged(ctx, objects, ssa.DefaultApplyOptions())
}

func read(file string) ([]*unstructured.Unstructured, error) {
	data, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	objects, err := utils.ReadObjects(data)
	if err != nil {
		return nil, err
	}
	return objects, normalize.UnstructuredList(objects)
}

func connect(kubeconfig string) (*ssa.ResourceManager, meta.RESTMapper, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	config.QPS, config.Burst = qps, burst
	http, err := client.New(config, client.Options{})
	if err != nil {
		return nil, nil, err
	}
	poller := polling.NewStatusPoller(http, http.RESTMapper(), polling.Options{})
	manager := ssa.NewResourceManager(http, poller, ssa.Owner{Field: "flux", Group: "bench.fluxcd.io"})
	manager.SetConcurrency(concurrency)
	return manager, http.RESTMapper(), nil
}

// place puts a namespaced object that names no namespace into "default", as the kubeconfig's context would.
func place(objects []*unstructured.Unstructured, mapper meta.RESTMapper) {
	for _, object := range objects {
		if object.GetNamespace() != "" {
			continue
		}
		kind := object.GroupVersionKind()
		// A kind that is not served yet is refused later, by the apply.
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err == nil && mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			object.SetNamespace("default")
		}
	}
}
