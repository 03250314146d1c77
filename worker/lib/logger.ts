/**
 * Writes one line of JSON per event, which Cloudflare's log viewer parses into fields. Nothing else in the Worker writes to the console.
 * Fields never contain tokens, codes, cookies, message text or the error message of a provider.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type LogFields = { readonly [name: string]: string | number | boolean | null | undefined }

type Level = 'info' | 'warn' | 'error'

const requestIds = new AsyncLocalStorage<string>()

/** Adds the request id to every log line of `work`. */
export const loggingFor = <T>(requestId: string, work: () => T): T => requestIds.run(requestId, work)

function write(level: Level, event: string, fields: LogFields) {
  console[level](JSON.stringify({ level, event, requestId: requestIds.getStore(), ...fields }))
}

export const logger = {
  info: (event: string, fields: LogFields = {}) => write('info', event, fields),
  warn: (event: string, fields: LogFields = {}) => write('warn', event, fields),
  /** Adds message, stack and causes. Log lines contain more than responses. */
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

/** Only the first line of the message: below it, drizzle quotes the values of a failed query, which include user content. */
function nameOf(error: Error): string {
  const summary = providerError(error)
  return summary ?? `${error.name}: ${error.message.split('\n', 1)[0]}`
}

/**
 * Errors of provider SDKs, as name, code and status. Their message can quote the request: a key, an address or user content. Null for our
 * own errors and those of the runtime and D1.
 */
function providerError(error: Error): string | null {
  const { type, code, status, statusCode }: Partial<Record<string, unknown>> = { ...error }
  const isHttp = [status, statusCode].some((value) => typeof value === 'number')
  const name = typeof type === 'string' && type.startsWith('Stripe') ? type : error.name
  if (!isHttp && !/^(Stripe|Upstash|AI_|ModelStream)/.test(name)) return null
  return [name, code, statusCode ?? status].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}
