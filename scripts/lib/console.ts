// Terminal output of local runs.
import type { HealthBody } from '../../worker/contract/http.ts'

/** Tool output without information about Parley. */
const noise = [
  /Sourcemap for .* points to missing source files/,
  /update available/,
  /telemetry/i,
  /^JSON report written to/,
  /vitest-pool-workers has been renamed|This package will not receive future updates|codemods vitest:pool-workers/,
  /^={20,}$/,
]

/** True for lines of a tool to hide. Not applied to Parley's own log. */
export function isNoise(line: string): boolean {
  return noise.some((pattern) => pattern.test(line))
}

export function printLog({ level, message }: { level: string; message: string }) {
  const stream = level === 'error' || level === 'warn' ? process.stderr : process.stdout
  stream.write(`${message}\n`)
}

/** Ends a script with one sentence. DEBUG adds the stack. */
export const fail = (sentence: string) => (error: unknown) => {
  console.error(`${sentence}: ${error instanceof Error ? error.message : String(error)}`)
  if (process.env.DEBUG) console.error(error)
  process.exit(1)
}

/** Prints the configured services and simulations from GET /api/health. Returns its status. */
export async function printHealth(url: string): Promise<HealthBody['status']> {
  const response = await fetch(`${url}/api/health`)
  const body = (await response.json()) as HealthBody
  const width = Math.max(0, ...Object.keys(body.parts).map((part) => part.length)) + 2
  console.log(`\n  ${body.environment}${body.status === 'ok' ? '' : `: ${body.status}`}`)
  for (const [part, { state, detail }] of Object.entries(body.parts)) {
    console.log(`  ${part.padEnd(width)}${state.padEnd(10)}${detail}`)
  }
  return body.status
}
