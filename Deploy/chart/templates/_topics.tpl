{{/* The topics of a worker as a list: name, role where the desk has rights on them, policy, and the operations that the worker needs on it. */}}
{{- define "flotilla.topics" -}}
{{- $config := .worker.config | default dict }}
{{- $kafka := get $config "kafka" | default dict }}
{{- $read := list "Describe" "DescribeConfigs" "Read" }}
{{- $write := list "Describe" "DescribeConfigs" "Write" }}
{{- $both := list "Describe" "DescribeConfigs" "Read" "Write" }}
{{- $input := get $kafka "topic" | default (get (dict
    "activation-worker" "activation" "activation-intake" "activation" "devicecheck-worker" "devicecheck"
    "receipt-worker" "receipt" "push-arrival-worker" "push-arrival" "push-arrival-forward" "push-arrival.forward"
  ) .worker.kind) }}
{{- $topics := list }}
{{- if eq .worker.kind "dead-letters" }}
  {{- $desk := get $config "dead_letters" | default dict }}
  {{- $topics = list
      (dict "name" (get $desk "ledger_topic" | default "dead-letters.ledger") "policy" "compact" "partitions" 1 "operations" $both)
      (dict "name" (get $desk "audit_topic" | default "dead-letters.audit") "policy" "delete" "partitions" 1 "milliseconds" "-1" "operations" $both) }}
{{- else if eq .worker.kind "gateway" }}
  {{- $gateway := get $config "gateway" | default dict }}
  {{- $routes := get $gateway "routes" | default (list "uploads" "push-arrivals" "clicks") }}
  {{- range $route, $topic := dict "uploads" "sdk-upload" "push-arrivals" "push-arrival" "clicks" "activation-click" }}
    {{- if has $route $routes }}
      {{- $topic = get $gateway (printf "%s_topic" (replace "-" "_" $route)) | default $topic }}
      {{- $bytes := eq $route "uploads" | ternary (get $kafka "message_limit" | default 4194304) 0 }}
      {{- $topics = append $topics (dict "name" $topic "policy" "delete" "bytes" $bytes "operations" $write) }}
    {{- end }}
  {{- end }}
{{- else }}
  {{- $topics = list
      (dict "name" $input "role" "input" "policy" "delete" "operations" (ternary $both $read (eq .worker.kind "push-arrival-worker")))
      (dict "name" (get $kafka "result_topic" | default (printf "%s.result" $input)) "role" "result" "policy" "delete" "operations" $write)
      (dict "name" (get $kafka "dead_letter_topic" | default (printf "%s.dead-letter" $input)) "role" "dead-letter" "policy" "delete" "operations" $write) }}
  {{- range get $kafka "dead_letter_routes" | default list }}
    {{- $topics = append $topics (dict "name" (last (splitList "=" .)) "role" "dead-letter" "policy" "delete" "operations" $write) }}
  {{- end }}
  {{- if eq .worker.kind "push-arrival-worker" }}
    {{- $topics = concat $topics (list
        (dict "name" (get $kafka "changelog_topic" | default (printf "%s.changelog" $input)) "policy" "delete" "timestamps" "LogAppendTime" "operations" $both)
        (dict "name" (get $kafka "parts_topic" | default (printf "%s.parts" $input)) "policy" "compact,delete" "retention" "60d" "operations" $both)
        (dict "name" (get $kafka "statistics_topic" | default (printf "%s.stats" $input)) "policy" "compact" "operations" $both)) }}
    {{- if dig "forward" "enabled" false $config }}
      {{- $topics = append $topics (dict "name" (get $kafka "forward_topic" | default (printf "%s.forward" $input)) "policy" "delete" "operations" $write) }}
    {{- end }}
  {{- else if eq .worker.kind "activation-intake" }}
    {{- $home := get $kafka "home_topic" | default (printf "%s.home" $input) }}
    {{- $topics = concat $topics (list
        (dict "name" $home "role" "input" "policy" "delete" "timestamps" "CreateTime" "operations" $both)
        (dict "name" (get $kafka "changelog_topic" | default (printf "%s.changelog" $home)) "policy" "compact" "timestamps" "LogAppendTime" "operations" $both)
        (dict "name" (get $kafka "due_topic" | default (printf "%s.due" $input)) "policy" "delete" "timestamps" "CreateTime" "operations" $write)
        (dict "name" (dig "sdk" "topic" "sdk-upload" $config) "role" "input" "policy" "delete" "operations" $read)
        (dict "name" (dig "sdk" "result_topic" "sdk-upload.result" $config) "role" "result" "policy" "delete" "operations" $write)
        (dict "name" (dig "clicks" "topic" "activation-click" $config) "role" "input" "policy" "delete" "operations" $read)) }}
    {{- with dig "sdk" "events_topic" "" $config }}
      {{- $topics = append $topics (dict "name" . "policy" "delete" "operations" $write) }}
    {{- end }}
  {{- else }}
  {{- range without (regexSplit "[, ]+" (dig "retry" "topics" "" $config) -1) "" }}
    {{- $topics = append $topics (dict "name" (printf "%s.retry.%s" $input .) "policy" "delete" "retention" "15d" "unbounded" true "operations" $both) }}
  {{- end }}
  {{- if .root.Values.strimzi.parking }}
    {{- $parked := get $kafka "parked_topic" | default (printf "%s.parked" $input) }}
    {{- $topics = append $topics (dict "name" $parked "role" "parking" "policy" "compact" "timestamps" "LogAppendTime" "operations" $both) }}
  {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $topics }}
{{- end }}

{{/* The topics of the workers of this release on which the desk has rights: it reads dead letters, outcomes and parked
records, and replays to the inputs. */}}
{{- define "flotilla.deskTopics" -}}
{{- $topics := list }}
{{- range $name, $worker := .root.Values.workers }}
{{- $scope := dict "root" $.root "name" $name "worker" $worker }}
{{- if include "flotilla.isStateful" $scope }}
  {{- $read := list "Describe" "DescribeConfigs" "Read" }}
  {{- range include "flotilla.topics" $scope | fromYamlArray }}
    {{- if .role }}
      {{- $operations := eq .role "input" | ternary (append $read "Write") $read }}
      {{- $topics = append $topics (dict "name" .name "operations" $operations) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- toYaml $topics }}
{{- end }}

{{/* The consumer group of a worker; empty for a program that joins none. */}}
{{- define "flotilla.group" -}}
{{- if include "flotilla.isStateful" . }}{{ dig "config" "kafka" "group" .worker.kind .worker }}{{ end }}
{{- end }}
