{{/* The name of a worker's objects. Its argument is (dict "root" $ "name" NAME "worker" WORKER), as of all below. */}}
{{- define "flotilla.name" -}}
{{- if contains .name .root.Release.Name }}{{ .root.Release.Name }}{{ else }}{{ printf "%s-%s" .root.Release.Name .name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "flotilla.selector" -}}
app.kubernetes.io/name: flotilla
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "flotilla.labels" -}}
{{ include "flotilla.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: flotilla
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The labels of what belongs to no worker. Its argument is the root. */}}
{{- define "flotilla.commonLabels" -}}
app.kubernetes.io/name: flotilla
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: flotilla
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "flotilla.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "flotilla.command" -}}
{{- $words := get (dict
    "activation-intake" (list "activation-worker" "intake" "run")
    "push-arrival-forward" (list "push-arrival-worker" "forward" "run")
    "dead-letters" (list "dead-letters" "serve")
  ) .worker.kind | default (list .worker.kind "run") }}
{{- concat $words (list "--config" "/etc/flotilla/settings.yaml") | toJson }}
{{- end }}

{{/* Whether the worker is an engine of calls or of states, a gateway, or the desk: the pages of the dead letters. */}}
{{- define "flotilla.engine" -}}
{{- if eq .worker.kind "gateway" }}gateway{{ else if eq .worker.kind "dead-letters" }}desk{{ else if has .worker.kind (list "activation-intake" "push-arrival-worker") }}states{{ else }}calls{{ end }}
{{- end }}

{{/* Whether the engine has members of a consumer group, which keep their names. */}}
{{- define "flotilla.isStateful" -}}
{{- if has (include "flotilla.engine" .) (list "calls" "states") }}true{{ end }}
{{- end }}

{{/* Whether a proxy says who the users of the desk are, so that it may serve beyond its pod. TLS alone keeps nobody out. */}}
{{- define "flotilla.isGuarded" -}}
{{- if dig "config" "serve" "proxy_token_file" "" .worker }}true{{ end }}
{{- end }}

{{/* The port inside the pod for people and devices; empty without one. */}}
{{- define "flotilla.port" -}}
{{- $engine := include "flotilla.engine" . }}
{{- if eq $engine "gateway" }}{{ dig "config" "gateway" "port" 8080 .worker }}
{{- else if and (eq $engine "desk") (include "flotilla.isGuarded" .) }}{{ dig "config" "serve" "port" 8086 .worker }}{{ end }}
{{- end }}
