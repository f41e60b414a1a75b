// yagura-networks is the local cluster's stand-in for Multus: a CNI plugin, last in the chain of the pod network, that
// attaches a pod to the networks its annotation names and says in another annotation what came of it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type config struct {
	CNIVersion string          `json:"cniVersion"`
	Name       string          `json:"name"`
	PrevResult json.RawMessage `json:"prevResult"`
	API        apiConfig       `json:"kubernetes"`
	StateDir   string          `json:"stateDir"`
}

type apiConfig struct {
	Server string `json:"server"`
	CA     string `json:"ca"`
	Cert   string `json:"cert"`
	Key    string `json:"key"`
}

// The caller's environment, as the CNI specification names it.
type call struct {
	containerID, netns, ifName, args, path string
}

func main() {
	version := "0.4.0"
	err := run(&version)
	if err == nil {
		return
	}
	answer, _ := json.Marshal(map[string]any{"cniVersion": version, "code": 999, "msg": "yagura-networks: " + err.Error()})
	fmt.Println(string(answer))
	os.Exit(1)
}

func run(version *string) error {
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		fmt.Println(`{"cniVersion":"1.0.0","supportedVersions":["0.3.1","0.4.0","1.0.0"]}`)
		return nil
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var conf config
	if err := json.Unmarshal(input, &conf); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	*version = conf.CNIVersion
	c := call{
		containerID: os.Getenv("CNI_CONTAINERID"),
		netns:       os.Getenv("CNI_NETNS"),
		ifName:      os.Getenv("CNI_IFNAME"),
		args:        os.Getenv("CNI_ARGS"),
		path:        os.Getenv("CNI_PATH"),
	}
	switch command {
	case "ADD":
		if err := add(conf, c); err != nil {
			return err
		}
		fmt.Println(string(conf.PrevResult))
		return nil
	case "DEL":
		return del(conf, c)
	case "CHECK":
		return nil
	}
	return fmt.Errorf("CNI_COMMAND %q is not known", command)
}

func add(conf config, c call) error {
	namespace, name := podOf(c.args)
	if name == "" {
		return nil
	}
	api, err := newAPI(conf.API)
	if err != nil {
		return err
	}
	annotations, err := api.podAnnotations(namespace, name)
	if err != nil {
		return err
	}
	requests, err := parseNetworks(annotations[networksAnnotation], namespace)
	if err != nil {
		return fmt.Errorf("annotation %s of pod %s/%s: %w", networksAnnotation, namespace, name, err)
	}
	if len(requests) == 0 {
		return nil
	}
	statuses := []status{statusOf(conf.Name, c.ifName, conf.PrevResult, true)}
	var attached []attachment
	for _, request := range requests {
		text, err := api.networkConfig(request.Namespace, request.Name)
		if err == nil {
			next := attachment{IfName: request.Interface, Config: text, MAC: request.MAC, IPs: request.IPs}
			attached = append(attached, next)
			// Recorded first: whatever happens now, DEL finds it.
			err = saveState(conf.StateDir, c, attached)
			if err == nil {
				var result json.RawMessage
				result, err = next.add(c)
				statuses = append(statuses, statusOf(request.Namespace+"/"+request.Name, request.Interface, result, false))
			}
		}
		if err != nil {
			_ = del(conf, c)
			return fmt.Errorf("network %s/%s for pod %s/%s: %w", request.Namespace, request.Name, namespace, name, err)
		}
	}
	text, err := json.MarshalIndent(statuses, "", "  ")
	if err != nil {
		return err
	}
	if err := api.annotatePod(namespace, name, statusAnnotation, string(text)); err != nil {
		_ = del(conf, c)
		return err
	}
	return nil
}

func del(conf config, c call) error {
	attached, err := loadState(conf.StateDir, c)
	if err != nil {
		return err
	}
	for i := len(attached) - 1; i >= 0; i-- {
		if err := attached[i].del(c); err != nil {
			return err
		}
	}
	return removeState(conf.StateDir, c)
}

func podOf(args string) (namespace, name string) {
	for _, pair := range strings.Split(args, ";") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "K8S_POD_NAMESPACE":
			namespace = value
		case "K8S_POD_NAME":
			name = value
		}
	}
	return namespace, name
}
