/**
 * One line of JSON per event, which Cloudflare's log viewer reads as fields. The only place of the Worker that writes to the console.
 * Nothing secret is ever a field: no token, no code, no cookie, no message text. What a company said of its refusal is no field, either.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined }

type Level = 'info' | 'warn' | 'error'

const requestIds = new AsyncLocalStorage<string>()

/** What is logged meanwhile carries the request's id. */
export const loggingFor = <T>(requestId: string, work: () => T): T => requestIds.run(requestId, work)

function write(level: Level, event: string, fields: LogFields) {
  console[level](JSON.stringify({ level, event, requestId: requestIds.getStore(), ...fields }))
}

export const logger = {
  info: (event: string, fields: LogFields = {}) => write('info', event, fields),
  warn: (event: string, fields: LogFields = {}) => write('warn', event, fields),
  /** Adds message, stack and causes: what is logged is richer than what is sent. */
  error: (event: string, error: unknown, fields: LogFields = {}) => write('error', event, { ...fields, ...errorFields(error) }),
}

function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) }
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < maxCauses; cause = cause.cause) causes.push(nameOf(cause))
  const stack = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  return { error: nameOf(error), stack: stack?.join('\n'), ...(causes.length > 0 ? { causes: causes.join(' < ') } : {}) }
}

const maxCauses = 5

/** The first line only: after it, drizzle quotes the values of a failed query, and those a person wrote. */
export function nameOf(error: Error): string {
  const company = ofCompany(error)
  return company ?? `${error.name}: ${error.message.split('\n', 1)[0]}`
}

/**
 * What a company's own client throws, by name, code and status: its sentence quotes what it was sent, which may be a key, an address or
 * what somebody wrote. Null for errors of ours, of the runtime and of D1.
 */
function ofCompany(error: Error): string | null {
  const { type, code, status, statusCode }: Partial<Record<string, unknown>> = { ...error }
  const isHttp = [status, statusCode].some((value) => typeof value === 'number')
  const name = typeof type === 'string' && type.startsWith('Stripe') ? type : error.name
  if (!isHttp && !/^(Stripe|Upstash|AI_|ModelStream)/.test(name)) return null
  return [name, code, statusCode ?? status].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}
