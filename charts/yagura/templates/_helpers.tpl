{{/* Labels of every object. */}}
{{- define "yagura.labels" -}}
app.kubernetes.io/name: yagura
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Image of a component: (list . "virt-api") */}}
{{- define "yagura.image" -}}
{{- $root := index . 0 -}}
{{ printf "%s/yagura/%s:%s" $root.Values.image.registry (index . 1) $root.Values.image.tag }}
{{- end }}

{{- define "yagura.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* What an unprivileged pod of ours runs with. */}}
{{- define "yagura.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1001
runAsGroup: 1001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "yagura.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Environment that every component reads. */}}
{{- define "yagura.env" -}}
- name: YAGURA_VERSION
  value: {{ .Chart.AppVersion | quote }}
- name: LOG_VERBOSITY
  value: {{ .Values.logLevel | quote }}
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- end }}

{{/*
Requests that the webhooks leave alone: the product's own service accounts, so that status, finalizers and restarts go
on while virt-api is dead; and updates that change nothing of what is guarded, such as a finalizer's removal by the
garbage collector.
*/}}
{{- define "yagura.notOurs" -}}
- name: not-by-yagura
  expression: >-
    !(request.userInfo.username in [
    'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-controller',
    'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-handler',
    'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-apiserver'])
{{- end }}
