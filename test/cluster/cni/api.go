package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

type api struct {
	server string
	client *http.Client
}

func newAPI(conf apiConfig) (*api, error) {
	ca, err := os.ReadFile(conf.CA)
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(conf.Cert, conf.Key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New(conf.CA + " holds no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}
	return &api{server: conf.Server, client: &http.Client{Transport: transport, Timeout: 20 * time.Second}}, nil
}

func (a *api) do(method, path, contentType string, body []byte, into any) error {
	ask, err := http.NewRequest(method, a.server+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if contentType != "" {
		ask.Header.Set("Content-Type", contentType)
	}
	answer, err := a.client.Do(ask)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		var status struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(text, &status)
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, status.Message)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

func (a *api) podAnnotations(namespace, name string) (map[string]string, error) {
	var pod struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	err := a.do("GET", "/api/v1/namespaces/"+namespace+"/pods/"+name, "", nil, &pod)
	return pod.Metadata.Annotations, err
}

func (a *api) networkConfig(namespace, name string) (string, error) {
	var network struct {
		Spec struct {
			Config string `json:"config"`
		} `json:"spec"`
	}
	err := a.do("GET", "/apis/k8s.cni.cncf.io/v1/namespaces/"+namespace+"/network-attachment-definitions/"+name, "", nil, &network)
	if err == nil && network.Spec.Config == "" {
		err = errors.New("spec.config is empty; this stand-in reads no configuration files")
	}
	return network.Spec.Config, err
}

func (a *api) tellStatus(namespace, name string, statuses []status) error {
	text, err := json.MarshalIndent(statuses, "", "  ")
	if err != nil {
		return err
	}
	return a.annotatePod(namespace, name, statusAnnotation, string(text))
}

func (a *api) annotatePod(namespace, name, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{key: value}}})
	if err != nil {
		return err
	}
	return a.do("PATCH", "/api/v1/namespaces/"+namespace+"/pods/"+name+"/status", "application/merge-patch+json", patch, nil)
}
