/**
 * Traces and metrics of requests, turns and sync for an OpenTelemetry collector (OTLP over HTTP). Without OTEL_EXPORTER_OTLP_ENDPOINT nothing
 * is recorded, and the libraries are not even loaded.
 */
import type { TelemetryOptions } from 'ai'
import type { Settings } from '../settings.ts'
import type { Operation } from './operation.ts'

type Otlp = Pick<Settings, 'otlp'>

const exporterOf = async (otlp: NonNullable<Settings['otlp']>) => (await import('./otlp.ts')).exporterOf(otlp)

/** `waitUntil` keeps the isolate or the object until the operation is sent, about a second later. */
export function record({ otlp }: Otlp, waitUntil: (work: Promise<unknown>) => void, operation: Operation): void {
  if (otlp === null) return
  waitUntil(exporterOf(otlp).then((exporter) => exporter.record(operation)))
}

/** What the AI SDK records of a call: requests, tools, tokens and times, without prompts and answers. */
export async function modelTelemetry({ otlp }: Otlp): Promise<TelemetryOptions> {
  if (otlp === null) return { isEnabled: false }
  const { tracer } = await exporterOf(otlp)
  const { OpenTelemetry } = await import('@ai-sdk/otel')
  return { integrations: [new OpenTelemetry({ tracer })], recordInputs: false, recordOutputs: false }
}
