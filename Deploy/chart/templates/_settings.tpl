{{/* The settings of a worker: its own, and what the chart decides. */}}
{{- define "flotilla.settings" -}}
{{- $engine := include "flotilla.engine" . }}
{{- $kafka := dict }}
{{- with .root.Values.kafka.brokers }}{{ $_ := set $kafka "brokers" . }}{{ end }}
{{- $properties := concat (.root.Values.kafka.properties | default list) (include "flotilla.strimziProperties" . | fromYamlArray) }}
{{- with $properties }}{{ $_ := set $kafka "properties" . }}{{ end }}
{{- $own := dict "kafka" $kafka }}
{{- if ne $engine "desk" }}{{ $_ := set $own "health" (dict "host" "0.0.0.0" "port" 9090) }}{{ end }}
{{- $crash := "/var/lib/flotilla/crashes" }}
{{- if eq $engine "calls" }}
  {{- $_ := set $own "worker" (dict "drain_limit" (printf "%ds" (int (.worker.drainSeconds | default 15))) "crash_folder" $crash) }}
{{- else if eq $engine "states" }}
  {{- $_ := set $own "state" (dict "crash_folder" $crash) }}
{{- else if eq $engine "desk" }}
  {{- $_ := set $own "dead_letters" (dict "user" (include "flotilla.name" .)) }}
  {{- $serve := dict "health_port" 9090 }}
  {{- if include "flotilla.isGuarded" . }}
    {{- $_ := set $serve "host" "0.0.0.0" }}
  {{- end }}
  {{- $_ := set $own "serve" $serve }}
{{- end }}
{{- if or (eq $engine "calls") (eq $engine "states") }}
  {{- $admin := dict "socket" "/var/lib/flotilla/admin.sock" "choices_file" "/var/lib/flotilla/choices.json" }}
  {{- $_ := set $own "admin" $admin }}
{{- end }}
{{- $settings := mergeOverwrite $own (deepCopy (.worker.config | default dict)) }}
{{- if eq $engine "desk" }}
  {{- $names := dig "serve" "names" (list) $settings }}
  {{- if include "flotilla.isGuarded" . }}
    {{- if not $names }}{{ fail (printf "workers.%s: name the pages in config.serve.names as browsers know them" .name) }}{{ end }}
    {{- $full := include "flotilla.name" . }}
    {{- $names = concat $names (list $full (printf "%s.%s.svc" $full .root.Release.Namespace)) | uniq }}
    {{- $_ := set $settings.serve "names" $names }}
  {{- end }}
{{- end }}
{{- if not (dig "kafka" "brokers" "" $settings) }}
  {{- fail (printf "workers.%s: name the cluster in kafka.brokers" .name) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{/* How a worker shows who it is to a cluster of Strimzi's. */}}
{{- define "flotilla.strimziProperties" -}}
{{- if not .root.Values.strimzi.enabled }}[]
{{- else if eq .root.Values.strimzi.authentication "tls" -}}
- {name: security.protocol, value: SSL}
- {name: ssl.ca.location, value: /etc/flotilla/cluster/ca.crt}
- {name: ssl.certificate.location, value: /etc/flotilla/user/user.crt}
- {name: ssl.key.location, value: /etc/flotilla/user/user.key}
{{- else -}}
- {name: security.protocol, value: SASL_SSL}
- {name: ssl.ca.location, value: /etc/flotilla/cluster/ca.crt}
- {name: sasl.mechanisms, value: SCRAM-SHA-512}
- {name: sasl.username, value: {{ include "flotilla.name" . | quote }}}
- {name: sasl.password, value_file: /etc/flotilla/user/password}
{{- end }}
{{- end }}
