// Asks the registry for known vulnerabilities of the locked packages.
import { execFile } from 'node:child_process'
import * as z from 'zod/mini'
import { rootDir } from './paths.ts'

const advisory = z.object({ title: z.string(), url: z.string(), severity: z.string() })
const report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ name: z.string(), via: z.array(z.union([z.string(), advisory])) })),
})
const refusal = z.object({ message: z.string() })

/** Lower severities are ignored, because they are too many to read. */
const reported: readonly string[] = ['high', 'critical']

/** A slower registry counts as unavailable. */
const answerWithinMs = 10_000

/**
 * One line for each serious advisory about a package that is not only for development, or one line if the registry does not answer. Never fails:
 * most locked packages are those of Zero's own server, which no build contains, and an advisory about them must not stop other work.
 */
export function auditLines(): Promise<readonly string[]> {
  const args = ['audit', '--json', '--omit=dev', '--fetch-retries=0', `--fetch-timeout=${answerWithinMs}`]
  const options = { cwd: rootDir, maxBuffer: 2 ** 26, timeout: 2 * answerWithinMs, shell: process.platform === 'win32' }
  return new Promise((resolve) =>
    execFile('npm', args, options, (error, stdout) =>
      resolve(linesOf(stdout, error?.killed ? 'npm took too long' : (error?.message ?? ''))),
    ),
  )
}

/** `stdout`: what `npm audit --json` printed. It exits with an error if there are vulnerabilities. */
export function linesOf(stdout: string, failure: string): readonly string[] {
  const answer = parsed(stdout)
  const { success, data } = report.safeParse(answer)
  if (!success) {
    const refused = refusal.safeParse(answer)
    const reason = (refused.success ? refused.data.message : failure).split('\n', 1)[0]
    return [`known vulnerabilities were not checked, because the registry did not answer: ${reason}`]
  }
  return Object.values(data.vulnerabilities).flatMap(({ name, via }) =>
    via.flatMap((cause) =>
      typeof cause === 'object' && reported.includes(cause.severity) ? [`${name}: ${cause.title} (${cause.severity}, ${cause.url})`] : [],
    ),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // npm printed no report.
    return null
  }
}
