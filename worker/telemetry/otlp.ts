/**
 * Collects spans and metrics of this isolate, and sends them as OTLP in JSON. The exporters of OpenTelemetry keep a timer, which workerd ends with
 * the request that started it. Here, every recorded operation waits a second and then sends everything that was collected.
 */
import { metrics, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { JsonMetricsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, type ReadableSpan, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'
import { logger } from '../lib/logger.ts'
import { version } from '../setting-definitions.ts'
import type { Settings } from '../settings.ts'

/** A request, a turn, or a step of sync: one span, and one value of the histogram of its kind. */
export type Operation = {
  readonly kind: 'http.server.request' | 'parley.turn' | 'parley.sync.step'
  /** Low cardinality: a route, never an address. */
  readonly name: string
  readonly begunMs: number
  readonly endedMs: number
  /** Only the names of `sentAttributes` are sent. */
  readonly attributes: { readonly [name: string]: string | number }
  /** A short code of ours. */
  readonly error?: string | undefined
}

type Otlp = NonNullable<Settings['otlp']>

/** Only these attributes are sent. Events, links, error messages and all other attributes can quote a user or a secret. */
const sentAttributes = new Set([
  ...['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
  ...['parley.mode', 'parley.ending', 'parley.mutations'],
  ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model', 'gen_ai.response.finish_reasons'],
  ...['gen_ai.request.max_tokens', 'gen_ai.request.stream', 'gen_ai.tool.name'],
  ...['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  ...['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_creation.input_tokens'],
])

function sentSpan(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => sentAttributes.has(name)))
  const { name, kind, parentSpanContext, startTime, endTime, duration, resource, instrumentationScope } = span
  return {
    ...{ name, kind, startTime, endTime, duration, resource, instrumentationScope, attributes },
    ...(parentSpanContext && { parentSpanContext }),
    spanContext: () => span.spanContext(),
    status: { code: span.status.code },
    ...{ ended: true, events: [], links: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

/** Chosen: bounds the memory. While the collector does not answer, the oldest spans are dropped. */
const maxSpans = 2000
const collectMs = 1000
const sendTimeoutMs = 10_000

/** Delta temporality: an isolate ends without notice, so cumulative sums would be wrong. */
class DeltaReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.DELTA })
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export type Exporter = {
  readonly tracer: Tracer
  /** Resolves after the attempt to send the operation. */
  readonly record: (operation: Operation) => Promise<void>
}

const exporters = new WeakMap<Otlp, Exporter>()

export function exporterOf(otlp: Otlp): Exporter {
  const exporter = exporters.get(otlp) ?? createExporter(otlp, (url, init) => fetch(url, init))
  exporters.set(otlp, exporter)
  return exporter
}

export function createExporter({ url, headers, sampleRatio }: Otlp, send: (url: string, init: RequestInit) => Promise<Response>): Exporter {
  const resource = resourceFromAttributes({ 'service.name': 'parley', 'service.version': version })
  let spans: ReadableSpan[] = []
  const processor = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => {
      spans = [...spans.slice(1 - maxSpans), sentSpan(span)]
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
  const tracers = new BasicTracerProvider({ resource, sampler: new TraceIdRatioBasedSampler(sampleRatio), spanProcessors: [processor] })
  const tracer = tracers.getTracer('parley')
  const reader = new DeltaReader()
  const meters = new MeterProvider({ resource, readers: [reader] })
  // The AI SDK takes its meter from here.
  metrics.setGlobalMeterProvider(meters)
  const meter = meters.getMeter('parley')

  const post = async (path: string, body: Uint8Array | undefined): Promise<void> => {
    if (body === undefined) return
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, redirect: 'manual' } as const
    const response = await send(`${url}/v1/${path}`, { ...init, signal: AbortSignal.timeout(sendTimeoutMs) })
    await response.body?.cancel()
    if (!response.ok) logger.warn('telemetry_refused', { path, status: response.status })
  }
  const sendCollected = async (): Promise<void> => {
    const collected = spans
    spans = []
    const { resourceMetrics } = await reader.collect()
    const hasMetrics = resourceMetrics.scopeMetrics.length > 0
    await Promise.all([
      post('traces', collected.length > 0 ? JsonTraceSerializer.serializeRequest(collected) : undefined),
      post('metrics', hasMetrics ? JsonMetricsSerializer.serializeRequest(resourceMetrics) : undefined),
    ])
  }

  const record = async ({ kind, name, begunMs, endedMs, attributes, error }: Operation): Promise<void> => {
    const all = { ...attributes, ...(error !== undefined && { 'error.type': error }) }
    const isRequest = kind === 'http.server.request'
    const span: Span = tracer.startSpan(name, {
      kind: isRequest ? SpanKind.SERVER : SpanKind.INTERNAL,
      startTime: begunMs,
      attributes: all,
    })
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endedMs)
    meter.createHistogram(`${kind}.duration`, { unit: 's' }).record((endedMs - begunMs) / 1000, { ...all, ...(!isRequest && { name }) })
    await new Promise((resolve) => setTimeout(resolve, collectMs))
    // Not retried: losing telemetry does not affect users.
    await sendCollected().catch((reason: unknown) => logger.warn('telemetry_failed', { error: reason instanceof Error ? reason.name : '' }))
  }
  return { tracer, record }
}
