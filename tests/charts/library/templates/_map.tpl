{{- define "library.map" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
data:
  {{- toYaml .data | nindent 2 }}
{{- end -}}
