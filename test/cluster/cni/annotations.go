package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// From the Kubernetes Network Custom Resource Definition De-facto Standard.
const (
	networksAnnotation = "k8s.v1.cni.cncf.io/networks"
	statusAnnotation   = "k8s.v1.cni.cncf.io/network-status"
)

type request struct {
	Name      string   `json:"name"`
	Namespace string   `json:"namespace"`
	Interface string   `json:"interface"`
	MAC       string   `json:"mac"`
	IPs       []string `json:"ips"`
}

type status struct {
	Name      string         `json:"name"`
	Interface string         `json:"interface,omitempty"`
	IPs       []string       `json:"ips,omitempty"`
	MAC       string         `json:"mac,omitempty"`
	Default   bool           `json:"default,omitempty"`
	DNS       map[string]any `json:"dns"`
}

// parseNetworks reads either form of the annotation: a JSON list, or "namespace/name@interface, …".
func parseNetworks(text, podNamespace string) ([]request, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var requests []request
	if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &requests); err != nil {
			return nil, err
		}
	} else {
		for _, part := range strings.Split(text, ",") {
			var next request
			part, next.Interface, _ = strings.Cut(strings.TrimSpace(part), "@")
			if namespace, name, found := strings.Cut(part, "/"); found {
				next.Namespace, next.Name = namespace, name
			} else {
				next.Name = part
			}
			requests = append(requests, next)
		}
	}
	for i := range requests {
		if requests[i].Name == "" {
			return nil, fmt.Errorf("network %d has no name", i)
		}
		if requests[i].Namespace == "" {
			requests[i].Namespace = podNamespace
		}
		if requests[i].Interface == "" {
			requests[i].Interface = fmt.Sprintf("net%d", i+1)
		}
	}
	return requests, nil
}

type result struct {
	Interfaces []struct {
		Name    string `json:"name"`
		MAC     string `json:"mac"`
		Sandbox string `json:"sandbox"`
	} `json:"interfaces"`
	IPs []struct {
		Address string `json:"address"`
	} `json:"ips"`
}

func statusOf(network, ifName string, raw json.RawMessage, isDefault bool) status {
	var r result
	_ = json.Unmarshal(raw, &r)
	s := status{Name: network, Interface: ifName, Default: isDefault, DNS: map[string]any{}}
	for _, each := range r.Interfaces {
		if each.Name == ifName && each.Sandbox != "" {
			s.MAC = each.MAC
		}
	}
	for _, each := range r.IPs {
		ip, _, _ := strings.Cut(each.Address, "/")
		s.IPs = append(s.IPs, ip)
	}
	return s
}
