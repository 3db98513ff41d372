/**
 * Spans, if OTEL_EXPORTER_OTLP_ENDPOINT is set. A span's context travels as `traceparent` in
 * events, jobs and outgoing calls. So one trace covers the request and everything that it causes.
 * Without an endpoint nothing is loaded, and an incoming `traceparent` is passed on unchanged.
 */
import type { Attributes } from '@opentelemetry/api'
import { workContext } from './context.ts'

type Kind = 'server' | 'consumer' | 'client'

export type Span = {
  readonly traceparent: string | null
  end(attributes: Attributes, failed?: boolean): void
}

export type Telemetry = {
  start(name: string, parent: string | null, kind: Kind): Span
  close(): Promise<void>
}

/** Work that continues the trace of its cause. */
export type TracedWork = {
  readonly name: string
  readonly kind: Kind
  readonly traceparent: string | null
  /** The tenant and the ids that the work is about, for fault points. */
  readonly about: readonly string[]
  readonly attributes: Attributes
}

/** Says whether the span failed, for a result that is not an error. */
export type Traced = <T>(
  work: TracedWork,
  run: () => Promise<T>,
  failed?: (result: T) => boolean,
) => Promise<T>

export function tracedBy(telemetry: Telemetry): Traced {
  return async ({ name, kind, traceparent, about, attributes }, run, failed) => {
    const span = telemetry.start(name, traceparent, kind)
    const work = { request_id: null, traceparent: span.traceparent, name, about }
    try {
      const result = await workContext.run(work, run)
      span.end(attributes, failed?.(result))
      return result
    } catch (error) {
      span.end(attributes, true)
      throw error
    }
  }
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
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT }
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
