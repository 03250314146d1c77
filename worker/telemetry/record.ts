/**
 * Traces and metrics of requests, turns and sync for an OpenTelemetry collector (OTLP over HTTP). Without OTEL_EXPORTER_OTLP_ENDPOINT nothing
 * is recorded, and the libraries are not even loaded.
 */
import type { TelemetryOptions } from 'ai'
import type { Settings } from '../settings.ts'
import type { Operation } from './otlp.ts'

type TelemetrySettings = Pick<Settings, 'otlp'>

const loadExporter = async (otlp: NonNullable<Settings['otlp']>) => (await import('./otlp.ts')).exporterOf(otlp)

/** `waitUntil` keeps the isolate or the object until the operation is sent, about a second later. */
export function record({ otlp }: TelemetrySettings, waitUntil: (work: Promise<unknown>) => void, operation: Operation): void {
  if (otlp === null) return
  waitUntil(loadExporter(otlp).then((exporter) => exporter.record(operation)))
}

/** Lets the AI SDK record the requests, tools, tokens and times of a model call, without prompts and answers. */
export async function modelTelemetry({ otlp }: TelemetrySettings): Promise<TelemetryOptions> {
  if (otlp === null) return { isEnabled: false }
  const { tracer } = await loadExporter(otlp)
  const { OpenTelemetry } = await import('@ai-sdk/otel')
  return { integrations: [new OpenTelemetry({ tracer })], recordInputs: false, recordOutputs: false }
}
