/**
 * Traces, when OTEL_EXPORTER_OTLP_ENDPOINT is set. A span's context travels as `traceparent` in events, so
 * one trace spans the request, the consumers and what they cause. Without an endpoint nothing is loaded,
 * and an incoming `traceparent` is passed on as it came.
 */
import type { Attributes } from '@opentelemetry/api'

export type Span = {
  readonly traceparent: string | null
  end(attributes: Attributes, failed?: boolean): void
}

export type Telemetry = {
  start(name: string, parent: string | null, kind: 'server' | 'consumer'): Span
  close(): Promise<void>
}

export const noTelemetry: Telemetry = {
  start: (_name, parent) => ({ traceparent: parent, end: () => {} }),
  close: () => Promise.resolve(),
}

export async function openTelemetry(endpoint: string | null, version: string): Promise<Telemetry> {
  if (!endpoint) return noTelemetry
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources')
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api')
  const named = resourceFromAttributes({ 'service.name': 'dodeca', 'service.version': version })
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(named),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('dodeca', version)
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER }
  return {
    start: (name, parent, kind) => {
      const remote = remoteContext(parent)
      const within = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kinds[kind] }, within)
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: (attributes, failed = false) => {
          span.setAttributes(attributes)
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    close: () => provider.shutdown(),
  }
}

function remoteContext(traceparent: string | null) {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (!traceId || !spanId || !flags) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
