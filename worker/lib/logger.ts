/**
 * One line of JSON per event, which Cloudflare's log viewer reads as fields. The only place of the Worker that writes to the console.
 * Nothing secret is ever a field: no token, no code, no cookie, no message text.
 */
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined }

type Level = 'info' | 'warn' | 'error'

function write(level: Level, event: string, fields: LogFields) {
  console[level](JSON.stringify({ level, event, ...fields }))
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
const nameOf = (error: Error) => `${error.name}: ${error.message.split('\n', 1)[0]}`
